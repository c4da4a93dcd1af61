import Argus
import ArgusHub
import Concurrency
import Foundation
import HTTPTypes
import PeerKit
import ScreenKit
import ServiceClient
import Services
import SimulatedDevice
import SimulatedTransport
import SimulationTesting
import Testing
import Transport

@Suite("Pairing of Argus", .simulated(seeds: 1...10))
@MainActor
struct PairingTests {
    @Test(
        "ARGUS-018 what is not exactly six digits cannot be sent, and sends nothing",
        arguments: ["", "12345", "1234567", "12 456", "12345a", "١٢٣٤٥٦", "-12345", "１２３４５６"]
    )
    func form(_ text: String) async throws {
        let fixture = try await ArgusFixture()
        await fixture.app.launch()
        await fixture.screens.pairing.send(.setCode(text))
        #expect(!fixture.screens.pairing.state.canSubmit)
        await fixture.screens.pairing.send(.submit)
        #expect(fixture.http.sent.isEmpty)
        await fixture.screens.pairing.send(.setCode("123456"))
        #expect(fixture.screens.pairing.state.canSubmit)
        await fixture.app.shutdown()
    }

    @Test(
        "ARGUS-019 ARGUS-020 the request is POST /api/v1/mobile/auth/verify with the code as it was typed, zeros at the front included, the ID of the device as a UUID and its name, and without a token"
    )
    func request() async throws {
        let fixture = try await ArgusFixture()
        await fixture.app.launch()
        await fixture.enter("012345")
        let sent = try #require(fixture.http.sent.first)
        #expect(fixture.http.sent.count == 1)
        #expect(sent.request.method == .post && sent.request.path == "/api/v1/mobile/auth/verify")
        #expect(sent.request.headerFields[.authorization] == nil)
        #expect(sent.request.headerFields[.contentType] == "application/json")
        #expect(Set(sent.fields.keys) == ["code", "device_id", "device_name"])
        #expect(sent.fields["code"] == "012345" && sent.fields["device_name"]?.isEmpty == false)
        #expect(sent.fields["device_id"].flatMap { UUID(uuidString: $0) } != nil)
        await fixture.app.shutdown()
    }

    @Test(
        "ARGUS-021 ARGUS-022 ARGUS-023 a right code gives tokens, of which the store has the access token, the refresh token and their end, and the list of events is shown"
    )
    func right() async throws {
        let fixture = try await ArgusFixture(ArgusProject(tokenLifetime: 3600))
        await fixture.app.launch()
        await fixture.enter(fixture.hub.makeCode())
        let now = Date()
        await fixture.settle()
        #expect(fixture.app.auth.isAuthenticated.value && fixture.screens.root.state.root == .events)
        struct Kept: Decodable { let token, refresh: String; let expiry: Double }
        let kept = try #require(try fixture.secrets.secret(named: KeychainService.sessionName))
        let session = try JSONDecoder().decode(Kept.self, from: Data(kept.reveal().utf8))
        #expect(abs(session.expiry - now.timeIntervalSince1970 - 3600) < 1)
        #expect(session.token.split(separator: ".").count == 3 && session.refresh.count == 128)
        #expect(fixture.screens.pairing.state.code.isEmpty)
        // They are those that the hub has given.
        _ = try await fixture.app.api.fetchCameras()
        try await fixture.app.auth.refreshAccessToken()
        await fixture.app.shutdown()
    }

    @Test(
        "ARGUS-024 ARGUS-025 a code that the hub refuses is “Invalid Code”, keeps nothing, and another one can be tried"
    )
    func wrong() async throws {
        for refusal in [400, 401] {
            let fixture = try await ArgusFixture()
            let hub = ScriptedHub { _ in refusal }
            let app = fixture.app(over: hub)
            let screen = PairingViewModel(app.auth)
            screen.appear()
            await app.launch()
            await screen.send(.setCode("123456"))
            await screen.send(.submit)
            #expect(screen.state.progress.errorMessage == "Invalid Code")
            #expect(screen.state.progress.showErrorAlert && !app.auth.isAuthenticated.value)
            #expect(try fixture.secrets.secret(named: KeychainService.sessionName) == nil)
            await app.shutdown()
        }
        let fixture = try await ArgusFixture()
        await fixture.app.launch()
        let code = fixture.hub.makeCode()
        await fixture.enter(code == "000000" ? "000001" : "000000")
        await fixture.settle()
        #expect(fixture.screens.pairing.state.progress.errorMessage == "Invalid Code")
        #expect(fixture.screens.root.state.root == .pairing)
        await fixture.enter(code)
        await fixture.settle()
        #expect(fixture.screens.root.state.root == .events)
        #expect(fixture.screens.pairing.state.progress.errorMessage.isEmpty)
        await fixture.app.shutdown()
    }

