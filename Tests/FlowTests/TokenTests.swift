import Concurrency
import Flow
import FlowScenarios
import FlowServer
import Foundation
import HTTPTypes
import PeerKit
import ScenarioKit
import ScreenKit
import ServiceClient
import Services
import SimulatedDevice
import Simulation
import SimulationTesting
import Testing

@Suite("Tokens of Flow", .simulated(seeds: 1...10))
struct TokenTests {
    /// A client of a backend without a network, and what it has sent.
    private func client(
        _ project: FlowProject = FlowProject(),
        faults: [(String, [String: Double])] = []
    ) throws -> (api: APIManager, http: NotedHTTP, server: FlowServer) {
        let server = FlowServer(project)
        for (point, values) in faults { try server.faults.arm(point, values: values) }
        let http = NotedHTTP(DirectClient(server: server))
        let secrets = InMemorySecretStore()
        try secrets.set(Secret(project.clientSecret), named: APIManager.clientSecretName)
        let api = APIManager(http, clientID: project.clientID, secrets: secrets) {
            ServiceAddress("http://flow.example")
        }
        return (api, http, server)
    }

    private func begin(_ api: APIManager) async throws {
        _ = try await api.createDevice(
            DeviceRequest(deviceId: UUID().uuidString, ipAddress: "", deviceName: "d", channel: "linux")
        )
    }

