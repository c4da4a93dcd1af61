import Argus
import ArgusHub
import Concurrency
import FileSecrets
import Files
import Foundation
import HTTPTypes
import PeerKit
import ScenarioKit
import ScreenKit
import ServiceClient
import Services
import SimulatedDevice
import SimulatedDisk
import SimulatedPush
import Simulation
import SimulationTesting
import Synchronization
import Testing
import Transport

@Suite("Services of Argus", .simulated(seeds: 1...5))
@MainActor
struct ServiceTests {
    private static let token: [UInt8] = (0..<32).map { UInt8($0 * 7 + 1) }

    @Test(
        "ARGUS-006 the service of the session pairs by a code, renews the access token, and signs out"
    )
    func session() async throws {
        let fixture = try await ArgusFixture()
        let auth = fixture.app.auth
        await #expect(throws: PairingError.invalidCode) { try await auth.verifyPairingCode("12345") }
        #expect(fixture.http.sent.isEmpty)
        try await auth.verifyPairingCode(fixture.hub.makeCode())
        #expect(auth.isAuthenticated.value && fixture.count("/auth/verify") == 1)
        let first = try #require(try await auth.tokens.kept())
        try await auth.refreshAccessToken()
        let second = try #require(try await auth.tokens.kept())
        #expect(fixture.count("/auth/refresh") == 1)
        #expect(second.value != first.value && second.refresh != first.refresh)
        #expect(try kept(fixture)?.contains(second.value.reveal()) == true)
        try await auth.signOut()
        #expect(try !auth.isAuthenticated.value && kept(fixture) == nil)
        await #expect(throws: APIError.unauthorized) { try await auth.refreshAccessToken() }
        await fixture.app.shutdown()
    }

    private func kept(_ fixture: ArgusFixture) throws -> String? {
        try fixture.secrets.secret(named: KeychainService.sessionName)?.reveal()
    }

