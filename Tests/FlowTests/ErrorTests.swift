import Concurrency
import Flow
import FlowScenarios
import FlowServer
import Foundation
import ScenarioKit
import ScreenKit
import ServiceClient
import Services
import SimulationTesting
import Testing

@Suite("Errors of Flow", .simulated(seeds: 1...5))
struct ErrorTests {
    @Test("FLOW-043 FLOW-045 all wrong fields are shown at once, each under its name")
    func validation() async throws {
        let world = try await FlowWorld.started(at: .feature1)
        try await world.onPhone { phone in
            let screen = try phone.shown.authentication
            let states = screen.states.values()
            await screen.send(.setEmail("nobody"))
            await screen.send(.submit)
            let errors = screen.state.progress.validationErrors
            #expect(Set(errors.keys) == ["email", "password", "terms", "privacy"])
            #expect(errors["email"] == "Enter an e-mail address, such as ada@example.org.")
            #expect(errors.values.allSatisfy { $0.hasSuffix(".") })
            // Published, as a page reads it.
            for await state in states where state.progress.validationErrors == errors { break }
            #expect(!screen.state.progress.showErrorAlert)
        }
        try await world.base.shutdown()
    }

    @Test("FLOW-044 correcting a field removes its error alone, and nothing is left when all are right")
    func correcting() async throws {
        let world = try await FlowWorld.started(at: .feature3)
        try await world.onPhone { phone in
            let screen = try phone.shown.step1
            await screen.submit()
            #expect(Set(screen.state.progress.validationErrors.keys) == ["fullName", "dateOfBirth"])
            screen.edit { $0.fullName = "Ada" }
            await screen.submit()
            #expect(Set(screen.state.progress.validationErrors.keys) == ["dateOfBirth"])
            screen.edit { $0.dateOfBirth = "1815-02-30" }
            await screen.submit()
            #expect(Set(screen.state.progress.validationErrors.keys) == ["dateOfBirth"])
            screen.edit { $0.dateOfBirth = "1815-12-10" }
            await screen.submit()
            #expect(screen.state.progress.validationErrors == [:])
            #expect(phone.app.session.currentStep == .step2)
        }
        try await world.base.shutdown()
    }

    @Test(
        "FLOW-046 FLOW-047 FLOW-048 what the service says passes all layers unchanged, and is shown in its words"
    )
    func refusal() async throws {
        let world = try await FlowWorld.started(at: .feature2)
        let log = CallLog()
        try await world.onPhone { phone in
            let (session, api) = (phone.app.session, NotedAPI(base: phone.app.api, log: log))
            let service = APIFlowService(api)
            let repository = SessionRepository(session, service, NoAnalytics())
            let user = Flow.UserData(userID: session.userInfo.authenticationData.userID)
            let sessionID = try session.sessionID.orMissing()
            let expected = ResponseErrorHandler(
                errorMsg: "The code is wrong.",
                errorCode: 1201,
                statusCode: 400
            )
            // At each layer the same value.
            for attempt in [
                {
                    try await api.verify(
                        VerificationRequest(sessionId: sessionID, userId: user.userID, code: Secret("1"))
                    )
                },
                { try await service.verify("1", of: user, in: sessionID) },
                { try await repository.verify("1") },
            ] as [@MainActor () async throws -> Void] {
                let error = await #expect(throws: ResponseErrorHandler.self) { try await attempt() }
                #expect(error == expected)
            }
            let screen = VerificationViewModel(session, repository)
            await screen.send(.setCode(EnteredSecret("1")))
            await screen.submit()
            #expect(screen.state.progress.errorMessage == expected.errorMsg)
            #expect(screen.state.progress.showErrorAlert)
        }
        try await world.base.shutdown()
    }

    @Test("FLOW-049 any other error is shown in its localized description")
    func other() async throws {
        let world = try await FlowWorld.started(at: .feature3)
        try await world.onPhone { phone in
            let service = ScriptedFlowService()
            let (session, flow) = (phone.app.session, try phone.shown.flow)
            let screen = StepViewModel<Step3Model>(
                session,
                SessionRepository(session, service, NoAnalytics()),
                in: flow
            )
            try await phone.goTo(.step3)
            screen.edit { $0.acceptsTerms = true }
            for error in [Odd(), URLError(.cannotParseResponse)] as [any Error] {
                service.fail(with: error)
                await screen.submit()
                #expect(screen.state.progress.showErrorAlert)
                #expect(screen.state.progress.errorMessage == error.localizedDescription)
            }
        }
        // An error of the network has words for people.
        world.base.goOffline()
        try await world.onPhone { phone in
            let screens = try phone.shown
            await screens.submit(.step3)
            let message = screens.step3.state.progress.errorMessage
            #expect(screens.step3.state.progress.showErrorAlert)
            #expect(message.lowercased().contains("try again"), "\(message)")
            #expect(!message.contains("flow:80") && !message.contains("ServiceFailure"))
        }
        try await world.base.shutdown()
    }

