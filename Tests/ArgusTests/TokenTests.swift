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
import Simulation
import SimulationTesting
import Testing
import Transport

@Suite("Tokens of Argus", .simulated(seeds: 1...10))
@MainActor
struct TokenTests {
    /// A session as the store keeps it, whose access token has so many seconds left.
    private func kept(_ left: Double, of fixture: ArgusFixture) throws {
        let name = KeychainService.sessionName
        let secret = try #require(try fixture.secrets.secret(named: name)).reveal()
        var session = try #require(
            try JSONSerialization.jsonObject(with: Data(secret.utf8)) as? [String: Any]
        )
        let end = Date().timeIntervalSince1970 + left
        session["expiry"] = end
        session["renewal"] = end - 300
        let data = try JSONSerialization.data(withJSONObject: session)
        try fixture.secrets.set(Secret(String(decoding: data, as: UTF8.self)), named: name)
    }

    @Test(
        "ARGUS-029 each call looks at the end of the token first: with 300 seconds left it goes out, with less a refresh comes first",
        arguments: [(3600.0, false), (300.001, false), (299.0, true), (1.0, true), (-5.0, true)]
    )
    func leeway(_ left: Double, _ isRefreshed: Bool) async throws {
        for call in 0..<5 {
            let fixture = try await ArgusFixture()
            try await fixture.pair()
            await fixture.app.shutdown()
            try kept(left, of: fixture)
            let app = fixture.app(over: fixture.http)
            let sent = fixture.http.sent.count
            switch call {
            case 0: _ = try await app.api.fetchEvents(page: 1)
            case 1: _ = try? await app.api.fetchEventDetail(id: "evt_1")
            case 2: _ = try await app.api.fetchCameras()
            case 3:
                let event = Event(
                    id: "e",
                    cameraID: "c",
                    timestamp: Date(),
                    detectionType: .other,
                    description: ""
                )
                _ = try? await app.api.fetchThumbnail(of: event)
            default: try await app.api.registerPushToken("00")
            }
            let paths = fixture.http.sent.dropFirst(sent).map { $0.request.path ?? "" }
            #expect(paths.count == (isRefreshed ? 2 : 1))
            #expect((paths.first == "/api/v1/mobile/auth/refresh") == isRefreshed)
        }
    }

    @Test("a token of an hour is renewed from five minutes before its end on")
    func lifetime() async throws {
        let fixture = try await ArgusFixture(ArgusProject(tokenLifetime: 3600))
        try await fixture.pair()
        let token = try #require(try await fixture.app.auth.tokens.kept())
        #expect(token.renewal == token.expiry - 300)
        try await Task.sleep(for: .seconds(token.expiry.timeIntervalSinceNow - 300 - 1))
        _ = try await fixture.app.api.fetchCameras()
        #expect(fixture.count("/auth/refresh") == 0)
        try await Task.sleep(for: .seconds(2))
        _ = try await fixture.app.api.fetchCameras()
        #expect(fixture.count("/auth/refresh") == 1)
        await fixture.app.shutdown()
    }

    @Test(
        "a token that lasts less than ten minutes is renewed from the half of its time on, and not before every call"
    )
    func short() async throws {
        let fixture = try await ArgusFixture(ArgusProject(tokenLifetime: 60))
        try await fixture.pair()
        for _ in 0..<5 { _ = try await fixture.app.api.fetchCameras() }
        #expect(fixture.count("/auth/refresh") == 0)
        try await Task.sleep(for: .seconds(31))
        for _ in 0..<5 { _ = try await fixture.app.api.fetchCameras() }
        #expect(fixture.count("/auth/refresh") == 1)
        await fixture.app.shutdown()
    }

    @Test(
        "ARGUS-030 ARGUS-031 ARGUS-035 a refresh is POST /api/v1/mobile/auth/refresh with the present refresh token; its tokens and their end are stored, and the call that waits carries the new one"
    )
    func refresh() async throws {
        let fixture = try await ArgusFixture(ArgusProject(tokenLifetime: 900))
        try await fixture.pair()
        let old = try #require(try await fixture.app.auth.tokens.kept())
        _ = try await fixture.app.api.fetchCameras()
        try await Task.sleep(for: .seconds(700))
        _ = try await fixture.app.api.fetchEvents(page: 1)
        let refresh = try #require(fixture.http.sent(to: "/auth/refresh").first)
        #expect(refresh.request.method == .post && refresh.request.path == "/api/v1/mobile/auth/refresh")
        #expect(refresh.fields == ["refresh_token": old.refresh?.reveal() ?? ""])
        #expect(refresh.request.headerFields[.authorization] == nil)
        let new = try #require(try await fixture.app.auth.tokens.kept())
        #expect(new.value != old.value && new.refresh != old.refresh)
        #expect(abs(new.expiry.timeIntervalSinceNow - 900) < 2)
        let secret = try #require(try fixture.secrets.secret(named: KeychainService.sessionName)).reveal()
        #expect(secret.contains(new.value.reveal()) && secret.contains(new.refresh?.reveal() ?? "-"))
        struct Kept: Decodable { let expiry: Double }
        let end = try JSONDecoder().decode(Kept.self, from: Data(secret.utf8)).expiry
        #expect(end == new.expiry.timeIntervalSince1970)
        func carried(_ path: String) -> String? {
            fixture.http.sent(to: path).last?.request.headerFields[.authorization]
        }
        #expect(carried("/cameras") == "Bearer \(old.value.reveal())")
        #expect(carried("/events") == "Bearer \(new.value.reveal())")
        #expect(fixture.count("/auth/refresh") == 1)
        await fixture.app.shutdown()
    }

    @Test("ARGUS-032 an answer without a refresh token leaves the last one in use")
    func keepsRefreshToken() async throws {
        let fixture = try await ArgusFixture()
        try await fixture.pair()
        let before = try #require(try await fixture.app.auth.tokens.kept())
        await fixture.app.shutdown()
        let hub = ScriptedHub(body: ["access_token": "next", "expires_in": 3600, "token_type": "bearer"]) {
            _ in
            200
        }
        let app = fixture.app(over: hub)
        try await app.auth.refreshAccessToken()
        let after = try #require(try await app.auth.tokens.kept())
        #expect(after.value.reveal() == "next" && after.refresh == before.refresh)
        let secret = try #require(try fixture.secrets.secret(named: KeychainService.sessionName)).reveal()
        #expect(secret.contains(before.refresh?.reveal() ?? "-"))
    }

    @Test(
        "ARGUS-033 a refresh that is refused with 401 ends the session: the store is empty, the pairing is shown, and the call that waits is unauthorised",
        arguments: ArgusProject.Dialect.allCases
    )
    func refused(_ dialect: ArgusProject.Dialect) async throws {
        let fixture = try await ArgusFixture(ArgusProject(dialect: dialect, tokenLifetime: 900))
        try await fixture.pair()
        fixture.hub.revokeFamily(of: try fixture.app.keychain.deviceID().text)
        try await Task.sleep(for: .seconds(700))
        await #expect(throws: APIError.unauthorized) { try await fixture.app.api.fetchEvents(page: 1) }
        await fixture.settle()
        #expect(!fixture.app.auth.isAuthenticated.value && fixture.screens.root.state.root == .pairing)
        #expect(try fixture.secrets.secret(named: KeychainService.sessionName) == nil)
        #expect(fixture.count("/events") == 0)
        await fixture.app.shutdown()
    }

    @Test(
        "ARGUS-034 a refresh that fails by the network or a status of 5xx leaves the tokens and the session, and the call fails",
        arguments: [0, 500, 503]
    )
    func unreachable(_ status: Int) async throws {
        let fixture = try await ArgusFixture()
        try await fixture.pair()
        await fixture.app.shutdown()
        try kept(100, of: fixture)
        let before = try fixture.secrets.secret(named: KeychainService.sessionName)
        let app = fixture.app(over: ScriptedHub { _ in status == 0 ? nil : status })
        await app.auth.checkAuthentication()
        let expected = status == 0 ? APIError.network : APIError.server(status: status)
        await #expect(throws: expected) { try await app.api.fetchCameras() }
        #expect(app.auth.isAuthenticated.value)
        #expect(try fixture.secrets.secret(named: KeychainService.sessionName) == before)
    }

    @Test(
        "ARGUS-036 a call that is refused with 401 is sent a second time with a new token, and not a third time",
        arguments: ArgusProject.Dialect.allCases
    )
    func retry(_ dialect: ArgusProject.Dialect) async throws {
        let fixture = try await ArgusFixture(ArgusProject(dialect: dialect))
        try await fixture.pair()
        fixture.hub.revokeAccessTokens()
        #expect(try await fixture.app.api.fetchCameras().count == 3)
        #expect(fixture.count("/auth/refresh") == 1 && fixture.count("/cameras") == 2)
        // The new token is refused as well.
        try fixture.hub.faults.arm("argus.revoked")
        await #expect(throws: APIError.unauthorized) { try await fixture.app.api.fetchCameras() }
        #expect(fixture.count("/auth/refresh") == 2 && fixture.count("/cameras") == 4)
        await fixture.app.shutdown()
    }

    @Test(
        "ARGUS-037 a call that is refused twice is unauthorised, and the session goes on while refreshes are taken"
    )
    func twice() async throws {
        let fixture = try await ArgusFixture()
        try await fixture.pair()
        try fixture.hub.faults.arm("argus.revoked")
        await #expect(throws: APIError.unauthorized) { try await fixture.app.api.fetchCameras() }
        #expect(fixture.app.auth.isAuthenticated.value)
        #expect(try fixture.secrets.secret(named: KeychainService.sessionName) != nil)
        fixture.hub.revokeFamily(of: try fixture.app.keychain.deviceID().text)
        await #expect(throws: APIError.unauthorized) { try await fixture.app.api.fetchCameras() }
        #expect(!fixture.app.auth.isAuthenticated.value)
        await fixture.app.shutdown()
    }

    @Test(
        "ARGUS-038 404 and 500 are returned at once, without a refresh or a second try",
        arguments: [404, 500]
    )
    func noRetry(_ status: Int) async throws {
        let fixture = try await ArgusFixture()
        try await fixture.pair()
        await fixture.app.shutdown()
        let hub = ScriptedHub { _ in status }
        let app = fixture.app(over: hub)
        let start = ContinuousClock.now
        let expected = status == 404 ? APIError.notFound : APIError.server(status: 500)
        await #expect(throws: expected) { try await app.api.fetchEvents(page: 1) }
        #expect(hub.requests == 1 && ContinuousClock.now - start < .milliseconds(25))
    }

    @Test(
        "ARGUS-039 calls side by side with a token that ends ask for one refresh, and all succeed",
        arguments: ArgusProject.Dialect.allCases
    )
    func storm(_ dialect: ArgusProject.Dialect) async throws {
        let fixture = try await ArgusFixture(
            ArgusProject(dialect: dialect, tokenLifetime: 900, reuseRevokesFamily: true)
        )
        try await fixture.pair()
        for round in 1...3 {
            try await Task.sleep(for: .seconds(700))
            if round == 3 { fixture.hub.revokeAccessTokens() }
            let api = fixture.app.api
            try await withThrowingTaskGroup { group in
                for number in 0..<6 {
                    group.addTask {
                        if number % 2 == 0 {
                            _ = try await api.fetchEvents(page: 1)
                        } else {
                            _ = try await api.fetchCameras()
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(fixture.count("/auth/refresh") == round)
        }
        #expect(fixture.app.auth.isAuthenticated.value)
        await fixture.app.shutdown()
    }

    @Test(
        "a refresh whose answer is lost is asked for again at once, and a hub with a grace period goes on with the session",
        arguments: [0.0, 12.0]
    )
    func lostAnswer(_ silence: Double) async throws {
        let project = ArgusProject(tokenLifetime: 900, grace: .returnsSuccessor, reuseRevokesFamily: true)
        let fixture = try await ArgusFixture(project)
        try await fixture.pair()
        try await Task.sleep(for: .seconds(700))
        let point = silence > 0 ? "argus.refresh.lost" : "argus.answerCut"
        try fixture.hub.faults.arm(point, values: silence > 0 ? ["silence": silence] : [:], atMost: 1)
        _ = try await fixture.app.api.fetchCameras()
        #expect(fixture.hub.log.contains { if case .graceGiven = $0 { true } else { false } })
        try await Task.sleep(for: .seconds(700))
        _ = try await fixture.app.api.fetchCameras()
        #expect(fixture.app.auth.isAuthenticated.value)
        await fixture.app.shutdown()
    }

    @Test("what is no 401 of a refresh leaves the session", arguments: [400, 403, 404, 422])
    func otherRefusals(_ status: Int) async throws {
        let fixture = try await ArgusFixture()
        try await fixture.pair()
        await fixture.app.shutdown()
        let app = fixture.app(over: ScriptedHub { _ in status })
        await #expect(throws: (any Error).self) { try await app.auth.refreshAccessToken() }
        #expect(app.auth.isAuthenticated.value)
    }

    @Test("a refresh that is under way goes to no other hub, also where another one is paired meanwhile")
    func changedHub() async throws {
        let fixture = try await ArgusFixture(ArgusProject(tokenLifetime: 900))
        await fixture.find(fixture.found())
        try await fixture.pair()
        let other = ArgusHub(ArgusProject(hubID: "other"))
        let host = fixture.network.host("other")
        _ = try await host.listen(other, at: SocketAddress(host: "other", port: 8080))
        try await Task.sleep(for: .seconds(700))
        // The hub is silent, and the relay is away.
        fixture.network.partition(["phone"], ["hub", "relay"])
        let api = fixture.app.api
        let call = Task { try? await api.fetchCameras() }
        try await Task.sleep(for: .milliseconds(100))
        await fixture.screens.root.send(.signOut)
        await fixture.find(fixture.found("Other", id: "other", at: [host.addresses[0].description]))
        await fixture.enter(other.makeCode())
        #expect(fixture.app.auth.isAuthenticated.value)
        _ = await call.value
        try await Task.sleep(for: .seconds(120))
        let sent = other.log.compactMap { entry -> String? in
            if case .requested(_, let path, let token, _) = entry { "\(path) \(token ?? "")" } else { nil }
        }
        #expect(sent == ["/api/v1/mobile/auth/verify "])
        await fixture.app.shutdown()
    }

    @Test("ARGUS-040 a sign-out forgets the tokens and shows the pairing, and the ID of the device stays")
    func signOut() async throws {
        let fixture = try await ArgusFixture()
        try await fixture.pair()
        let device = try fixture.app.keychain.deviceID()
        await fixture.screens.root.send(.signOut)
        await fixture.settle()
        #expect(fixture.screens.root.state.root == .pairing)
        #expect(try fixture.secrets.secret(named: KeychainService.sessionName) == nil)
        #expect(try fixture.app.keychain.deviceID() == device)
        await #expect(throws: APIError.unauthorized) { try await fixture.app.api.fetchCameras() }
        await fixture.app.shutdown()
    }

    @Test(
        "ARGUS-041 what was asked for before a sign-out brings nothing back: neither tokens nor events",
        arguments: 0..<3,
        ArgusProject.Dialect.allCases
    )
    func lateAnswer(_ what: Int, _ dialect: ArgusProject.Dialect) async throws {
        let fixture = try await ArgusFixture(
            ArgusProject(dialect: dialect, events: [HubEvent.sample(1)], tokenLifetime: 900)
        )
        try await fixture.pair()
        // A refresh, a list, or a detail is under way.
        if what == 0 { try await Task.sleep(for: .seconds(700)) }
        let detail = fixture.screens.detail(of: "evt_1")
        detail.appear()
        let events = fixture.screens.events
        let work = Task { if what == 2 { await detail.loadEvent() } else { await events.loadEvents() } }
        try await Task.sleep(for: .milliseconds(7))
        await fixture.screens.root.send(.signOut)
        await work.value
        try await Task.sleep(for: .seconds(60))
        #expect(try fixture.secrets.secret(named: KeychainService.sessionName) == nil)
        #expect(!fixture.app.auth.isAuthenticated.value)
        #expect(events.state.rows.isEmpty && !events.state.isLoading && events.state.errorMessage == nil)
        #expect(detail.state.event == nil && !detail.state.isLoading && detail.state.errorMessage == nil)
        try await fixture.pairAgain()
        #expect(events.state.rows.isEmpty && detail.state.event == nil)
        await fixture.app.shutdown()
    }
}

/// Where no thread is late, so that time stands still while nobody waits.
@Suite("The moment from which Argus renews its token", .simulated(seeds: 1...5, stalls: .none))
struct RenewalMomentTests {
    @Test("ARGUS-029 with exactly 300 seconds left no refresh is needed, and with a moment less one is")
    func boundary() async throws {
        for (left, isRenewed) in [(300.0, false), (299.999_99, true)] {
            let now = Date()
            let end = now + left
            let token = BearerToken(Secret("old"), expiry: end, refresh: Secret("r"), renewal: end - 300)
            let tokens = BearerTokens(in: InMemorySecretStore(), named: "t") { _ in
                BearerToken(Secret("new"), expiry: .distantFuture)
            }
            await tokens.signIn(token)
            #expect((try await tokens.valid().value.reveal() == "new") == isRenewed)
            #expect(Date() == now)
        }
    }
}

extension HubEvent {
    /// An event of a number, later ones newer.
    static func sample(_ number: Int, _ type: String = "person", camera: String = "cam_front") -> HubEvent {
        HubEvent(
            id: "evt_\(number)",
            cameraID: camera,
            timestamp: Date(timeIntervalSince1970: 1_767_614_400 + Double(number) + 0.25),
            detectionType: type,
            description: "Event \(number)"
        )
    }
}
