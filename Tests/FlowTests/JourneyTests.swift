import Concurrency
import Flow
import FlowScenarios
import FlowServer
import ScenarioKit
import ScreenKit
import Services
import SimulationTesting
import Testing

@Suite("The journey of Flow", .simulated(seeds: 1...10))
struct JourneyTests {
    @Test(
        "FLOW-001 FLOW-002 FLOW-004 FLOW-007 FLOW-008 FLOW-009 welcome, authentication, verification, steps 1 to 3 and the end follow each other, each after the success of the one before"
    )
    func journey() async throws {
        let world = try await FlowWorld.start()
        let seen = try await world.onPhone { phone in
            let changes = phone.app.session.changes.values()
            let seen = Task {
                var parts: [String] = []
                for await now in changes {
                    let part =
                        now.navigationState == .feature3
                        ? now.currentStep.rawValue : now.navigationState.rawValue
                    if parts.last != part { parts.append(part) }
                    if part == "completion" { break }
                }
                return parts
            }
            phone.begin()
            #expect(phone.app.session.navigationState == .splash)
            try await phone.wait { $0.app.session.navigationState == .feature1 }
            let screens = try phone.shown
            // Nothing is given: it stays.
            await screens.authentication.send(.submit)
            #expect(screens.flow.state.navigationState == .feature1)
            await screens.authentication.fill()
            #expect(screens.flow.state.navigationState == .feature1)
            await screens.authentication.send(.submit)
            #expect(phone.app.session.navigationState == .feature2)
            let given = phone.app.session.userInfo.authenticationData
            #expect(given.email == "ada@example.org" && given.password.reveal() == "correct horse")
            #expect(given.consents == Consents(terms: true, privacy: true))
            await screens.verification.send(.setCode(EnteredSecret("424242")))
            #expect(phone.app.session.navigationState == .feature2)
            await screens.verification.send(.submit)
            #expect(phone.app.session.navigationState == .feature3)
            for (step, next) in zip(FlowStep.allCases, FlowStep.allCases.dropFirst()) {
                #expect(phone.app.session.currentStep == step)
                // Not filled in: it stays, and so does what comes after it.
                switch step {
                case .step1: await screens.step1.send(.submit)
                case .step2: await screens.step2.send(.submit)
                case .step3, .completion: await screens.step3.send(.submit)
                }
                #expect(phone.app.session.currentStep == step)
                await screens.submit(step)
                #expect(phone.app.session.currentStep == next)
            }
            return await seen.value
        }
        #expect(seen == ["splash", "feature1", "feature2", "step1", "step2", "step3", "completion"])
        #expect(world.steps == [1, 2, 3])
        try await world.base.shutdown()
    }

    @Test(
        "FLOW-003 FLOW-011 FLOW-050 a wrong code stays where it is and is explained, and the right one goes on"
    )
    func wrongCode() async throws {
        let world = try await FlowWorld.started(at: .feature2)
        try await world.onPhone { phone in
            let (screen, session) = (try phone.shown.verification, phone.app.session)
            let before = session.snapshot
            await screen.send(.setCode(EnteredSecret("000000")))
            await screen.send(.submit)
            #expect(session.snapshot == before)
            #expect(screen.state.progress.showErrorAlert)
            #expect(screen.state.progress.errorMessage == "The code is wrong.")
            #expect(!screen.state.showNextStep && !screen.state.progress.isSubmitted)
            await screen.send(.dismissAlert)
            await screen.send(.setCode(EnteredSecret(" 424242 ")))
            await screen.send(.submit)
            #expect(session.navigationState == .feature3)
            #expect(session.userInfo.completionFlags.isVerified)
            #expect(!screen.state.progress.showErrorAlert)
        }
        try await world.base.shutdown()
    }