    @Test(
        "FLOW-051 an answer that cannot be read gives the generic error with its status",
        arguments: [
            ("http.502", [:], 502), ("flow.empty", ["status": 500], 500),
            ("flow.empty", ["status": 204], 204),
            ("flow.empty", ["status": 200], 200),
        ] as [(String, [String: Double], Int)]
    )
    func undecodable(_ fault: String, _ values: [String: Double], _ status: Int) async throws {
        let world = try await FlowWorld.started(at: .feature3)
        world.base.arm(fault, values: values, atMost: 1)
        try await world.onPhone { phone in
            let (session, id) = (phone.app.session, try phone.app.session.sessionID.orMissing())
            let request = StepRequest(
                sessionId: id,
                userId: session.userInfo.userData.userID,
                submission: .step1(Step1Data(fullName: "Ada", dateOfBirth: "1815-12-10"))
            )
            let error = await #expect(throws: ResponseErrorHandler.self) {
                _ = try await phone.app.api.submit(request)
            }
            #expect(error?.statusCode == status && error?.errorCode == 0)
            #expect(error == .generic(status))
            #expect(error?.errorMsg.contains("\(status)") == true)
            // It can be read, closed, and tried again.
            world.base.arm(fault, values: values, atMost: 1)
            let screens = try phone.shown
            await screens.submit(.step1)
            #expect(screens.step1.state.progress.errorMessage == error?.errorMsg)
            await screens.submit(.step1)
            #expect(session.currentStep == .step2)
        }
        try await world.base.shutdown()
    }

    @Test("FLOW-051 an empty text of the service gives the generic one, with its code")
    func emptyText() throws {
        let body = Array(#"{"errorMsg":"  ","errorCode":9000}"#.utf8)
        let error = try ResponseErrorHandler(status: 503, body: body).orMissing()
        #expect(error.errorCode == 9000)
        #expect(error.errorMsg == ResponseErrorHandler.generic(503).errorMsg)
    }

    @Test("FLOW-052 closing the alert resets it, and the message of the next one is its own")
    func dismissing() async throws {
        let world = try await FlowWorld.started(at: .feature2)
        try await world.onPhone { phone in
            let screen = try phone.shown.verification
            await screen.send(.setCode(EnteredSecret("1")))
            await screen.send(.submit)
            #expect(screen.state.progress.showErrorAlert)
            await screen.send(.dismissAlert)
            #expect(!screen.state.progress.showErrorAlert)
            world.base.arm("flow.busy", atMost: 1)
            await screen.send(.submit)
            #expect(screen.state.progress.showErrorAlert)
            #expect(screen.state.progress.errorMessage == "The service is busy. Try again.")
        }
        try await world.base.shutdown()
    }

    @Test func `five wrong codes lock the session, and another flow is not touched`() async throws {
        let world = try await FlowWorld.started(at: .feature2)
        try await world.onPhone { phone in
            let screen = try phone.shown.verification
            for _ in 0..<5 {
                await screen.send(.setCode(EnteredSecret("1")))
                await screen.send(.submit)
            }
            await screen.send(.setCode(EnteredSecret("424242")))
            await screen.send(.submit)
            #expect(screen.state.progress.errorMessage == "Too many wrong codes: start again.")
            #expect(phone.app.session.navigationState == .feature2)
            phone.begin()
            try await phone.wait { $0.app.session.navigationState == .feature1 }
            let screens = try phone.shown
            await screens.authentication.fill()
            await screens.authentication.send(.submit)
            await screens.verification.send(.setCode(EnteredSecret("424242")))
            await screens.verification.send(.submit)
            #expect(phone.app.session.navigationState == .feature3)
        }
        try await world.base.shutdown()
    }
}

/// An error of nobody.
private struct Odd: Error {}

extension FlowPhone {
    /// Submits what comes before a step.
    func goTo(_ step: FlowStep) async throws {
        while app.session.currentStep != step { await (try shown).submit(app.session.currentStep) }
    }
}
