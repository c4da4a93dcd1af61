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

@Suite("Argus with a hub that speaks as the public one", .simulated(seeds: 1...5))
@MainActor
struct DialectTests {
    private static let token: [UInt8] = (0..<32).map { UInt8($0) }

    private func fixture(
        _ events: [HubEvent] = [],
        token: [UInt8]? = nil,
        _ change: (inout ArgusProject) -> Void = { _ in }
    ) async throws -> ArgusFixture {
        var project = ArgusProject(dialect: .hub, events: events)
        change(&project)
        let fixture = try await ArgusFixture(project, token: token)
        try await fixture.pair()
        return fixture
    }

    @Test(
        "a refresh sends the hub's own ID of the device, which is kept with the tokens, also after a new launch"
    )
    func refresh() async throws {
        let fixture = try await fixture()
        let secret = try #require(try fixture.secrets.secret(named: KeychainService.sessionName)).reveal()
        let row = try #require(try await fixture.app.auth.tokens.kept()?.holder)
        #expect(secret.contains(row) && UUID(uuidString: row) != nil)
        #expect(try row != fixture.app.keychain.deviceID().text)
        for _ in 0..<3 {
            try await fixture.app.auth.refreshAccessToken()
            await fixture.relaunch()
        }
        let sent = fixture.http.sent(to: "/auth/refresh")
        #expect(sent.count == 3 && sent.allSatisfy { $0.request.path == "/api/v1/mobile/auth/refresh" })
        #expect(sent.allSatisfy { $0.fields["device_id"] == row && $0.fields.count == 2 })
        #expect(Set(sent.compactMap { $0.fields["refresh_token"] }).count == 3)
        #expect(sent.allSatisfy { $0.request.headerFields[.authorization] == nil })
        #expect(fixture.app.auth.isAuthenticated.value)
        await fixture.app.shutdown()
    }

    @Test("pages are asked for by their offset, and events that come meanwhile give no row twice")
    func pages() async throws {
        let fixture = try await fixture((1...42).map { HubEvent.sample($0) })
        let events = fixture.screens.events
        await events.send(.load)
        fixture.hub.add(.sample(100))
        for _ in 0..<4 { await events.send(.loadMore) }
        let asked = fixture.paths.filter { $0.contains("/events?") }
        #expect(asked == [0, 20, 40, 60].map { "/api/v1/events?limit=20&offset=\($0)" })
        #expect(events.state.rows.map(\.id) == (1...42).reversed().map { "evt_\($0)" })
        #expect(!events.state.hasMore)
        await fixture.app.shutdown()
    }

    @Test(
        "the kind of an event is the camera's word, else the bell, else what the hub has seen",
        arguments: [
            (["smart_detection_type": "vehicle", "is_doorbell_ring": true], EventIcon.vehicle),
            (["smart_detection_type": nil, "is_doorbell_ring": true], .ring),
            (["smart_detection_type": nil, "objects_detected": ["unknown", "animal"]], .animal),
            (["smart_detection_type": nil, "objects_detected": ["unknown"]], .generic),
            (["smart_detection_type": 7, "objects_detected": "person"], .generic),
            (["smart_detection_type": "ufo", "objects_detected": ["person"]], .generic),
        ] as [([String: JSONValue], EventIcon)]
    )
    func kinds(_ fields: [String: JSONValue], _ icon: EventIcon) async throws {
        let event = HubEvent(id: "e", timestamp: Date(timeIntervalSince1970: 1), extras: fields)
        let fixture = try await fixture([event])
        #expect(try await fixture.app.api.fetchEventDetail(id: "e").detectionType.icon == icon)
        #expect(try await fixture.app.api.fetchEvents(page: 1).events.map(\.detectionType.icon) == [icon])
        await fixture.app.shutdown()
    }

