import Concurrency
import Flow
import FlowScenarios
import FlowServer
import Foundation
import HTTPTypes
import ScenarioKit
import ScreenKit
import ServiceClient
import Services
import SimulatedDevice
import Simulation
import SimulationTesting
import Testing
import Transport

@Suite("A submission of Flow", .simulated(seeds: 1...5))
struct SubmissionTests {
    /// An app whose layers are noted, at its first step, over a backend without a network.
    @MainActor
    private func noted(
        _ log: CallLog
    ) async throws -> (app: FlowApp, step: StepViewModel<Step1Model>, http: NotedHTTP, server: FlowServer) {
        let server = FlowServer()
        let http = NotedHTTP(DirectClient(server: server), log: log)
        let secrets = InMemorySecretStore()
        try secrets.set(Secret("flow-client-secret"), named: APIManager.clientSecretName)
        let manager = APIManager(http, clientID: "flow-app", secrets: secrets) {
            ServiceAddress("http://flow.example")
        }
        let api = NotedAPI(base: manager, log: log)
        let service = NotedService(base: APIFlowService(api), log: log)
        let analytics = NotedAnalytics(log: log)
        let app = FlowApp(
            api: api,
            service: service,
            analytics: analytics,
            device: SimulatedDeviceInformation(),
            preferences: try .inMemory()
        )
        let host = WindowHost()
        app.start.startServices(from: host) { _, _ in }
        while app.session.navigationState == .splash { try await Task.sleep(for: .milliseconds(10)) }
        let screens = try host.screens.orMissing()
        await screens.authentication.fill()
        await screens.authentication.send(.submit)
        await screens.verification.send(.setCode(EnteredSecret("424242")))
        await screens.verification.send(.submit)
        let repository = NotedRepository(
            base: SessionRepository(app.session, service, NotedAnalytics(log: log, session: app.session)),
            log: log,
            session: app.session
        )
        let step = StepViewModel<Step1Model>(app.session, repository, in: screens.flow)
        step.edit { ($0.fullName, $0.dateOfBirth) = (" Ada Lovelace ", "1815-12-10") }
        return (app, step, http, server)
    }

