import Argus
import ArgusHub
import ArgusScenarios
import Concurrency
import Foundation
import HTTPTypes
import PeerKit
import ScreenKit
import ServiceClient
import Services
import SimulatedPush
import SimulationTesting
import Testing

@Suite("Notifications of Argus", .simulated(seeds: 1...10))
@MainActor
struct PushTests {
    /// 32 bytes with small and large digits.
    private static let token: [UInt8] = (0..<32).map { UInt8($0 * 8 + 3) }
    private static let hex = "030b131b232b333b434b535b636b737b838b939ba3abb3bbc3cbd3dbe3ebf3fb"

    private func registrations(_ fixture: ArgusFixture) -> [NotedHTTP.Sent] {
        fixture.http.sent(to: "/push/register")
    }

    @Test(
        "ARGUS-053 a permission that is granted leads to a registration, one that is denied to none, and no request",
        arguments: [true, false]
    )
    func permission(_ isGranted: Bool) async throws {
        let fixture = try await ArgusFixture(answer: isGranted ? .granted : .denied, token: Self.token)
        try await fixture.pair()
        await fixture.settle(.seconds(3))
        #expect(fixture.push.questions == 1)
        #expect(registrations(fixture).count == (isGranted ? 1 : 0))
        #expect(fixture.app.push.registration.value == (isGranted ? .registered : .denied))
        await fixture.app.shutdown()
    }

    @Test(
        "ARGUS-054 ARGUS-055 the registration is POST /api/v1/mobile/push/register with the token in 64 small hexadecimal digits and the platform ios, and carries the access token"
    )
    func request() async throws {
        let fixture = try await ArgusFixture(token: Self.token)
        try await fixture.pair()
        await fixture.settle(.seconds(3))
        let sent = try #require(registrations(fixture).first)
        #expect(sent.request.method == .post && sent.request.path == "/api/v1/mobile/push/register")
        #expect(sent.fields == ["push_token": Self.hex, "platform": "ios"])
        let access = try #require(try await fixture.app.auth.tokens.kept()).value.reveal()
        #expect(sent.request.headerFields[.authorization] == "Bearer \(access)")
        await fixture.app.shutdown()
    }

    @Test("ARGUS-056 the hub has one token of a device: what is registered again replaces it")
    func replaces() async throws {
        let fixture = try await ArgusFixture(token: Self.token)
        try await fixture.pair()
        await fixture.settle(.seconds(3))
        let device = try fixture.app.keychain.deviceID().text
        #expect(fixture.hub.pushTokens.map(\.token) == [Self.hex])
        #expect(fixture.hub.pushTokens.map(\.device) == [device])
        await fixture.relaunch()
        await fixture.settle(.seconds(3))
        #expect(registrations(fixture).count == 2 && fixture.hub.pushTokens.count == 1)
        fixture.push.setToken(Array(repeating: 0xAB, count: 32))
        await fixture.settle(.seconds(3))
        #expect(fixture.hub.pushTokens.map(\.token) == [String(repeating: "ab", count: 32)])
        await fixture.app.shutdown()
    }

    @Test("ARGUS-057 a token that comes before the pairing is registered after it")
    func beforePairing() async throws {
        let fixture = try await ArgusFixture(token: Self.token)
        await fixture.app.launch()
        try await Task.sleep(for: .seconds(5))
        #expect(registrations(fixture).isEmpty && fixture.app.push.registration.value == .waiting)
        await fixture.enter(fixture.hub.makeCode())
        await fixture.settle(.seconds(3))
        #expect(registrations(fixture).count == 1 && fixture.app.push.registration.value == .registered)
        // And after the next pairing again.
        await fixture.screens.root.send(.signOut)
        await fixture.settle()
        await fixture.enter(fixture.hub.makeCode())
        await fixture.settle(.seconds(3))
        #expect(registrations(fixture).count == 2)
        await fixture.app.shutdown()
    }