    @Test(
        "a picture is asked for where the event says: a path from the root, below the API or below the pictures",
        arguments: [
            ("/api/v1/thumbnails/2026-01-05/event_e.jpg", "/api/v1/thumbnails/2026-01-05/event_e.jpg"),
            ("2026-01-05/event_e.jpg", "/api/v1/thumbnails/2026-01-05/event_e.jpg"),
            ("thumbnails/2026-01-05/event_e.jpg", "/api/v1/thumbnails/2026-01-05/event_e.jpg"),
            ("api/v1/thumbnails/2026-01-05/event_e.jpg", "/api/v1/thumbnails/2026-01-05/event_e.jpg"),
            ("http://relay:80/a/b.jpg?q=1#f", "/a/b.jpg?q=1"),
            ("2026 01/é.jpg", "/api/v1/thumbnails/2026%2001/%C3%A9.jpg"),
            ("../../../etc/passwd", nil), ("/api/%2e%2e/x", nil), ("//other/x", nil), ("ftp://other/x", nil),
            ("", nil), (String(repeating: "a", count: 3_000), nil),
        ] as [(String, String?)]
    )
    func pictures(_ place: String, _ path: String?) async throws {
        var event = HubEvent.sample(1)
        (event.id, event.thumbnail) = ("e", .at(place))
        let fixture = try await fixture([event])
        let found = try await fixture.app.api.fetchEventDetail(id: "e")
        let before = fixture.http.sent.count
        let picture = try? await fixture.app.api.fetchThumbnail(of: found)
        let sent = fixture.http.sent.dropFirst(before)
        #expect(sent.map(\.request.path) == (path.map { [$0] } ?? []))
        if path?.contains("event_e") == true { #expect(picture?.prefix(2) == [0xFF, 0xD8]) }
        if path == nil {
            await #expect(throws: APIError.notFound) { try await fixture.app.api.fetchThumbnail(of: found) }
        }
        await fixture.app.shutdown()
    }

    @Test("a picture at another origin is fetched there, without a token")
    func foreignPicture() async throws {
        var event = HubEvent.sample(1)
        event.thumbnail = .at("http://pictures:8080/p/1.jpg")
        let fixture = try await fixture([event])
        let picture = PeerAnswer(status: 200, headers: [.contentType: "image/jpeg"], body: .bytes([1, 2, 3]))
        _ = try await fixture.network.host("pictures").listen(
            AlikeServer(answer: picture),
            at: SocketAddress(host: "pictures", port: 8080)
        )
        let found = try await fixture.app.api.fetchEventDetail(id: "evt_1")
        #expect(try await fixture.app.api.fetchThumbnail(of: found) == [1, 2, 3])
        let sent = try #require(fixture.http.sent.last?.request)
        #expect(sent.authority == "pictures:8080" && sent.path == "/p/1.jpg")
        #expect(sent.headerFields[.authorization] == nil)
        await fixture.app.shutdown()
    }

    @Test(
        "the registration for notifications is POST /api/v1/devices with the device, its name and the token"
    )
    func registration() async throws {
        let fixture = try await fixture(token: Self.token)
        await fixture.settle(.seconds(3))
        let sent = try #require(fixture.http.sent(to: "/devices").first)
        let device = try fixture.app.keychain.deviceID().text
        let hex = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
        #expect(sent.request.method == .post && sent.request.path == "/api/v1/devices")
        #expect(sent.fields["device_id"] == device && sent.fields["push_token"] == hex)
        #expect(sent.fields["platform"] == "ios" && sent.fields["name"]?.isEmpty == false)
        #expect(sent.request.headerFields[.authorization]?.hasPrefix("Bearer ") == true)
        #expect(fixture.hub.pushTokens.map(\.token) == [hex] && fixture.hub.pushTokens[0].device == device)
        #expect(fixture.app.push.registration.value == .registered)
        await fixture.app.shutdown()
    }
}

@Suite("The end of a session at the hub", .simulated(seeds: 1...5))
@MainActor
struct SessionEndTests {
    private func fixture(_ dialect: ArgusProject.Dialect) async throws -> ArgusFixture {
        let fixture = try await ArgusFixture(
            ArgusProject(dialect: dialect),
            token: (0..<32).map { UInt8($0) }
        )
        try await fixture.pair()
        await fixture.settle(.seconds(3))
        try #require(fixture.hub.pushTokens.count == 1)
        return fixture
    }