    @Test(
        "ARGUS-007 the client fetches pages of events, one event and the cameras, and registers a device token, each by a request of its own"
    )
    func client() async throws {
        let fixture = try await ArgusFixture(ArgusProject(events: (1...23).map { HubEvent.sample($0) }))
        try await fixture.pair()
        let api = fixture.app.api
        #expect(api is APIClient)
        let before = fixture.http.sent.count
        let page = try await api.fetchEvents(page: 2)
        #expect(page.events.map(\.id) == ["evt_3", "evt_2", "evt_1"] && page.total == 23 && page.page == 2)
        let event = try await api.fetchEventDetail(id: "evt_7")
        #expect(event.id == "evt_7" && event.description == "Event 7")
        #expect(try await api.fetchCameras().map(\.id) == fixture.hub.project.cameras.map(\.id))
        let token = String(repeating: "ab", count: 32)
        try await api.registerPushToken(token)
        #expect(fixture.hub.pushTokens.map(\.token) == [token])
        let sent = fixture.http.sent.dropFirst(before)
        #expect(sent.map { $0.request.method } == [.get, .get, .get, .post])
        #expect(
            sent.map { $0.request.path ?? "" } == [
                "/api/v1/mobile/events?page=2&page_size=20", "/api/v1/mobile/events/evt_7",
                "/api/v1/mobile/cameras", "/api/v1/mobile/push/register",
            ]
        )
        await fixture.app.shutdown()
    }

    @Test(
        "ARGUS-008 discovery looks for hubs from its start on, and its base URL is the local one of a hub that is found, else that of the relay"
    )
    func discovery() async throws {
        let fixture = try await ArgusFixture()
        let browser = ScriptedBrowser()
        browser.list([fixture.found(at: ["192.168.1.100"])])
        let keychain = KeychainService(InMemorySecretStore())
        let discovery = DiscoveryService(
            browser,
            relay: ServiceAddress("http://relay:80"),
            keychain: keychain
        )
        await fixture.settle()
        #expect(browser.types.isEmpty && discovery.baseURL?.description == "http://relay:80")
        discovery.startDiscovery()
        await fixture.settle()
        #expect(browser.types.count == 1)
        #expect(discovery.baseURL?.description == "http://192.168.1.100:8080")
        browser.list([])
        await fixture.settle()
        #expect(discovery.baseURL?.description == "http://relay:80")
        discovery.stop()
    }

    @Test(
        "ARGUS-009 the keychain saves tokens and the ID of the device encrypted, and the next launch loads them"
    )
    func keychain() async throws {
        let fixture = try await ArgusFixture()
        let disk = SimulatedDisk(node: try #require(Simulation.current).node("device"))
        let files = SimulatedFiles(disk: disk)
        func environment() -> ArgusEnvironment {
            ArgusEnvironment(
                http: fixture.http,
                browser: fixture.browser,
                relay: ServiceAddress("http://\(ArgusFixture.relay)"),
                secrets: FileSecretStore(path: "secrets", key: .file("secrets.key"), on: files),
                push: fixture.push,
                device: SimulatedDeviceInformation()
            )
        }
        let first = ArgusApp(environment())
        await first.launch()
        try await first.auth.verifyPairingCode(fixture.hub.makeCode())
        let token = try #require(try await first.auth.tokens.kept())
        let device = try first.keychain.deviceID()
        await first.shutdown()
        let secret = token.value.reveal()
        let refresh = try #require(token.refresh).reveal()
        let written = String(decoding: try files.read("secrets", upTo: 65_536), as: UTF8.self)
        for text in [secret, refresh, device.text, KeychainService.sessionName] {
            #expect(!written.contains(text))
        }
        let sent = fixture.http.sent.count
        let second = ArgusApp(environment())
        await second.launch()
        #expect(second.auth.isAuthenticated.value && fixture.http.sent.count == sent)
        let loaded = try #require(try await second.auth.tokens.kept())
        #expect(loaded.value == token.value && loaded.refresh == token.refresh)
        #expect(abs(loaded.expiry.timeIntervalSince(token.expiry)) < 0.001)
        #expect(try second.keychain.deviceID() == device)
        await second.shutdown()
    }

    @Test(
        "ARGUS-010 the service of notifications asks the person for permission, and a notification that is handled opens its event"
    )
    func notifications() async throws {
        let fixture = try await ArgusFixture(token: Self.token)
        try await fixture.pair()
        for answer in [SimulatedPushCentre.Answer.granted, .denied] {
            let centre = SimulatedPushCentre(answer: answer, token: Self.token)
            let service = PushService(centre, api: fixture.app.api, auth: fixture.app.auth) { _ in }
            var opened: [String] = []
            service.open = { opened.append($0) }
            #expect(centre.questions == 0 && service.registration.value == .unknown)
            await service.requestAuthorization()
            #expect(centre.questions == 1)
            #expect(service.registration.value == (answer == .granted ? .waiting : .denied))
            service.handleNotification(.sample(#"{"event_id":"evt_7"}"#))
            service.handleNotification(.sample(#"{"event_id":7}"#))
            #expect(opened == ["evt_7"])
        }
        await fixture.app.shutdown()
    }

    @Test(
        "ARGUS-011 the view models of pairing, list and detail reach the network through the services that they are given, and through nothing else"
    )
    func injected() async throws {
        let fixture = try await ArgusFixture()
        try await fixture.pair()
        await fixture.settle(.seconds(3))
        let sent = fixture.http.sent.count
        // Other services, one by one, in which the hub of the network has no part.
        let api = InventedAPI()
        let list = EventListViewModel(api, fixture.app.auth)
        list.appear()
        await list.loadEvents()
        #expect(list.state.rows.map(\.id) == ["invented"] && list.state.rows.map(\.cameraName) == ["Nowhere"])
        let detail = EventDetailViewModel("invented", api, fixture.app.auth)
        detail.appear()
        await detail.loadEvent()
        // One that appears loads by itself, too.
        await fixture.settle()
        #expect(detail.state.event?.description == "Nothing" && detail.thumbnail == InventedAPI.picture)
        #expect(Set(api.calls) == ["events", "cameras", "event invented", "thumbnail invented"])
        let hub = ScriptedHub(
            body: ["access_token": "a", "refresh_token": "r", "expires_in": 3600, "token_type": "Bearer"]
        ) { _ in 200 }
        let other = fixture.app(over: hub, api: api)
        let pairing = PairingViewModel(other.auth)
        pairing.appear()
        await pairing.send(.setCode("123456"))
        await pairing.send(.submit)
        #expect(hub.requests > 0 && other.auth.isAuthenticated.value)
        #expect(fixture.http.sent.count == sent)
        await other.shutdown()
        await fixture.app.shutdown()
    }

    @Test("ARGUS-035 each call carries the word Bearer, a blank and the access token")
    func carried() async throws {
        let fixture = try await ArgusFixture(ArgusProject(events: [.sample(1)]))
        try await fixture.pair()
        let api = fixture.app.api
        let before = fixture.http.sent.count
        _ = try await api.fetchEvents(page: 1)
        let event = try await api.fetchEventDetail(id: "evt_1")
        _ = try await api.fetchThumbnail(of: event)
        _ = try await api.fetchCameras()
        try await api.registerPushToken("00")
        let access = try #require(try await fixture.app.auth.tokens.kept()).value.reveal()
        let fields = fixture.http.sent.dropFirst(before).map { $0.request.headerFields[.authorization] }
        #expect(fields == Array(repeating: "Bearer \(access)", count: 5))
        await fixture.app.shutdown()
    }

    @Test(
        "ARGUS-058 a registration that fails is logged, leaves the app as it is, and is tried again by the next launch"
    )
    func logged() async throws {
        let fixture = try await ArgusFixture(ArgusProject(events: [.sample(1)]), token: Self.token)
        try await fixture.pair()
        await fixture.app.shutdown()
        let failing = FailingAPI(base: fixture.app.api)
        failing.fail("/push", with: .server(status: 500))
        let log = Incidents()
        func launch() async -> ArgusApp {
            var environment = ArgusEnvironment(
                http: fixture.http,
                browser: fixture.browser,
                relay: ServiceAddress("http://\(ArgusFixture.relay)"),
                secrets: fixture.secrets,
                push: fixture.push,
                device: SimulatedDeviceInformation()
            )
            environment.log = { log.note($0) }
            let app = ArgusApp(environment, api: failing)
            await app.launch()
            await fixture.settle(.seconds(3))
            return app
        }
        let first = await launch()
        #expect(first.push.registration.value == .failed)
        let lines = log.all.map { "\($0)" }
        let reason = APIError.server(status: 500).localizedDescription
        #expect(lines.count == 1 && lines.first?.hasSuffix(reason) == true)
        // The rest goes on, and nothing tries again meanwhile.
        let screens = first.makeScreens()
        screens.root.appear()
        await screens.events.loadEvents()
        try await Task.sleep(for: .seconds(3600))
        #expect(screens.root.state.root == .events && log.all.count == 1)
        #expect(try await first.api.fetchEvents(page: 1).events.map(\.id) == ["evt_1"])
        await first.shutdown()
        let second = await launch()
        #expect(log.all.count == 2)
        await second.shutdown()
        failing.fail("/push", with: nil)
        let tokens = fixture.hub.pushTokens.count
        let third = await launch()
        #expect(third.push.registration.value == .registered && log.all.count == 2)
        #expect(fixture.hub.pushTokens.count >= max(1, tokens))
        await third.shutdown()
    }

    @Test(
        "ARGUS-066 ARGUS-070 a tap that starts the app while it is not paired shows the pairing, and the detail of its event after it",
        arguments: [true, false]
    )
    func tapFromClosed(isRunning: Bool) async throws {
        let fixture = try await ArgusFixture(ArgusProject(events: [.sample(7)]))
        if isRunning { await fixture.app.launch() }
        fixture.push.tap(.sample(#"{"event_id":"evt_7"}"#))
        if !isRunning { await fixture.app.launch() }
        try await Task.sleep(for: .seconds(3))
        #expect(fixture.screens.root.state.root == .pairing && fixture.screens.root.state.eventID == nil)
        await fixture.enter(fixture.hub.makeCode())
        try await Task.sleep(for: .seconds(3))
        #expect(fixture.screens.root.state.root == .events && fixture.screens.root.state.eventID == "evt_7")
        await fixture.app.shutdown()
    }

    @Test(
        "a tap that starts the app waits for the next pairing where the launch finds that the session has ended"
    )
    func tapFromClosedAfterTheSession() async throws {
        let fixture = try await ArgusFixture(ArgusProject(events: [.sample(7)]))
        try await fixture.pair()
        fixture.hub.revokeFamily(of: try fixture.app.keychain.deviceID().text)
        await fixture.settle(.seconds(4_000))
        await fixture.app.shutdown()
        fixture.push.tap(.sample(#"{"event_id":"evt_7"}"#))
        await fixture.relaunch()
        await fixture.settle(.seconds(3))
        #expect(fixture.screens.root.state.root == .pairing && fixture.screens.root.state.eventID == nil)
        try await fixture.pairAgain()
        await fixture.settle(.seconds(3))
        #expect(fixture.screens.root.state.root == .events && fixture.screens.root.state.eventID == "evt_7")
        await fixture.app.shutdown()
    }

    @Test("a page that newer events have filled with what is known is not the end of the list")
    func pushedBack() async throws {
        let fixture = try await ArgusFixture(ArgusProject(events: (1...45).map { HubEvent.sample($0) }))
        try await fixture.pair()
        let events = EventListViewModel(fixture.app.api, fixture.app.auth)
        events.appear()
        await events.loadEvents()
        for number in 101...120 { fixture.hub.add(.sample(number)) }
        for _ in 0..<5 { await events.loadMore() }
        #expect(events.state.rows.map(\.id) == (1...45).reversed().map { "evt_\($0)" })
        await fixture.app.shutdown()
    }
}

/// The calls of a hub that is nowhere, with one event.
private final class InventedAPI: HubAPI {
    private let made = Mutex<[String]>([])

    /// The beginning of a JPEG file, which is all that screens look at.
    static let picture: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0]

    /// What was called, oldest first.
    var calls: [String] { made.withLock(\.self) }

    private let event = Event(
        id: "invented",
        cameraID: "nowhere",
        timestamp: Date(timeIntervalSince1970: 0),
        detectionType: .other,
        description: "Nothing",
        thumbnailURL: "/picture"
    )

    private func note(_ call: String) { made.withLock { $0.append(call) } }

    func fetchEvents(page: Int) async throws -> EventsResponse {
        note("events")
        return EventsResponse(events: [event], total: 1, page: 1, pageSize: 20)
    }

    func fetchEventDetail(id: String) async throws -> Event {
        note("event \(id)")
        return event
    }

    func fetchCameras() async throws -> [Camera] {
        note("cameras")
        return [Camera(id: "nowhere", name: "Nowhere")]
    }

    func fetchThumbnail(of event: Event) async throws -> [UInt8] {
        note("thumbnail \(event.id)")
        return Self.picture
    }

    func registerPushToken(_ token: String) async throws { note("push") }
}

/// What an app has logged.
private final class Incidents: Sendable {
    private let noted = Mutex<[ArgusIncident]>([])

    var all: [ArgusIncident] { noted.withLock(\.self) }

    func note(_ incident: ArgusIncident) { noted.withLock { $0.append(incident) } }
}