    @Test("a registration that fails leaves the app as it is, and the next launch tries again")
    func fails() async throws {
        let fixture = try await ArgusFixture(ArgusProject(events: [.sample(1)]), token: Self.token)
        try await fixture.pair()
        await fixture.settle(.seconds(3))
        let failing = FailingAPI(base: fixture.app.api)
        await fixture.app.shutdown()
        failing.fail("/push", with: .server(status: 500))
        let app = fixture.app(over: fixture.http, api: failing)
        await app.launch()
        await fixture.settle(.seconds(3))
        #expect(app.push.registration.value == .failed && app.auth.isAuthenticated.value)
        try await Task.sleep(for: .seconds(3600))
        #expect(app.push.registration.value == .failed)
        await app.shutdown()
        let sent = registrations(fixture).count
        await fixture.relaunch()
        await fixture.settle(.seconds(3))
        #expect(
            registrations(fixture).count == sent + 1 && fixture.app.push.registration.value == .registered
        )
        await fixture.app.shutdown()
    }

    @Test(
        "ARGUS-060 an event at the hub is one notification on a registered device, with title, text and event_id as they were sent"
    )
    func delivery() async throws {
        let pushes = PushesToPhone()
        let fixture = try await ArgusFixture(token: Self.token, pushes: pushes)
        pushes.reach(fixture.push, by: Self.hex)
        try await fixture.pair()
        await fixture.settle(.seconds(3))
        var event = HubEvent.sample(123, "motion")
        event.id = "evt_123"
        fixture.hub.add(event)
        await fixture.settle()
        let shown = try #require(fixture.push.shown.first)
        #expect(fixture.push.shown.count == 1)
        #expect(shown.title == "Motion Detected" && shown.body == "Front Door Camera")
        let payload = try JSONValue(json: shown.payload, depth: 8)
        #expect(payload.object?["event_id"] == "evt_123")
        #expect(payload.object?["aps"]?.object?["alert"]?.object?["title"] == "Motion Detected")
        #expect(payload.object?["aps"]?.object?["alert"]?.object?["body"] == "Front Door Camera")
        #expect(fixture.screens.root.state.notices.map(\.title) == ["Motion Detected"])
        await fixture.app.shutdown()
    }

    @Test(
        "ARGUS-065 ARGUS-067 a notification that arrives while the app is open opens nothing, and its tap opens the detail of its event"
    )
    func tap() async throws {
        let fixture = try await ArgusFixture(ArgusProject(events: [.sample(7)]), token: Self.token)
        try await fixture.pair()
        let notification = PushNotification.sample(
            #"{"aps":{"alert":{"title":"t","body":"b"}},"event_id":"evt_7"}"#
        )
        fixture.push.deliver(notification)
        try await Task.sleep(for: .seconds(10))
        #expect(fixture.screens.root.state.eventID == nil && fixture.screens.root.state.notices.count == 1)
        fixture.push.tap(notification)
        await fixture.settle()
        #expect(fixture.screens.root.state.eventID == "evt_7" && fixture.screens.root.state.root == .events)
        await fixture.screens.root.send(.close)
        await fixture.screens.root.send(.tap(noticeID: notification.id))
        await fixture.settle()
        #expect(fixture.screens.root.state.eventID == "evt_7")
        await fixture.app.shutdown()
    }

    @Test(
        "ARGUS-066 a tap that starts the app opens the detail once the launch has found that the device is paired"
    )
    func tapFromClosed() async throws {
        let fixture = try await ArgusFixture(ArgusProject(events: [.sample(7)], tokenLifetime: 60))
        try await fixture.pair()
        await fixture.app.shutdown()
        await fixture.settle()
        // The launch has to renew the token, which takes a while.
        try await Task.sleep(for: .seconds(61))
        fixture.push.tap(.sample(#"{"event_id":"evt_7"}"#))
        var seen: [RootViewModel.State] = []
        let app = fixture.app(over: fixture.http)
        let screens = app.makeScreens()
        screens.appear()
        let watch = Task { for await state in screens.root.states.values() { seen.append(state) } }
        await app.launch()
        await fixture.settle()
        watch.cancel()
        #expect(screens.root.state.root == .events && screens.root.state.eventID == "evt_7")
        #expect(seen.contains { $0.root == .launching && $0.eventID == nil })
        #expect(!seen.contains { $0.root != .events && $0.eventID != nil })
        await app.shutdown()
    }

    @Test(
        "ARGUS-068 a tap on a notification without an event_id that is a text and not empty opens nothing",
        arguments: [
            "{}", #"{"event_id":""}"#, #"{"event_id":7}"#, #"{"event_id":null}"#, #"{"event_id":["e"]}"#,
            #"{"aps":{"event_id":"evt_7"}}"#, "", "[]", "garbage", #"{"event_id":"#,
        ]
    )
    func noEvent(_ payload: String) async throws {
        let fixture = try await ArgusFixture()
        try await fixture.pair()
        fixture.push.tap(.sample(payload))
        await fixture.settle()
        #expect(fixture.screens.root.state.eventID == nil && fixture.screens.root.state.root == .events)
        await fixture.app.shutdown()
    }

    @Test("ARGUS-070 a tap while the device is not paired shows the pairing, and the detail after it")
    func unpaired() async throws {
        let fixture = try await ArgusFixture(ArgusProject(events: [.sample(7)]))
        await fixture.app.launch()
        fixture.push.tap(.sample(#"{"event_id":"evt_7"}"#))
        await fixture.settle()
        #expect(fixture.screens.root.state.root == .pairing && fixture.screens.root.state.eventID == nil)
        await fixture.enter(fixture.hub.makeCode())
        await fixture.settle()
        #expect(fixture.screens.root.state.root == .events && fixture.screens.root.state.eventID == "evt_7")
        await fixture.app.shutdown()
    }
}

@Suite("Sessions of Argus", .simulated(seeds: 1...10))
@MainActor
struct SessionTests {
    @Test("a detail and notices end with their session, also where the hub has ended it")
    func ends() async throws {
        let fixture = try await ArgusFixture(ArgusProject(events: [.sample(7)]))
        try await fixture.pair()
        fixture.push.deliver(.sample(#"{"event_id":"evt_7"}"#))
        await fixture.screens.root.send(.open(eventID: "evt_7"))
        await fixture.settle(.seconds(3))
        #expect(
            fixture.screens.root.state.eventID == "evt_7" && fixture.screens.root.state.notices.count == 1
        )
        fixture.hub.revokeAccessTokens()
        fixture.hub.revokeFamily(of: try fixture.app.keychain.deviceID().text)
        await fixture.screens.events.send(.load)
        await fixture.settle(.seconds(3))
        #expect(fixture.screens.root.state.root == .pairing && fixture.screens.root.state.notices.isEmpty)
        await fixture.enter(fixture.hub.makeCode())
        await fixture.settle(.seconds(3))
        #expect(fixture.screens.root.state.root == .events && fixture.screens.root.state.eventID == nil)
        #expect(fixture.screens.root.state.notices.isEmpty)
        await fixture.app.shutdown()
    }
}

extension PushNotification {
    /// A notification with a payload.
    static func sample(_ payload: String) -> PushNotification {
        PushNotification(id: "n-\(payload.utf8.count)", title: "t", body: "b", payload: Array(payload.utf8))
    }
}