    @Test(
        "FLOW-005 a later step is sent before its time neither from its screen nor to the backend",
        arguments: [FlowStep.step2, .step3]
    )
    func skipping(_ later: FlowStep) async throws {
        let world = try await FlowWorld.started(at: .feature3)
        let session = try await world.sessionID()
        try await world.onPhone { phone in
            let before = phone.app.session.snapshot
            await (try phone.shown).submit(later)
            #expect(phone.app.session.snapshot == before)
            // The backend itself refuses what comes too early.
            let user = before.userInfo.userData.userID
            let early = StepRequest(
                sessionId: session,
                userId: user,
                submission: later == .step2
                    ? .step2(Step2Data(address: "a", city: "b")) : .step3(Step3Data(acceptsTerms: true))
            )
            do {
                _ = try await phone.app.api.submit(early)
                Issue.record("a step that is too early was accepted")
            } catch let error as ResponseErrorHandler {
                #expect(error.statusCode == 409 && error.errorCode == 1301)
            }
        }
        #expect(world.steps == [])
        try await world.base.shutdown()
    }

    @Test(
        "FLOW-011 FLOW-050 a failed action leaves all as it was",
        arguments: [NavigationState.feature1, .feature2, .feature3]
    )
    func failing(_ part: NavigationState) async throws {
        let world = try await FlowWorld.started(at: part)
        world.base.arm("http.502")
        try await world.onPhone { phone in
            let (screens, before) = (try phone.shown, phone.app.session.snapshot)
            let progress: FormProgress
            switch part {
            case .feature1:
                await screens.authentication.fill()
                await screens.authentication.send(.submit)
                progress = screens.authentication.state.progress
            case .feature2:
                await screens.verification.send(.setCode(EnteredSecret("424242")))
                await screens.verification.send(.submit)
                progress = screens.verification.state.progress
            default:
                await screens.submit(.step1)
                progress = screens.step1.state.progress
            }
            #expect(phone.app.session.snapshot == before)
            #expect(progress.showErrorAlert && !progress.isSubmitted)
        }
        try await world.base.shutdown()
    }

    @Test(
        "FLOW-006 FLOW-010 the root shows the screen of one of four parts, and begins with the welcome",
        arguments: NavigationState.allCases
    )
    func root(_ part: NavigationState) async throws {
        #expect(NavigationState.allCases.map(\.rawValue) == ["splash", "feature1", "feature2", "feature3"])
        let world = try await FlowWorld.started(at: part)
        try await world.onPhone { phone in
            let shown = try phone.shown
            // A screen follows in a turn of its own.
            try await Task.sleep(for: .milliseconds(10))
            #expect(shown.flow.state.navigationState == part)
            #expect(phone.app.session.navigationState == part)
            // Another window shows the same.
            let other = phone.app.makeScreens()
            #expect(other.flow.state.navigationState == part)
        }
        try await world.base.shutdown()
        let fresh = await SessionManager().navigationState
        #expect(fresh == .splash)
    }

    @Test(
        "FLOW-040 FLOW-041 FLOW-042 the step moves after an accepted submission alone, is published, and stays at the end"
    )
    func progression() async throws {
        let world = try await FlowWorld.started(at: .feature3, .step2)
        try await world.onPhone { phone in
            let (screens, session) = (try phone.shown, phone.app.session)
            let changes = session.changes.values()
            #expect(screens.flow.state.currentStep == .step2)
            world.base.arm("flow.busy", atMost: 1)
            await screens.submit(.step2)
            #expect(session.currentStep == .step2 && screens.flow.state.currentStep == .step2)
            await screens.submit(.step2)
            #expect(session.currentStep == .step3 && screens.flow.state.currentStep == .step3)
            await screens.submit(.step3)
            #expect(session.currentStep == .completion && screens.flow.state.currentStep == .completion)
            #expect(FlowStep.allCases.map(\.next) == [.step2, .step3, .completion, .completion])
            // There is nothing behind the end.
            await screens.submit(.step3)
            #expect(session.currentStep == .completion)
            var steps: [FlowStep] = []
            for await now in changes {
                if steps.last != now.currentStep { steps.append(now.currentStep) }
                if now.currentStep == .completion { break }
            }
            #expect(steps == [.step2, .step3, .completion])
        }
        try await world.base.shutdown()
    }
}