    @Test(
        "ARGUS-026 a network that is away and a hub that fails are explained otherwise",
        arguments: [0, 500, 503, 429]
    )
    func otherFailures(_ status: Int) async throws {
        let fixture = try await ArgusFixture()
        let app = fixture.app(over: ScriptedHub { _ in status == 0 ? nil : status })
        let screen = PairingViewModel(app.auth)
        screen.appear()
        await app.launch()
        await screen.send(.setCode("123456"))
        await screen.send(.submit)
        let message = screen.state.progress.errorMessage
        #expect(!message.isEmpty && message != "Invalid Code" && screen.state.progress.showErrorAlert)
        #expect(try fixture.secrets.secret(named: KeychainService.sessionName) == nil)
        await app.shutdown()
    }

    @Test("ARGUS-027 while a code is being verified the screen is loading, and a second submit sends nothing")
    func once() async throws {
        let fixture = try await ArgusFixture()
        await fixture.app.launch()
        let screen = fixture.screens.pairing
        await screen.send(.setCode(fixture.hub.makeCode()))
        async let first: Void = screen.send(.submit)
        while !screen.state.progress.isLoading { try await Task.sleep(for: .milliseconds(1)) }
        #expect(!screen.state.canSubmit)
        await screen.send(.submit)
        await first
        #expect(!screen.state.progress.isLoading)
        #expect(fixture.count("/auth/verify") == 1 && fixture.app.auth.isAuthenticated.value)
        await fixture.app.shutdown()
    }

    @Test(
        "ARGUS-028 an answer without one of its members is an error, and keeps nothing",
        arguments: ["access_token", "refresh_token", "expires_in", "token_type", "mac"]
    )
    func incomplete(_ member: String) async throws {
        let fixture = try await ArgusFixture()
        let answer: [String: JSONValue] = [
            "access_token": "a", "refresh_token": "r", "expires_in": 3600, "token_type": "Bearer",
        ]
        var body = answer.filter { $0.key != member }
        if member == "mac" { body["token_type"] = "mac" }
        let app = fixture.app(over: ScriptedHub(body: .object(body)) { _ in 200 })
        let screen = PairingViewModel(app.auth)
        screen.appear()
        await app.launch()
        await screen.send(.setCode("123456"))
        await screen.send(.submit)
        #expect(screen.state.progress.errorMessage == APIError.decoding.localizedDescription)
        #expect(screen.state.progress.showErrorAlert && !app.auth.isAuthenticated.value)
        #expect(try fixture.secrets.secret(named: KeychainService.sessionName) == nil)
        await app.shutdown()
    }

    @Test("a neighbour's hub that was found first refuses the code, and the next one that is found takes it")
    func neighbour() async throws {
        let fixture = try await ArgusFixture()
        await fixture.app.launch()
        let address = SocketAddress(host: "neighbour", port: 8080)
        let neighbour = fixture.network.host("neighbour")
        _ = try await neighbour.listen(ArgusHub(ArgusProject(hubID: "other")), at: address)
        let theirs = neighbour.addresses[0].description
        await fixture.find(fixture.found("A", id: "other", at: [theirs]))
        await fixture.find(fixture.found("A", id: "other", at: [theirs]), fixture.found())
        await fixture.enter(fixture.hub.makeCode())
        #expect(fixture.app.auth.isAuthenticated.value)
        let own = "\(fixture.network.host("hub").addresses[0]):8080"
        #expect(fixture.authorities == ["\(theirs):8080", own])
        #expect(fixture.app.discovery.baseURL?.authority == own)
        await fixture.app.shutdown()
    }

