import Argus
import ArgusHub
import Concurrency
import Foundation
import HTTPTypes
import PeerKit
import ScreenKit
import ServiceClient
import Services
import SimulatedTransport
import SimulationTesting
import Synchronization
import Testing
import Transport

@Suite("Pictures of Argus", .simulated(seeds: 1...10))
@MainActor
struct ThumbnailTests {
    private func fixture(_ count: Int) async throws -> ArgusFixture {
        let fixture = try await ArgusFixture(
            ArgusProject(events: (0..<count).map { HubEvent.sample($0 + 1) })
        )
        try await fixture.pair()
        return fixture
    }

    private func sent(_ fixture: ArgusFixture) -> [NotedHTTP.Sent] { fixture.http.sent(to: "/thumbnail") }

    @Test(
        "ARGUS-076 a row's state has the thumbnail, the icon of the detection type, the description, the name of the camera by its ID, and the time"
    )
    func row() async throws {
        var bare = HubEvent.sample(2, "animal", camera: "cam_garden")
        bare.thumbnail = .absent
        let seen = HubEvent.sample(1, "vehicle", camera: "cam_drive")
        let fixture = try await ArgusFixture(ArgusProject(events: [bare, seen]))
        try await fixture.pair()
        let list = fixture.screens.events
        list.appear()
        var states: [EventRow.Thumbnail] = []
        let watch = Task {
            for await state in list.states.values() { states += state.rows.suffix(1).map(\.thumbnail) }
        }
        try await Task.sleep(for: .seconds(3))
        watch.cancel()
        let rows = list.state.rows
        #expect(rows.map(\.id) == ["evt_2", "evt_1"] && rows.map(\.thumbnail) == [.none, .shown])
        #expect(states.first == .loading && states.last == .shown)
        #expect(
            rows.map(\.icon) == [.animal, .vehicle] && rows.map(\.description) == ["Event 2", "Event 1"]
        )
        #expect(rows.map(\.cameraName) == ["Garden Camera", "Driveway Camera"])
        #expect(rows.map(\.time) == [bare.timestamp, seen.timestamp])
        // Of each event its own.
        let picture = try #require(await list.thumbnail(of: "evt_1"))
        #expect(try await fixture.app.api.fetchThumbnail(of: event(1)) == picture)
        #expect(await list.thumbnail(of: "evt_2") == nil && sent(fixture).count == 2)
        list.disappear()
        await fixture.app.shutdown()
    }

    private func event(_ number: Int, at url: String? = "/api/v1/mobile/events/evt_1/thumbnail") -> Event {
        Event(
            id: "evt_\(number)",
            cameraID: "cam_front",
            timestamp: Date(timeIntervalSince1970: 0),
            detectionType: .person,
            description: "",
            thumbnailURL: url
        )
    }

    @Test("pictures are asked for four at once, and each once for list and detail together")
    func coalesced() async throws {
        let fixture = try await fixture(12)
        let list = fixture.screens.events
        let api = SlowPictures(base: fixture.app.api)
        let thumbnails = EventThumbnails(api, fixture.app.auth)
        let slow = EventListViewModel(api, fixture.app.auth, thumbnails: thumbnails)
        slow.appear()
        let detail = EventDetailViewModel("evt_12", api, fixture.app.auth, thumbnails: thumbnails)
        detail.appear()
        try await Task.sleep(for: .seconds(2))
        #expect(slow.state.rows.count == 12 && slow.state.rows.allSatisfy { $0.thumbnail == .loading })
        #expect(api.begun.sorted() == ["evt_10", "evt_11", "evt_12", "evt_9"])
        try await Task.sleep(for: .seconds(60))
        #expect(slow.state.rows.allSatisfy { $0.thumbnail == .shown })
        #expect(detail.state.event?.thumbnail == .shown)
        #expect(api.begun.count == 12 && Set(api.begun).count == 12)
        #expect(list.state.rows.isEmpty)
        slow.disappear()
        await fixture.app.shutdown()
    }

    @Test("a row that goes takes the call for its picture along, and a row that stays keeps its own")
    func cancelled() async throws {
        let fixture = try await fixture(3)
        let api = SlowPictures(base: fixture.app.api)
        let list = EventListViewModel(api, fixture.app.auth)
        list.appear()
        try await Task.sleep(for: .seconds(2))
        #expect(api.begun.count == 3 && api.cancelled.isEmpty)
        fixture.hub.removeEvent("evt_2")
        await list.send(.refresh)
        try await Task.sleep(for: .milliseconds(10))
        #expect(api.cancelled == ["evt_2"])
        try await Task.sleep(for: .seconds(30))
        #expect(list.state.rows.map(\.thumbnail) == [.shown, .shown] && api.begun.count == 3)
        list.disappear()
        await fixture.app.shutdown()
    }

    @Test("a list that is not shown any more, and a session that has ended, load no more pictures")
    func ended() async throws {
        let fixture = try await fixture(9)
        let api = SlowPictures(base: fixture.app.api)
        let list = EventListViewModel(api, fixture.app.auth)
        list.appear()
        try await Task.sleep(for: .seconds(2))
        list.disappear()
        try await Task.sleep(for: .milliseconds(10))
        #expect(api.begun.count == 4 && api.cancelled.count == 4)
        list.appear()
        try await Task.sleep(for: .seconds(12))
        #expect(list.state.rows.contains { $0.thumbnail == .shown })
        let begun = api.begun.count
        await fixture.screens.root.send(.signOut)
        try await Task.sleep(for: .seconds(60))
        #expect(list.state.rows.isEmpty && (begun...begun + 4).contains(api.begun.count))
        #expect(await list.thumbnail(of: "evt_9") == nil)
        list.disappear()
        await fixture.app.shutdown()
    }

    @Test("what is no picture, and what cannot be had, is missing, and is asked for again with the list")
    func missing() async throws {
        let fixture = try await fixture(2)
        try fixture.hub.faults.arm("argus.thumbnail.noPicture")
        let list = fixture.screens.events
        list.appear()
        try await Task.sleep(for: .seconds(3))
        #expect(list.state.rows.map(\.thumbnail) == [.missing, .missing])
        fixture.hub.faults.disarm()
        await list.send(.refresh)
        try await Task.sleep(for: .seconds(3))
        #expect(list.state.rows.map(\.thumbnail) == [.shown, .shown])
        list.disappear()
        await fixture.app.shutdown()
    }

    @Test("of many pictures the last used are kept, in bounded memory")
    func bounded() async throws {
        let fixture = try await fixture(1)
        let api = LargePictures(base: fixture.app.api)
        let thumbnails = EventThumbnails(api, fixture.app.auth)
        for number in 1...20 {
            #expect(await thumbnails.picture(of: event(number))?.count == 1 << 20)
            // The first one is used all the time.
            #expect(await thumbnails.picture(of: event(1)) != nil)
        }
        #expect(api.begun.count == 20)
        _ = await thumbnails.picture(of: event(20))
        #expect(api.begun.count == 20)
        _ = await thumbnails.picture(of: event(2))
        #expect(api.begun.count == 21)
        await fixture.app.shutdown()
    }

    /// Where a hub says that a picture is, and the path at which it is asked for; `nil` where nothing is asked.
    nonisolated static let places: [(written: String, path: String?)] = [
        ("/api/v1/mobile/events/evt_1/thumbnail", "/api/v1/mobile/events/evt_1/thumbnail"),
        ("api/v1/thumbnails/a/b.jpg", "/api/v1/thumbnails/a/b.jpg"),
        ("thumbnails/a/b.jpg", "/api/v1/thumbnails/a/b.jpg"),
        ("2026-01-05/event_7.jpg", "/api/v1/thumbnails/2026-01-05/event_7.jpg"),
        ("http://relay:80/p/x.jpg?size=2", "/p/x.jpg?size=2"),
        ("HTTP://RELAY:80/p", "/p"),
        ("http://relay:8/p", nil), ("http://other/p", nil), ("//other/p", nil), ("ftp://relay:80/p", nil),
        ("http://user@relay:80/p", nil), ("", nil), ("a b.jpg", nil), ("a\r\nX: y", nil),
    ]

    @Test(
        "a picture is asked for where the event says that it is, with the token at the hub alone",
        arguments: places
    )
    func place(_ written: String, _ path: String?) async throws {
        let fixture = try await fixture(1)
        await fixture.settle(.seconds(2))
        let start = fixture.http.sent.count
        _ = try? await fixture.app.api.fetchThumbnail(of: event(1, at: written))
        let sent = fixture.http.sent.dropFirst(start).map(\.request)
        #expect(sent.map(\.path) == (path.map { [$0] } ?? []))
        for request in sent {
            #expect(request.authority == ArgusFixture.relay)
            #expect(request.headerFields[.authorization]?.hasPrefix("Bearer ") == true)
        }
        await fixture.app.shutdown()
    }

    @Test("a picture at another server is asked for by https, without the token")
    func elsewhere() async throws {
        let fixture = try await fixture(1)
        await fixture.settle(.seconds(2))
        let start = fixture.http.sent.count
        await #expect(throws: (any Error).self) {
            try await fixture.app.api.fetchThumbnail(of: event(1, at: "https://pictures.example/p.jpg"))
        }
        let sent = fixture.http.sent.dropFirst(start).map(\.request)
        #expect(!sent.isEmpty)
        for request in sent {
            #expect(request.scheme == "https" && request.authority == "pictures.example")
            #expect(request.path == "/p.jpg" && request.headerFields[.authorization] == nil)
        }
        // The relay is not held to be out of reach for it.
        #expect(fixture.app.discovery.baseURL == ServiceAddress("http://\(ArgusFixture.relay)"))
        await fixture.app.shutdown()
    }
}