    @Test(
        "a sign-out has the hub revoke the session and forget the registration",
        arguments: ArgusProject.Dialect.allCases
    )
    func signOut(_ dialect: ArgusProject.Dialect) async throws {
        let fixture = try await fixture(dialect)
        let token = try #require(try await fixture.app.auth.tokens.kept())
        let before = fixture.http.sent.count
        await fixture.screens.root.send(.signOut)
        #expect(!fixture.app.auth.isAuthenticated.value)
        await fixture.settle(.seconds(1))
        #expect(fixture.hub.pushTokens.isEmpty)
        let sent = fixture.http.sent.dropFirst(before)
        let device = try fixture.app.keychain.deviceID().text
        #expect(
            Set(sent.map { "\($0.request.method) \($0.request.path ?? "")" })
                == (dialect == .seed
                    ? ["DELETE /api/v1/mobile/push/unregister", "POST /api/v1/mobile/auth/revoke"]
                    : ["POST /api/v1/mobile/auth/revoke", "DELETE /api/v1/devices/\(device)"])
        )
        #expect(
            sent.allSatisfy { $0.request.headerFields[.authorization] == "Bearer \(token.value.reveal())" }
        )
        #expect(
            fixture.hub.log.contains { entry in
                if case .revoked(_, let count) = entry { count == 1 } else { false }
            }
        )
        await fixture.app.shutdown()
    }

    @Test(
        "a sign-out ends at once where the hub is away, and what it would be asked is given up within seconds",
        arguments: ArgusProject.Dialect.allCases
    )
    func unreachable(_ dialect: ArgusProject.Dialect) async throws {
        let fixture = try await fixture(dialect)
        fixture.network.isolate("phone")
        let start = ContinuousClock.now
        await fixture.screens.root.send(.signOut)
        #expect(ContinuousClock.now - start < .milliseconds(100))
        #expect(!fixture.app.auth.isAuthenticated.value)
        await fixture.settle(.seconds(6))
        let sent = fixture.http.sent.count
        fixture.network.heal()
        await fixture.settle(.seconds(60))
        #expect(fixture.http.sent.count == sent)
        await fixture.app.shutdown()
    }

    @Test(
        "a pairing right after a sign-out waits until the last session has ended at the hub, which would end the next one, too",
        arguments: ArgusProject.Dialect.allCases
    )
    func again(_ dialect: ArgusProject.Dialect) async throws {
        let fixture = try await fixture(dialect)
        for _ in 0..<3 {
            await fixture.screens.root.send(.signOut)
            try await fixture.pairAgain()
        }
        await fixture.settle(.seconds(10))
        #expect(fixture.hub.pushTokens.count == 1)
        try await fixture.app.auth.refreshAccessToken()
        _ = try await fixture.app.api.fetchCameras()
        await fixture.app.shutdown()
    }

    @Test(
        "what a slow network still has of the last session ends no session that begins meanwhile",
        arguments: ArgusProject.Dialect.allCases
    )
    func slowEnding(_ dialect: ArgusProject.Dialect) async throws {
        let fixture = try await fixture(dialect)
        let link = fixture.network.link(from: "phone", to: "relay")
        let usual = link.conditions
        link.conditions.latency = .constant(.seconds(3))
        await fixture.screens.root.send(.signOut)
        await fixture.settle(.milliseconds(10))
        link.conditions = usual
        if dialect == .seed {
            await fixture.enter(fixture.hub.makeCode())
        } else {
            #expect(fixture.hub.confirm(try await fixture.requestCode()))
            await fixture.settle(.seconds(10))
        }
        try #require(fixture.app.auth.isAuthenticated.value)
        await fixture.settle(.seconds(10))
        #expect(fixture.hub.pushTokens.count == 1)
        try await fixture.app.auth.refreshAccessToken()
        _ = try await fixture.app.api.fetchCameras()
        await fixture.app.shutdown()
    }

    @Test(
        "a pairing in place of a session revokes that one alone",
        arguments: ArgusProject.Dialect.allCases
    )
    func inPlace(_ dialect: ArgusProject.Dialect) async throws {
        let fixture = try await fixture(dialect)
        let before = try #require(try await fixture.app.auth.tokens.kept())
        switch dialect {
        case .seed: try await fixture.app.auth.verifyPairingCode(fixture.hub.makeCode())
        case .hub:
            let code = try await fixture.app.auth.requestPairingCode()
            #expect(fixture.hub.confirm(code.code))
            try await fixture.app.auth.completePairing(code)
        }
        await fixture.settle(.seconds(10))
        let after = try #require(try await fixture.app.auth.tokens.kept())
        #expect(after.refresh != before.refresh && fixture.hub.pushTokens.count == 1)
        #expect(fixture.count("/auth/revoke") == 1 && fixture.count("/push/unregister") == 0)
        try await fixture.app.auth.refreshAccessToken()
        #expect(fixture.app.auth.isAuthenticated.value)
        await fixture.app.shutdown()
    }
}