    @Test(
        "FLOW-021 FLOW-022 FLOW-023 FLOW-025 FLOW-027 FLOW-031 FLOW-032 FLOW-033 a submission passes view model, repository, service and API manager in turn, and its answer comes back the same way: data, analytics, then what is published"
    )
    func layers() async throws {
        let log = CallLog()
        try await Task { @MainActor in
            let (app, step, http, _) = try await noted(log)
            let begun = log.calls.count
            let states = step.states.values()
            step.appear()
            let shown = Task { () -> StepViewModel<Step1Model>.State? in
                for await state in states where state.progress.isSubmitted { return state }
                return nil
            }
            await step.submit()
            let (info, state) = (app.session.userInfo, try await shown.value.orMissing())
            // All of it, in order: the repository returns to the view model, which publishes, when the session has the data.
            #expect(
                Array(log.calls.dropFirst(begun)) == [
                    "> repository.submitData", "> service.submitData", "> api.submit", "> POST /api/endpoint",
                    "< POST /api/endpoint", "< api.submit", "< service.submitData",
                    "analytics dataSubmitted behind the data", "session has the data",
                    "< repository.submitData",
                ]
            )
            #expect(info.flowData.step1Data == Step1Data(fullName: "Ada Lovelace", dateOfBirth: "1815-12-10"))
            #expect(info.completionFlags.isStepCompleted)
            #expect(state.showNextStep)
            #expect(app.session.currentStep == .step2)
            #expect(http.sent.last?.request.path == "/api/endpoint")
        }.value
    }

    @Test(
        "FLOW-023 at the moment in which a view model says that it is submitted, the session manager has the data"
    )
    func order() async throws {
        try await Task { @MainActor in
            let (app, step, _, _) = try await noted(CallLog())
            step.appear()
            let states = step.states.values()
            let looking = Task { @MainActor () -> DataModel in
                for await state in states where state.progress.isSubmitted { return app.session.userInfo }
                return DataModel()
            }
            await step.submit()
            #expect(await looking.value.flowData.step1Data != nil)
        }.value
    }

    @Test("FLOW-026 an invalid form calls no repository and sends nothing; an empty list of errors does")
    func validation() async throws {
        let log = CallLog()
        try await Task { @MainActor in
            let (_, step, http, _) = try await noted(log)
            step.edit { $0.fullName = " " }
            let (calls, sent) = (log.calls, http.sent.count)
            #expect(step.model.validate() != [])
            await step.submit()
            #expect(log.calls == calls && http.sent.count == sent)
            #expect(!step.state.progress.isLoading && !step.state.progress.isSubmitted)
            step.edit { $0.fullName = "Ada" }
            #expect(step.model.validate() == [])
            await step.submit()
            #expect(http.sent.count == sent + 1)
        }.value
    }

    @Test(
        "FLOW-028 FLOW-029 FLOW-067 a step is POST /api/endpoint with a bearer token, the user's ID and the fields of the step; the call for a token has none"
    )
    func wire() async throws {
        try await Task { @MainActor in
            let (app, step, http, server) = try await noted(CallLog())
            await step.submit()
            let sent = try http.sent.last.orMissing()
            #expect(sent.request.method == .post)
            #expect(sent.request.path == "/api/endpoint")
            #expect(sent.request.headerFields[.contentType] == "application/json")
            let fields = try JSONDecoder().decode([String: Field].self, from: Data(sent.body))
            #expect(
                fields == [
                    "sessionId": .text(app.session.sessionID ?? ""),
                    "userId": .text(app.session.userInfo.userData.userID), "step": .number(1),
                    "fullName": .text("Ada Lovelace"), "dateOfBirth": .text("1815-12-10"),
                ]
            )
            let (token, others) = (http.sent[0].request, http.sent.dropFirst().map(\.request))
            #expect(token.path == "/Auth/GetToken" && token.headerFields[.authorization] == nil)
            #expect(others.count == 4)
            for request in others {
                let field = request.headerFields[.authorization] ?? ""
                // A token of the backend: three parts between dots.
                #expect(
                    field.hasPrefix("Bearer ") && field.split(separator: ".").count == 3,
                    "\(request.path ?? "")"
                )
            }
            #expect(server.events.filter { $0 == .tokenGiven }.count == 1)
        }.value
    }

    @Test(
        "FLOW-030 an answer with 200 that says success: false, or an error code, is an error",
        arguments: [
            #"{"success":false,"errorMsg":"Not today."}"#, #"{"errorCode":1201,"errorMsg":"Not today."}"#,
            #"{"success":true,"errorCode":7,"errorMsg":"Not today.","nextStep":2,"isCompleted":false}"#,
        ]
    )
    func refusedWith200(_ body: String) throws {
        let error = try ResponseErrorHandler(status: 200, body: Array(body.utf8)).orMissing()
        #expect(error.errorMsg == "Not today." && error.statusCode == 200)
        #expect(
            ResponseErrorHandler(status: 200, body: Array(#"{"success":true,"errorCode":0}"#.utf8)) == nil
        )
        #expect(ResponseErrorHandler(status: 200, body: Array("{}".utf8)) == nil)
        #expect(ResponseErrorHandler(status: 201, body: Array("{}".utf8)) != nil)
    }

    @Test(
        "FLOW-030 a refusal with 200 stops a submission as one with a status does",
        arguments: FlowProject.RefusalForm.allCases
    )
    func form(_ refusals: FlowProject.RefusalForm) async throws {
        var options = FlowOptions()
        options.project.refusals = refusals
        let world = try await FlowWorld.started(at: .feature2, .step1, options)
        try await world.onPhone { phone in
            let screen = try phone.shown.verification
            await screen.send(.setCode(EnteredSecret("1")))
            await screen.send(.submit)
            #expect(screen.state.progress.errorMessage == "The code is wrong.")
            #expect(phone.app.session.navigationState == .feature2)
        }
        try await world.base.shutdown()
    }

    @Test(
        "FLOW-034 a screen is loading from before the call until after it, whether it succeeds or fails",
        arguments: [true, false]
    )
    func loading(_ succeeds: Bool) async throws {
        let world = try await FlowWorld.started(at: .feature3)
        world.base.arm("http.slow", values: ["seconds": 5], atMost: 1)
        if !succeeds { world.base.arm("flow.busy", atMost: 1) }
        try await world.onPhone { phone in
            let screens = try phone.shown
            #expect(!screens.step1.state.progress.isLoading)
            let submitting = Task { await screens.submit(.step1) }
            try await phone.wait { _ in screens.step1.state.progress.isLoading }
            try await Task.sleep(for: .seconds(4))
            #expect(screens.step1.state.progress.isLoading)
            await submitting.value
            #expect(!screens.step1.state.progress.isLoading)
            #expect(screens.step1.state.progress.isSubmitted == succeeds)
            #expect(screens.step1.state.progress.showErrorAlert != succeeds)
        }
        try await world.base.shutdown()
    }

    @Test(
        "FLOW-035 a second submission while one is under way sends nothing, in the same window and in another",
        arguments: [false, true]
    )
    func doubleTap(_ inAnotherWindow: Bool) async throws {
        let world = try await FlowWorld.started(at: .feature3)
        world.base.arm("http.slow", values: ["seconds": 5], atMost: 1)
        let before = world.server.requestCount
        try await world.onPhone { phone in
            let screens = try phone.shown
            let second = inAnotherWindow ? phone.app.makeScreens() : screens
            async let first: Void = screens.submit(.step1)
            async let again: Void = second.submit(.step1)
            _ = await (first, again)
            #expect(phone.app.session.currentStep == .step2)
        }
        #expect(world.steps == [1])
        // The submission, and its event of analytics.
        try await Task.sleep(for: .seconds(1))
        #expect(world.server.requestCount - before == 2)
        try await world.base.shutdown()
    }

    @Test(
        "FLOW-032 FLOW-075 FLOW-076 the repository notes one event for each accepted step and none for a failure; analytics that fail or hang change nothing",
        arguments: ["", "http.502", "http.slow"]
    )
    func analytics(_ fault: String) async throws {
        let world = try await FlowWorld.started(at: .feature3)
        try await world.onPhone { phone in
            let screens = try phone.shown
            world.base.arm("flow.busy", atMost: 1)
            await screens.submit(.step1)
            #expect(screens.step1.state.progress.showErrorAlert)
            await screens.submit(.step1)
            #expect(phone.app.session.currentStep == .step2)
        }
        try await Task.sleep(for: .seconds(5))
        let session = try await world.sessionID()
        let event = FlowEvent.tracked(sessionID: session, name: "dataSubmitted")
        #expect(world.server.events.filter { $0 == event }.count == 1)
        #expect(AnalyticsEvent.allCases.map(\.rawValue) == ["dataSubmitted"])
        // The answer to the step is quick, and what follows it is not.
        if fault == "http.502" { world.base.arm(fault, skipping: 1) }
        if fault == "http.slow" { world.base.arm(fault, values: ["seconds": 600], skipping: 1) }
        try await world.onPhone { phone in
            let (screens, start) = (try phone.shown, ContinuousClock.now)
            await screens.submit(.step2)
            #expect(phone.app.session.currentStep == .step3)
            #expect(screens.step2.state.progress.isSubmitted && !screens.step2.state.progress.showErrorAlert)
            #expect(ContinuousClock.now - start < .seconds(2))
        }
        world.base.heal()
        try await Task.sleep(for: .seconds(700))
        try await world.base.shutdown()
    }
}

/// A value of a document.
private enum Field: Decodable, Equatable {
    case text(String)
    case number(Int)

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let number = try? value.decode(Int.self) {
            self = .number(number)
        } else {
            self = .text(try value.decode(String.self))
        }
    }
}

/// A window that shows what it is given.
@MainActor
final class WindowHost: FlowHost {
    private(set) var screens: FlowScreens?
    private(set) var shows = 0
    private(set) var dismissals = 0

    func show(_ screens: FlowScreens) {
        screens.appear()
        self.screens = screens
        shows += 1
    }

    func dismiss() {
        screens?.disappear()
        screens = nil
        dismissals += 1
    }
}
