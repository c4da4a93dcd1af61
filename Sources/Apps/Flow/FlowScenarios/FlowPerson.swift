internal import Concurrency
internal import Flow
internal import Foundation
internal import Probes
internal import ScenarioKit
internal import ScreenKit
internal import Simulation

/// A person who fills in what is shown, and tries again what has failed.
@MainActor
struct FlowPerson {
    /// What the person enters.
    var email = "ada@example.org"
    /// The code that was sent.
    let code: String
    let phone: FlowPhone

    /// The longest that one attempt may take: the app's own limits are shorter.
    private static let limit = Duration.seconds(240)

    /// Goes on from what is shown until the flow is at its end, or has gone away.
    ///
    /// - Parameter pause: The longest that the person thinks before each thing.
    /// - Throws: `PropertyViolation` where the app does not come on within two hours.
    func goThrough(pause: Duration) async throws {
        for _ in 0..<400 {
            guard let screens = phone.screens else { return }
            if screens.flow.state.currentStep == .completion, screens.flow.state.navigationState == .feature3
            {
                return
            }
            try await Task.sleep(for: pause * Double.random(in: 0...1) + .milliseconds(20))
            try await act(on: screens, alsoInAnotherWindow: Int.random(in: 0..<8) == 0)
        }
        try check(false, "a person who tries again comes to the end", "\(phone.app.session.changes.value)")
    }

    /// Does the next thing on what is shown, and the same in another window at the same time where that is wanted.
    private func act(on screens: FlowScreens, alsoInAnotherWindow isDoubled: Bool) async throws {
        guard isDoubled else { return try await act(on: screens) }
        let other = phone.app.makeScreens()
        other.appear()
        defer { other.disappear() }
        async let first: Void = act(on: screens)
        async let second: Void = act(on: other)
        _ = try await (first, second)
    }

    /// Does the next thing on what is shown; twice at once now and then, as impatient people do.
    private func act(on screens: FlowScreens) async throws {
        let start = ContinuousClock.now
        switch screens.flow.state.navigationState {
        case .splash:
            if screens.splash.state.showErrorAlert { await screens.splash.send(.retry) }
            try await Task.sleep(for: .seconds(1))
        case .feature1:
            let screen = screens.authentication
            await screen.send(.dismissAlert)
            await screen.send(.setEmail(" \(email) "))
            await screen.send(.setPassword(EnteredSecret("correct horse")))
            await screen.send(.setConsents(Consents(terms: true, privacy: true)))
            await submit { await screen.send(.submit) }
        case .feature2:
            let screen = screens.verification
            await screen.send(.dismissAlert)
            await screen.send(.setCode(EnteredSecret(code)))
            await submit { await screen.send(.submit) }
        case .feature3:
            switch screens.flow.state.currentStep {
            case .step1:
                var model = Step1Model()
                (model.fullName, model.dateOfBirth) = ("Ada Lovelace", "1815-12-10")
                await fill(screens.step1, model)
            case .step2:
                var model = Step2Model()
                (model.address, model.city) = ("12 St James's Square", "London")
                await fill(screens.step2, model)
            case .step3:
                var model = Step3Model()
                model.acceptsTerms = true
                await fill(screens.step3, model)
            case .completion: break
            }
        }
        let time = ContinuousClock.now - start
        try check(time < Self.limit, "an attempt is done or has failed in time", "\(time)")
    }

    private func fill<Model: StepModel>(_ screen: StepViewModel<Model>, _ model: Model) async {
        await screen.send(.dismissAlert)
        await screen.send(.edit(model))
        await submit { await screen.send(.submit) }
    }

    private func submit(_ send: @MainActor @Sendable @escaping () async -> Void) async {
        guard Int.random(in: 0..<3) == 0 else { return await send() }
        async let first: Void = send()
        async let second: Void = send()
        _ = await (first, second)
    }
}
