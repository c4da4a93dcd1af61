import Argus
import ArgusHub
import Concurrency
import Foundation
import HTTPTypes
import ScreenKit
import ServiceClient
import Services
import SimulationTesting
import Testing

@Suite("Events of Argus", .simulated(seeds: 1...10))
@MainActor
struct ListTests {
    private func fixture(_ count: Int) async throws -> ArgusFixture {
        let fixture = try await ArgusFixture(
            ArgusProject(events: (0..<count).map { HubEvent.sample($0 + 1) })
        )
        try await fixture.pair()
        return fixture
    }

    @Test(
        "ARGUS-072 loading asks for the first page of 20 events and for the cameras, side by side"
    )
    func sideBySide() async throws {
        let fixture = try await fixture(3)
        let start = fixture.http.sent.count
        let events = fixture.screens.events
        let load = Task { await events.loadEvents() }
        try await Task.sleep(for: .milliseconds(4))
        // Neither has an answer yet: the way takes five milliseconds.
        let sent = fixture.http.sent.dropFirst(start)
        #expect(
            Set(sent.compactMap(\.request.path)) == [
                "/api/v1/mobile/events?page=1&page_size=20", "/api/v1/mobile/cameras",
            ]
        )
        #expect(sent.allSatisfy { $0.request.method == .get } && events.state.isLoading)
        await load.value
        #expect(fixture.http.sent.count == start + 2)
        await fixture.app.shutdown()
    }

    @Test(
        "ARGUS-074 the list is loading from before the calls until after them, and takes events and cameras together"
    )
    func together() async throws {
        let fixture = try await fixture(2)
        let events = EventListViewModel(RenamingAPI(base: fixture.app.api), fixture.app.auth)
        events.appear()
        var seen: [EventListViewModel.State] = []
        let watch = Task { for await state in events.states.values() { seen.append(state) } }
        await events.loadEvents()
        fixture.hub.add(.sample(9, camera: "cam_garden"))
        await events.loadEvents()
        await fixture.settle()
        watch.cancel()
        #expect(!events.state.isLoading && events.state.rows.map(\.id) == ["evt_9", "evt_2", "evt_1"])
        // Cameras have other names at each loading.
        for state in seen where !state.rows.isEmpty {
            let loading = state.rows.count == 2 ? 1 : 2
            #expect(state.rows.allSatisfy { $0.cameraName.hasSuffix(" \(loading)") })
        }
        // What was shown stays while the next is being loaded.
        #expect(seen.contains { $0.isLoading && $0.rows.count == 2 })
        #expect(seen.contains { $0.isLoading && $0.rows.isEmpty })
        await fixture.app.shutdown()
    }

    @Test(
        "ARGUS-075 ARGUS-084 where one of the two calls fails the error is shown in its words, nothing is loading, and what was shown stays",
        arguments: ["/events", "/cameras"]
    )
    func half(_ path: String) async throws {
        let fixture = try await fixture(2)
        let failing = FailingAPI(base: fixture.app.api)
        let events = EventListViewModel(failing, fixture.app.auth)
        events.appear()
        await events.loadEvents()
        fixture.hub.add(.sample(5))
        failing.fail(path, with: .server(status: 500))
        await events.loadEvents()
        #expect(events.state.errorMessage == APIError.server(status: 500).localizedDescription)
        #expect(!events.state.isLoading && events.state.rows.map(\.id) == ["evt_2", "evt_1"])
        await fixture.app.shutdown()
    }

    @Test(
        "ARGUS-077 a row has icon, description, the name of the camera and the time; an unknown camera has a placeholder, and an unknown kind the generic icon"
    )
    func rows() async throws {
        let picture = HubEvent.sample(1, "vehicle", camera: "cam_drive")
        var strange = HubEvent.sample(2, "ufo", camera: "cam_gone")
        strange.thumbnail = .absent
        let fixture = try await ArgusFixture(ArgusProject(events: [picture, strange]))
        try await fixture.pair()
        await fixture.screens.events.send(.load)
        let rows = fixture.screens.events.state.rows
        #expect(rows.map(\.icon) == [.generic, .vehicle])
        #expect(rows.map(\.cameraName) == [Camera.unknownName, "Driveway Camera"])
        #expect(
            rows.map(\.description) == ["Event 2", "Event 1"] && rows.map(\.thumbnail) == [.none, .loading]
        )
        #expect(rows.map(\.time) == [strange.timestamp, picture.timestamp])
        await fixture.app.shutdown()
    }

    @Test("ARGUS-078 42 events come in pages of 20, 20 and 2, and then no more are asked for")
    func pages() async throws {
        let fixture = try await fixture(42)
        let events = fixture.screens.events
        await events.send(.load)
        var counts = [events.state.rows.count]
        for _ in 0..<4 {
            await events.send(.loadMore)
            counts.append(events.state.rows.count)
        }
        #expect(counts == [20, 40, 42, 42, 42] && !events.state.hasMore)
        #expect(events.state.rows.map(\.id) == (1...42).reversed().map { "evt_\($0)" })
        let asked = fixture.paths.filter { $0.contains("/events?") }
        #expect(asked.map { $0.suffix(19) } == (1...3).map { "page=\($0)&page_size=20" })
        await fixture.app.shutdown()
    }

    @Test("events that come and go between two pages give no row twice")
    func moving() async throws {
        let fixture = try await fixture(45)
        let events = fixture.screens.events
        await events.send(.load)
        fixture.hub.add(.sample(100))
        fixture.hub.add(.sample(101))
        await events.send(.loadMore)
        fixture.hub.removeEvent("evt_30")
        await events.send(.loadMore)
        await events.send(.loadMore)
        let ids = events.state.rows.map(\.id)
        #expect(Set(ids).count == ids.count && ids.last == "evt_1")
        await events.send(.refresh)
        #expect(events.state.rows.first?.id == "evt_101")
        await fixture.app.shutdown()
    }

    @Test("a hub that always gives the first page is asked for no third one")
    func ignoredPages() async throws {
        let fixture = try await fixture(45)
        let api = FirstPageAPI(base: fixture.app.api)
        let events = EventListViewModel(api, fixture.app.auth)
        events.appear()
        await events.loadEvents()
        for _ in 0..<5 { await events.loadMore() }
        #expect(events.state.rows.count == 20 && !events.state.hasMore && !events.state.isLoadingMore)
        await fixture.app.shutdown()
    }

    @Test("ARGUS-080 a pull loads the first page in place of all that is shown")
    func refresh() async throws {
        let fixture = try await fixture(25)
        let events = fixture.screens.events
        await events.send(.load)
        await events.send(.loadMore)
        #expect(events.state.rows.count == 25)
        fixture.hub.add(.sample(99))
        await events.send(.refresh)
        #expect(
            events.state.rows.count == 20 && events.state.rows.first?.id == "evt_99" && events.state.hasMore
        )
        #expect(fixture.paths.last { $0.contains("/events?") }?.contains("page=1&") == true)
        await fixture.app.shutdown()
    }

    @Test("a page that is still under way when the list is loaded again changes nothing")
    func overtaken() async throws {
        let fixture = try await fixture(45)
        let events = fixture.screens.events
        await events.send(.load)
        async let more: Void = events.send(.loadMore)
        async let again: Void = events.send(.refresh)
        _ = await (more, again)
        let ids = events.state.rows.map(\.id)
        #expect(Set(ids).count == ids.count && [20, 40].contains(ids.count))
        #expect(!events.state.isLoading && !events.state.isLoadingMore)
        await fixture.app.shutdown()
    }

    @Test(
        "ARGUS-079 a tap on a row opens the detail of that event, which loads it by GET /api/v1/mobile/events/{id}, with its picture"
    )
    func detail() async throws {
        let fixture = try await fixture(3)
        await fixture.screens.events.send(.load)
        await fixture.screens.root.send(.open(eventID: "evt_2"))
        await fixture.settle()
        let id = try #require(fixture.screens.root.state.eventID)
        let detail = fixture.screens.detail(of: id)
        detail.appear()
        await detail.loadEvent()
        #expect(fixture.paths.contains("/api/v1/mobile/events/evt_2"))
        #expect(detail.state.event?.description == "Event 2")
        #expect(detail.state.event?.cameraName == "Front Door Camera" && detail.state.event?.icon == .person)
        #expect(detail.thumbnail?.prefix(2) == [0xFF, 0xD8] && !detail.state.isLoading)
        #expect(detail.state.thumbnailBytes == detail.thumbnail?.count)
        await fixture.screens.root.send(.close)
        await fixture.settle()
        #expect(fixture.screens.root.state.eventID == nil && fixture.screens.root.state.root == .events)
        await fixture.app.shutdown()
    }

    @Test("an ID is sent as it is, whatever it holds", arguments: ["a/b", "../x", "é?q=1", "50%", "A-B_c.~"])
    func opaque(_ id: String) async throws {
        var event = HubEvent.sample(1)
        event.id = id
        let fixture = try await ArgusFixture(ArgusProject(events: [event]))
        try await fixture.pair()
        let detail = fixture.screens.detail(of: id)
        detail.appear()
        await detail.loadEvent()
        #expect(detail.state.event?.id == id && detail.state.errorMessage == nil)
        await fixture.app.shutdown()
    }

    @Test("ARGUS-081 observers see each change of the list without asking for it")
    func observed() async throws {
        let fixture = try await fixture(1)
        let events = fixture.screens.events
        events.appear()
        var counts: [Int] = []
        let watch = Task { for await state in events.states.values() { counts.append(state.rows.count) } }
        await events.send(.load)
        fixture.hub.add(.sample(2))
        await events.send(.refresh)
        await fixture.screens.root.send(.signOut)
        await fixture.settle()
        watch.cancel()
        #expect(counts.contains(1) && counts.contains(2) && counts.last == 0)
        await fixture.app.shutdown()
    }
}