    @Test(
        "FLOW-060 FLOW-061 the first call asks for a token, which is stored with its end and used; later calls use it without asking"
    )
    func reused() async throws {
        let (api, http, _) = try client()
        let token = try await api.getValidToken()
        #expect(http.sent.map(\.request.path) == ["/Auth/GetToken"])
        #expect(http.sent[0].request.method == .post)
        let fields = try JSONDecoder().decode([String: String].self, from: Data(http.sent[0].body))
        #expect(fields == ["clientId": "flow-app", "clientSecret": "flow-client-secret"])
        #expect(abs(token.expiry.timeIntervalSinceNow - 900) <= 1)
        #expect(try await api.getValidToken() == token)
        try await begin(api)
        try await begin(api)
        #expect(
            http.sent.map(\.request.path) == [
                "/Auth/GetToken", "/Device/CreateDevice", "/Device/CreateDevice",
            ]
        )
        for sent in http.sent.dropFirst() {
            #expect(sent.request.headerFields[.authorization] == "Bearer \(token.value.reveal())")
        }
    }

    @Test(
        "FLOW-062 a token is refreshed before a call once it is expired, and at the very second of its end it is"
    )
    func strict() async throws {
        var project = FlowProject()
        project.tokenLifetime = 10
        let (api, http, _) = try client(project)
        let first = try await api.getValidToken()
        // A moment before its end it is good.
        let left = first.expiry.timeIntervalSinceNow
        try await Task.sleep(for: .seconds(left) - .milliseconds(20))
        if Date() < first.expiry { #expect(try await api.getValidToken() == first) }
        while Date() < first.expiry { try await Task.sleep(for: .milliseconds(1)) }
        let second = try await api.getValidToken()
        #expect(second.value != first.value)
        try await begin(api)
        #expect(
            http.sent.map(\.request.path) == ["/Auth/GetToken", "/Auth/GetToken", "/Device/CreateDevice"]
        )
    }

    @Test("FLOW-062 an end that is this very instant is expired")
    func equal() {
        let now = Date()
        #expect(!BearerToken(Secret("t"), expiry: now).isValid(at: now))
        #expect(BearerToken(Secret("t"), expiry: now.addingTimeInterval(0.001)).isValid(at: now))
        #expect(!BearerToken(Secret("t"), expiry: now.addingTimeInterval(-0.001)).isValid(at: now))
    }

    @Test(
        "FLOW-063 a token that cannot be had is an error on the screen, and the call is not sent",
        arguments: ["flow.busy", "http.502", "flow.empty"]
    )
    func refreshFails(_ fault: String) async throws {
        var options = FlowOptions()
        options.project.tokenLifetime = 30
        let world = try await FlowWorld.started(at: .feature3, .step1, options)
        try await Task.sleep(for: .seconds(40))
        let before = world.server.requestCount
        world.base.arm(fault, values: fault == "flow.empty" ? ["status": 500] : [:], atMost: 1)
        try await world.onPhone { phone in
            let screens = try phone.shown
            await screens.submit(.step1)
            #expect(screens.step1.state.progress.showErrorAlert)
            #expect(!screens.step1.state.progress.errorMessage.isEmpty)
        }
        // The one call for a token.
        #expect(world.server.requestCount == before + 1)
        #expect(world.steps == [])
        try await world.base.shutdown()
    }

    @Test("FLOW-063 a client that is not known is an error, and is not asked for again by itself")
    func unknownClient() async throws {
        let server = FlowServer()
        let http = NotedHTTP(DirectClient(server: server))
        let secrets = InMemorySecretStore()
        try secrets.set(Secret("wrong"), named: APIManager.clientSecretName)
        let api = APIManager(http, clientID: "flow-app", secrets: secrets) {
            ServiceAddress("http://flow.example")
        }
        let error = await #expect(throws: ResponseErrorHandler.self) { try await begin(api) }
        #expect(
            error
                == ResponseErrorHandler(
                    errorMsg: "The client is not known.",
                    errorCode: 1001,
                    statusCode: 401
                )
        )
        #expect(http.sent.map(\.request.path) == ["/Auth/GetToken"])
    }

    @Test(
        "FLOW-064 FLOW-065 many calls at once with an expired token ask for one, and each is sent once with it"
    )
    func singleFlight() async throws {
        var project = FlowProject()
        project.tokenLifetime = 30
        let (api, http, server) = try client(project)
        try await begin(api)
        try await Task.sleep(for: .seconds(40))
        let before = http.sent.count
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { try await begin(api) } }
            try await group.waitForAll()
        }
        let sent = http.sent.dropFirst(before).map(\.request)
        #expect(sent.filter { $0.path == "/Auth/GetToken" }.count == 1)
        let calls = sent.filter { $0.path == "/Device/CreateDevice" }
        #expect(calls.count == 20)
        #expect(Set(calls.map { $0.headerFields[.authorization] ?? "" }).count == 1)
        #expect(server.events.count { if case .sessionBegun = $0 { true } else { false } } == 21)
    }

    @Test(
        "a token that is revoked is renewed once for all calls that were refused, and each is sent a second time and no third"
    )
    func revoked() async throws {
        let (api, http, server) = try client()
        try await begin(api)
        server.revokeTokens()
        let before = http.sent.count
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<5 { group.addTask { try await begin(api) } }
            try await group.waitForAll()
        }
        let paths = http.sent.dropFirst(before).map { $0.request.path ?? "" }
        #expect(paths.filter { $0 == "/Auth/GetToken" }.count == 1)
        #expect(paths.filter { $0 == "/Device/CreateDevice" }.count <= 10)
        // A backend that refuses every token: two attempts, then the error.
        try server.faults.arm("flow.revoked")
        let second = http.sent.count
        let error = await #expect(throws: ResponseErrorHandler.self) { try await begin(api) }
        #expect(error?.statusCode == 401 && error?.errorCode == 1003)
        #expect(
            http.sent.dropFirst(second).map { $0.request.path ?? "" } == [
                "/Device/CreateDevice", "/Auth/GetToken", "/Device/CreateDevice",
            ]
        )
    }

    @Test(
        "FLOW-066 the end of a token is read as seconds since 1970 and as a date of ISO 8601",
        arguments: [false, true]
    )
    func forms(_ isISO: Bool) async throws {
        let (api, http, _) = try client(faults: isISO ? [("flow.token.iso", [:])] : [])
        let token = try await api.getValidToken()
        #expect(abs(token.expiry.timeIntervalSinceNow - 900) <= 1)
        #expect(try await api.getValidToken() == token)
        #expect(http.sent.count == 1)
    }

    @Test(
        "an end in milliseconds, in seconds from now, or without one is an error that is not kept, and no storm of calls",
        arguments: [0.0, 1, 2]
    )
    func wrongForms(_ form: Double) async throws {
        let (api, http, server) = try client(faults: [("flow.token.wrongExpiry", ["form": form])])
        await #expect(throws: (any Error).self) { try await begin(api) }
        #expect(http.sent.map(\.request.path) == ["/Auth/GetToken"])
        server.faults.disarm()
        try await begin(api)
        #expect(http.sent.count == 3)
    }

    @Test(
        "a token that is expired when it arrives serves the calls that wait for it, and is asked for again by the next"
    )
    func expiredOnArrival() async throws {
        let (api, http, _) = try client(faults: [("flow.token.wrongExpiry", ["form": 3])])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<5 { group.addTask { try await begin(api) } }
            try await group.waitForAll()
        }
        let paths = http.sent.map { $0.request.path ?? "" }
        #expect(paths.filter { $0 == "/Device/CreateDevice" }.count == 5)
        // At most one for each call, however late it began to wait.
        #expect((1...5).contains(paths.filter { $0 == "/Auth/GetToken" }.count))
    }

    @Test(
        "FLOW-068 changes of the session are made on the main actor, also when the repository is called off it"
    )
    func mainActor() async throws {
        let world = try await FlowWorld.started(at: .feature2)
        try await world.onPhone { phone in
            let repository = SessionRepository(phone.app.session, ScriptedFlowService(), NoAnalytics())
            let states = phone.app.session.changes.values()
            // A detached task is on no actor. That every change of the session and every submission is on the main actor is held by the compiler: neither
            // type can be used off it without `await`, and warnings are errors.
            try await Task.detached { try await repository.verify("424242") }.value
            #expect(phone.app.session.userInfo.completionFlags.isVerified)
            for await now in states where now.userInfo.completionFlags.isVerified { break }
        }
        try await world.base.shutdown()
    }

    @Test("neither a password nor a token, a secret or a code is in a state, a description or an error")
    func secrets() async throws {
        let world = try await FlowWorld.started(at: .feature2)
        try await world.onPhone { phone in
            let screens = try phone.shown
            await screens.verification.send(.setCode(EnteredSecret("918273")))
            world.base.arm("flow.busy", atMost: 1)
            await screens.verification.send(.submit)
            var texts = try screens.named.map { String(decoding: try $0.state(), as: UTF8.self) }
            texts.append("\(phone.app.session.snapshot)")
            texts.append(String(reflecting: phone.app.session.userInfo))
            texts.append("\(screens.verification.model) \(screens.authentication.model)")
            texts.append("\(VerificationRequest(sessionId: "s", userId: "u", code: Secret("918273")))")
            texts.append(screens.verification.state.progress.errorMessage)
            texts.append("\(try await #require(phone.app.api as? APIManager).getValidToken())")
            let sent = try screens.named.first { $0.name == "authentication" }.orMissing()
                .action(Data(#"{"setPassword":{"_0":"correct horse"}}"#.utf8))
            texts.append(String(decoding: sent.action, as: UTF8.self))
            for text in texts {
                for secret in ["correct horse", "918273", "flow-client-secret", "eyJ"] {
                    #expect(!text.contains(secret), "\(text)")
                }
            }
        }
        try await world.base.shutdown()
    }
}