/// A hub whose pictures take ten seconds.
private final class SlowPictures: HubAPI {
    let base: any HubAPI
    private let state = Mutex<(begun: [String], cancelled: [String])>(([], []))

    var begun: [String] { state.withLock(\.begun) }
    var cancelled: [String] { state.withLock(\.cancelled) }

    init(base: any HubAPI) { self.base = base }

    func fetchThumbnail(of event: Event) async throws -> [UInt8] {
        state.withLock { $0.begun.append(event.id) }
        do { try await Task.sleep(for: .seconds(10)) } catch {
            state.withLock { $0.cancelled.append(event.id) }
            throw error
        }
        return try await base.fetchThumbnail(of: event)
    }

    func fetchEvents(page: Int) async throws -> EventsResponse { try await base.fetchEvents(page: page) }
    func fetchEventDetail(id: String) async throws -> Event { try await base.fetchEventDetail(id: id) }
    func fetchCameras() async throws -> [Camera] { try await base.fetchCameras() }
    func registerPushToken(_ token: String) async throws { try await base.registerPushToken(token) }
}

/// A hub whose pictures have a megabyte each.
private final class LargePictures: HubAPI {
    let base: any HubAPI
    private let state = Mutex<[String]>([])

    var begun: [String] { state.withLock(\.self) }

    init(base: any HubAPI) { self.base = base }

    func fetchThumbnail(of event: Event) async throws -> [UInt8] {
        state.withLock { $0.append(event.id) }
        return [0xFF, 0xD8, 0xFF] + Array(repeating: 0, count: (1 << 20) - 3)
    }

    func fetchEvents(page: Int) async throws -> EventsResponse { try await base.fetchEvents(page: page) }
    func fetchEventDetail(id: String) async throws -> Event { try await base.fetchEventDetail(id: id) }
    func fetchCameras() async throws -> [Camera] { try await base.fetchCameras() }
    func registerPushToken(_ token: String) async throws { try await base.registerPushToken(token) }
}