    @Test(
        "what a neighbour's hub says does not keep a code from the hub of this home, wherever that is reached",
        arguments: [400, 401, 403, 404, 422, 429, 500, 503, 0, 200],
        [true, false]
    )
    func otherRefusals(_ status: Int, isLocal: Bool) async throws {
        let fixture = try await ArgusFixture()
        await fixture.app.launch()
        let host = fixture.network.host("neighbour")
        let answer: PeerAnswer =
            status == 0
            ? PeerAnswer(status: 200, headers: [.contentType: "text/html"], body: .text("<html></html>"))
            : .json(["detail": "no"], status: status)
        _ = try await host.listen(
            AlikeServer(answer: answer),
            at: SocketAddress(host: "neighbour", port: 8080)
        )
        let theirs = fixture.found("A", id: "other", at: [host.addresses[0].description])
        await fixture.find(theirs)
        if isLocal { await fixture.find(theirs, fixture.found()) }
        await fixture.enter(fixture.hub.makeCode())
        #expect(fixture.app.auth.isAuthenticated.value)
        #expect(fixture.authorities.prefix(1) == ["\(host.addresses[0]):8080"])
        #expect(fixture.authorities.contains(ArgusFixture.relay) == !isLocal)
        await fixture.app.shutdown()
    }

    @Test(
        "a wrong code is “Invalid Code” also where the relay is away, or its tunnel is down",
        arguments: [0, 502, 530]
    )
    func wrongAtHome(_ status: Int) async throws {
        let fixture = try await ArgusFixture()
        let relay = ArgusFixture.relay
        let app = fixture.app(
            over: ScriptedHub { request in
                request.authority == relay ? (status == 0 ? nil : status) : 401
            }
        )
        let screen = PairingViewModel(app.auth)
        screen.appear()
        await app.launch()
        await fixture.find(fixture.found())
        await screen.send(.setCode("123456"))
        await screen.send(.submit)
        #expect(
            screen.state.progress.errorMessage
                == (status == 0 ? APIError.network.localizedDescription : "Invalid Code")
        )
        await app.shutdown()
    }

    @Test(
        "a code that was taken, and whose answer is lost, is not “Invalid Code” when the next way refuses it",
        arguments: ["argus.answerLost", "argus.answerCut"]
    )
    func lostAnswer(_ point: String) async throws {
        let fixture = try await ArgusFixture()
        await fixture.app.launch()
        await fixture.find(fixture.found())
        try fixture.hub.faults.arm(point, atMost: 1)
        await fixture.enter(fixture.hub.makeCode())
        let message = fixture.screens.pairing.state.progress.errorMessage
        #expect(fixture.count("/auth/verify") == 2 && !fixture.app.auth.isAuthenticated.value)
        #expect(!message.isEmpty && message != "Invalid Code")
        await fixture.enter(fixture.hub.makeCode())
        #expect(fixture.app.auth.isAuthenticated.value)
        await fixture.app.shutdown()
    }

    @Test(
        "the answer to a pairing that the person has left for another one, or for a sign-out, signs in nobody",
        arguments: [true, false]
    )
    func latePairing(_ hasAnother: Bool) async throws {
        let fixture = try await ArgusFixture()
        await fixture.app.launch()
        await fixture.find(fixture.found())
        let (auth, code) = (fixture.app.auth, fixture.hub.makeCode())
        let pairing = Task { @MainActor in try await auth.verifyPairingCode(code) }
        // The question is on its way.
        for _ in 0..<10_000 where fixture.http.sent(to: "/auth/verify").isEmpty {
            await fixture.settle(.microseconds(10))
        }
        try await auth.signOut()
        if hasAnother { try await auth.verifyPairingCode(fixture.hub.makeCode()) }
        let token = try await auth.tokens.kept()
        await #expect(throws: CancellationError.self) { try await pairing.value }
        #expect(auth.isAuthenticated.value == hasAnother)
        #expect(try await auth.tokens.kept() == token)
        await fixture.app.shutdown()
    }
}
