import Concurrency
import Flow
import FlowScenarios
import ScenarioKit
import ScreenKit
import Services
import SimulationTesting
import Testing

@Suite("What Flow collects", .simulated(seeds: 1...5))
struct DataModelTests {
    @Test(
        "FLOW-012 FLOW-013 the data have four groups with credentials, consents, three steps and flags, which begin empty and false"
    )
    func beginsEmpty() async {
        let model = DataModel()
        #expect(
            Mirror(reflecting: model).children.map { $0.label ?? "" } == [
                "authenticationData", "userData", "flowData", "completionFlags",
            ]
        )
        #expect(model.authenticationData == AuthenticationData())
        #expect(model.authenticationData.email == "" && model.authenticationData.password.reveal() == "")
        #expect(model.authenticationData.consents == Consents(terms: false, privacy: false))
        #expect(model.userData.userID == "")
        let steps = model.flowData
        #expect(steps.step1Data == nil && steps.step2Data == nil && steps.step3Data == nil)
        let flags = model.completionFlags
        #expect(!flags.isVerified && !flags.isCompleted && !flags.isStepCompleted)
        #expect(await SessionManager().userInfo == model)
    }

    @Test(
        "FLOW-015 FLOW-016 FLOW-017 FLOW-018 FLOW-019 FLOW-036 each action writes its own member through the session manager and leaves the others"
    )
    func writes() async throws {
        let world = try await FlowWorld.started(at: .feature1)
        try await world.onPhone { phone in
            let (screens, session) = (try phone.shown, phone.app.session)
            var expected = session.userInfo
            #expect(expected == DataModel())
            await screens.authentication.fill()
            await screens.authentication.send(.submit)
            // Authentication: its own data.
            #expect(!session.userInfo.authenticationData.userID.isEmpty)
            expected.authenticationData = session.userInfo.authenticationData
            #expect(session.userInfo == expected)
            #expect(expected.authenticationData.email == "ada@example.org")
            // Verification: who is verified, and the flag.
            await screens.verification.send(.setCode(EnteredSecret("424242")))
            await screens.verification.send(.submit)
            expected.userData = UserData(userID: expected.authenticationData.userID)
            expected.completionFlags.isVerified = true
            #expect(session.userInfo == expected)
            // Steps: their data, and that a step is done.
            await screens.submit(.step1)
            expected.flowData.step1Data = Step1Data(fullName: "Ada Lovelace", dateOfBirth: "1815-12-10")
            expected.completionFlags.isStepCompleted = true
            #expect(session.userInfo == expected)
            await screens.submit(.step2)
            expected.flowData.step2Data = Step2Data(address: "12 St James's Square", city: "London")
            #expect(session.userInfo == expected)
            await screens.submit(.step3)
            expected.flowData.step3Data = Step3Data(acceptsTerms: true)
            #expect(session.userInfo == expected)
            // The end.
            await screens.flow.send(.finish)
            expected.completionFlags.isCompleted = true
            #expect(session.userInfo == expected)
        }
        try await world.base.shutdown()
    }

    @Test(
        "FLOW-014 FLOW-077 the session manager is the only holder: what is written is seen everywhere at once, and no view model has a copy"
    )
    func oneHolder() async throws {
        let world = try await FlowWorld.started(at: .feature3)
        try await world.onPhone { phone in
            let (session, other) = (phone.app.session, phone.app.makeScreens())
            other.appear()
            await (try phone.shown).submit(.step1)
            // A reader in the same turn of the main actor, and another window.
            #expect(session.userInfo.flowData.step1Data?.fullName == "Ada Lovelace")
            #expect(session.changes.value.userInfo == session.userInfo)
            try await Task.sleep(for: .milliseconds(1))
            #expect(other.flow.state.currentStep == .step2)
            // What was typed in one window is nothing of another's: forms hold input alone.
            #expect(other.step1.model == Step1Model())
            // A second step is written beside the first: nothing was read before and written after.
            await other.submit(.step2)
            #expect(session.userInfo.flowData.step1Data != nil && session.userInfo.flowData.step2Data != nil)
            other.disappear()
        }
        try await world.base.shutdown()
    }

    @Test("FLOW-020 what was given holds as long as the app, over windows that close and reload")
    func holds() async throws {
        let world = try await FlowWorld.started(at: .feature3, .step3)
        try await world.onPhone { phone in
            let before = phone.app.session.userInfo
            phone.reload()
            try await Task.sleep(for: .seconds(3600))
            #expect(phone.app.session.userInfo == before)
            #expect(try phone.shown.flow.state.currentStep == .step3)
            await (try phone.shown).submit(.step3)
            await (try phone.shown).flow.send(.finish)
            // Also behind the end, until the next flow.
            #expect(phone.app.session.userInfo.flowData.step1Data != nil)
        }
        try await world.base.shutdown()
    }

    @Test(
        "FLOW-037 FLOW-038 observers see each change of data, navigation and session, in the order of writing"
    )
    func observed() async throws {
        let world = try await FlowWorld.start()
        let seen = try await world.onPhone { phone in
            let changes = phone.app.session.changes.values()
            let collecting = Task {
                var seen: [SessionManager.Snapshot] = []
                for await now in changes {
                    seen.append(now)
                    if now.userInfo.completionFlags.isCompleted { break }
                }
                return seen
            }
            phone.begin()
            try await phone.wait { $0.app.session.navigationState == .feature1 }
            let screens = try phone.shown
            await screens.authentication.fill()
            await screens.authentication.send(.submit)
            await screens.verification.send(.setCode(EnteredSecret("424242")))
            await screens.verification.send(.submit)
            for step in FlowStep.allCases.prefix(3) { await screens.submit(step) }
            await screens.flow.send(.finish)
            return await collecting.value
        }
        // What differs from one to the next.
        let kinds = zip(seen, seen.dropFirst()).map { old, new -> String in
            var kinds: [String] = []
            if old.run != new.run { kinds.append("reset") }
            if old.sessionID != new.sessionID { kinds.append("session") }
            if old.userInfo != new.userInfo { kinds.append("data") }
            if old.navigationState != new.navigationState { kinds.append(new.navigationState.rawValue) }
            if old.currentStep != new.currentStep { kinds.append(new.currentStep.rawValue) }
            return kinds.joined(separator: "+")
        }
        #expect(
            kinds == [
                "reset", "session", "feature1", "data", "feature2", "data", "feature3", "data", "step2",
                "data",
                "step3", "data", "completion", "data",
            ]
        )
        try await world.base.shutdown()
    }

    @Test("FLOW-039 a new flow clears data, session and navigation")
    func reset() async throws {
        let world = try await FlowWorld.started(at: .feature3, .step3)
        let first = try await world.sessionID()
        try await world.onPhone { phone in
            phone.begin()
            let session = phone.app.session
            #expect(session.userInfo == DataModel())
            #expect(session.sessionID == nil)
            #expect(session.navigationState == .splash && session.currentStep == .step1)
            try await phone.wait { $0.app.session.sessionID != nil }
            #expect(session.sessionID != first)
        }
        try await world.base.shutdown()
    }

    @Test(
        "FLOW-078 only repositories and the navigation of view models change the session: a page can send actions alone"
    )
    func unidirectional() async throws {
        let world = try await FlowWorld.started(at: .feature3)
        try await world.onPhone { phone in
            let (screens, before) = (try phone.shown, phone.app.session.snapshot)
            // Whatever is typed or dismissed on any screen changes nothing but that screen.
            screens.fill(.step1)
            screens.fill(.step2)
            await screens.authentication.fill(email: "other@example.org")
            await screens.verification.send(.setCode(EnteredSecret("1")))
            await screens.step1.send(.dismissAlert)
            await screens.authentication.send(.dismissAlert)
            await screens.splash.send(.dismissAlert)
            #expect(phone.app.session.snapshot == before)
        }
        try await world.base.shutdown()
    }
}
