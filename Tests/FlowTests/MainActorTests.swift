import Concurrency
import Flow
import FlowScenarios
import Foundation
import ScenarioKit
import ScreenKit
import SimulationTesting
import Testing

@Suite("Flow on the main actor", .simulated(seeds: 1...5))
struct MainActorTests {
    @Test(
        "FLOW-069 every form is submitted on the main actor, and what observes the session is called on it, whoever began the change"
    )
    func isolation() async throws {
        let world = try await FlowWorld.started(at: .feature3)
        try await world.onPhone { phone in
            let (screens, session) = (try phone.shown, phone.app.session)
            let isolated: Any.Type = (@MainActor @Sendable () async -> Void).self
            let submits: [Any.Type] = [
                type(of: screens.authentication.submit), type(of: screens.verification.submit),
                type(of: screens.step1.submit), type(of: screens.step2.submit),
                type(of: screens.step3.submit),
            ]
            #expect(submits.allSatisfy { $0 == isolated })
            let repository = SessionRepository(session, ScriptedFlowService(), NoAnalytics())
            let form = StepViewModel<WatchedModel>(session, repository, in: screens.flow)
            form.appear()
            var observed = FlowData()
            let observing = session.changes.onChange {
                MainActor.preconditionIsolated()
                observed = session.userInfo.flowData
            }
            // A detached task is on no actor.
            await Task.detached { await form.submit() }.value
            try await phone.wait { _ in observed.step1Data != nil }
            #expect(form.state.showNextStep)
            let second = StepSubmission.step2(Step2Data(address: "12 St James's Square", city: "London"))
            try await Task.detached { try await repository.submitData(second) }.value
            try await phone.wait { _ in observed.step2Data != nil }
            observing.cancel()
            form.disappear()
        }
        try await world.base.shutdown()
    }
}

/// A form that is used on the main actor alone.
private struct WatchedModel: StepModel {
    static let step = FlowStep.step1

    func validate() -> [FieldError] {
        MainActor.preconditionIsolated()
        return []
    }

    var submission: StepSubmission {
        .step1(Step1Data(fullName: "Ada Lovelace", dateOfBirth: "1815-12-10"))
    }

    /// Each state of a screen that derives from the session is compared with the one before it.
    static func == (left: WatchedModel, right: WatchedModel) -> Bool {
        MainActor.preconditionIsolated()
        return true
    }

    func hash(into hasher: inout Hasher) {}
}
