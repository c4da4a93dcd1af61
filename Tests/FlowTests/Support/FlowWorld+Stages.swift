import Concurrency
import Flow
import FlowScenarios
import FlowServer
import ScenarioKit
import ScreenKit
import Services

extension FlowWorld {
    /// A world whose flow has come to a part, by what a person does.
    static func started(
        at part: NavigationState,
        _ step: FlowStep = .step1,
        _ options: FlowOptions = FlowOptions()
    ) async throws -> FlowWorld {
        let world = try await start(options)
        try await world.onPhone { phone in
            phone.begin()
            guard part != .splash else { return }
            try await phone.wait { $0.app.session.navigationState == .feature1 }
            let screens = try phone.shown
            guard part != .feature1 else { return }
            await screens.authentication.fill()
            await screens.authentication.send(.submit)
            guard part != .feature2 else { return }
            await screens.verification.send(.setCode(EnteredSecret(options.project.verificationCode)))
            await screens.verification.send(.submit)
            for next in FlowStep.allCases.prefix(while: { $0 != step }) {
                await screens.submit(next)
            }
            try check(phone.app.session.currentStep == step, "the flow has come to its step", "\(step)")
            // Events of analytics are behind: what is armed next strikes what the test does.
            try await Task.sleep(for: .seconds(2))
        }
        return world
    }

    /// The session of the present use, as the backend knows it.
    func sessionID() async throws -> String {
        try await onPhone { try $0.app.session.sessionID.orMissing() }
    }

    /// The numbers of the steps that the backend has stored, in order.
    var steps: [Int] {
        server.events.compactMap { if case .stepStored(_, let step) = $0 { step } else { nil } }
    }

    /// How often a token was given.
    var tokens: Int { server.events.count { $0 == .tokenGiven } }
}

extension FlowPhone {
    /// The screens that are shown.
    var shown: FlowScreens { get throws { try screens.orMissing() } }

    /// Waits until something holds.
    func wait(until holds: @MainActor (FlowPhone) -> Bool) async throws {
        while !holds(self) { try await Task.sleep(for: .milliseconds(10)) }
    }
}

extension FlowScreens {
    /// Fills a step in, and sends it.
    func submit(_ step: FlowStep) async {
        fill(step)
        switch step {
        case .step1: await step1.send(.submit)
        case .step2: await step2.send(.submit)
        case .step3: await step3.send(.submit)
        case .completion: break
        }
    }

    /// Fills a step in.
    func fill(_ step: FlowStep) {
        switch step {
        case .step1: step1.edit { ($0.fullName, $0.dateOfBirth) = ("Ada Lovelace", "1815-12-10") }
        case .step2: step2.edit { ($0.address, $0.city) = ("12 St James's Square", "London") }
        case .step3: step3.edit { $0.acceptsTerms = true }
        case .completion: break
        }
    }

    /// The progress of a step's form.
    func progress(of step: FlowStep) -> FormProgress {
        switch step {
        case .step1: step1.state.progress
        case .step2: step2.state.progress
        case .step3, .completion: step3.state.progress
        }
    }
}

extension StepViewModel {
    /// Changes what is typed.
    func edit(_ change: (inout Model) -> Void) {
        var model = model
        change(&model)
        take(model)
    }
}

extension AuthenticationViewModel {
    /// Fills everything in.
    func fill(email: String = "ada@example.org", password: String = "correct horse") async {
        await send(.setEmail(email))
        await send(.setPassword(EnteredSecret(password)))
        await send(.setConsents(Consents(terms: true, privacy: true)))
    }
}

extension Optional where Wrapped: Sendable {
    /// The value; its absence ends the test.
    func orMissing() throws -> Wrapped {
        guard let self else { throw Missing(what: "\(Wrapped.self)") }
        return self
    }
}

/// Something is not there that has to be.
struct Missing: Error { let what: String }
