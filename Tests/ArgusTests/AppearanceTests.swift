import Argus
import ArgusHub
import Concurrency
import Foundation
import HTTPTypes
import ScreenKit
import Services
import SimulatedPush
import SimulationTesting
import Testing

@Suite("Screens of Argus that appear", .simulated(seeds: 1...10))
@MainActor
struct AppearanceTests {
    private func events(_ count: Int) -> ArgusProject {
        ArgusProject(events: (0..<count).map { HubEvent.sample($0 + 1) })
    }

    private func requests(_ fixture: ArgusFixture, _ path: String) -> Int {
        fixture.http.sent.count { $0.request.path?.hasPrefix("/api/v1/mobile\(path)") == true }
    }

    @Test(
        "ARGUS-004 the list loads when it appears, not before the root shows it; a tap on an event opens its detail, which loads it"
    )
    func loading() async throws {
        let fixture = try await ArgusFixture(events(3))
        fixture.screens.appear()
        await fixture.app.launch()
        try await Task.sleep(for: .seconds(3))
        #expect(fixture.screens.root.state.root == .pairing && fixture.http.sent.isEmpty)
        await fixture.enter(fixture.hub.makeCode())
        try await Task.sleep(for: .seconds(3))
        // Nobody has asked for it.
        let list = fixture.screens.events
        #expect(list.state.rows.map(\.id) == ["evt_3", "evt_2", "evt_1"])
        #expect(requests(fixture, "/events?") == 1)
        #expect(fixture.screens.detail.state.eventID == nil)
        #expect(requests(fixture, "/events/evt_2") == 1, "only its picture")
        await fixture.screens.root.send(.open(eventID: "evt_2"))
        try await Task.sleep(for: .seconds(3))
        let detail = fixture.screens.detail.state
        #expect(detail.eventID == "evt_2" && detail.detail.event?.description == "Event 2")
        #expect(fixture.paths.contains("/api/v1/mobile/events/evt_2"))
        await fixture.screens.root.send(.close)
        try await Task.sleep(for: .seconds(3))
        #expect(fixture.screens.detail.state.eventID == nil)
        // Closing the detail does not load the list again; the next pairing does.
        #expect(requests(fixture, "/events?") == 1)
        await fixture.screens.root.send(.signOut)
        try await Task.sleep(for: .seconds(1))
        #expect(list.state.rows.isEmpty && !list.state.isLoaded)
        await fixture.enter(fixture.hub.makeCode())
        try await Task.sleep(for: .seconds(3))
        #expect(list.state.rows.count == 3 && requests(fixture, "/events?") == 2)
        fixture.screens.disappear()
        await fixture.app.shutdown()
    }

    @Test("with a session that was kept the list loads as soon as the launch has decided, and not before")
    func kept() async throws {
        let fixture = try await ArgusFixture(events(2))
        try await fixture.pair()
        await fixture.app.shutdown()
        let start = fixture.http.sent.count
        let app = fixture.app(over: fixture.http)
        let screens = app.makeScreens()
        screens.appear()
        await fixture.settle()
        #expect(screens.root.state.root == .launching && fixture.http.sent.count == start)
        await app.launch()
        try await Task.sleep(for: .seconds(3))
        #expect(screens.events.state.rows.count == 2)
        screens.disappear()
        await app.shutdown()
    }

    @Test(
        "ARGUS-071 the list that appears fetches events and cameras in parallel: both are in flight at once"
    )
    func parallel() async throws {
        let fixture = try await ArgusFixture(events(3))
        try await fixture.pair()
        await fixture.settle(.seconds(2))
        let start = fixture.http.sent.count
        fixture.screens.events.appear()
        try await Task.sleep(for: .milliseconds(4))
        // Neither has an answer yet: the way takes five milliseconds.
        let paths = fixture.http.sent.dropFirst(start).compactMap(\.request.path)
        #expect(
            paths.sorted() == ["/api/v1/mobile/cameras", "/api/v1/mobile/events?page=1&page_size=20"]
                && fixture.screens.events.state.isLoading
        )
        try await Task.sleep(for: .seconds(3))
        #expect(!fixture.screens.events.state.isLoading && fixture.screens.events.state.rows.count == 3)
        fixture.screens.events.disappear()
        await fixture.app.shutdown()
    }

    @Test("a list that appears again is not loaded again, and after an error neither")
    func again() async throws {
        let fixture = try await ArgusFixture(events(3))
        try await fixture.pair()
        let failing = FailingAPI(base: fixture.app.api)
        let list = EventListViewModel(failing, fixture.app.auth)
        failing.fail("/events", with: .server(status: 500))
        for _ in 0..<2 {
            list.appear()
            await fixture.settle(.seconds(3))
            #expect(list.state.errorMessage == APIError.server(status: 500).localizedDescription)
            failing.fail("/events", with: nil)
            list.disappear()
        }
        list.appear()
        await list.send(.retry)
        #expect(list.state.rows.count == 3 && list.state.errorMessage == nil)
        fixture.hub.add(.sample(9))
        list.disappear()
        list.appear()
        await fixture.settle(.seconds(3))
        #expect(list.state.rows.count == 3)
        list.disappear()
        await fixture.app.shutdown()
    }

    @Test(
        "ARGUS-069 a detail that a notification opens loads description, camera and picture of its event from the API, also of one that no list has"
    )
    func pushed() async throws {
        let fixture = try await ArgusFixture(events(25), token: [1])
        fixture.screens.appear()
        try await fixture.pair()
        try await Task.sleep(for: .seconds(3))
        #expect(!fixture.screens.events.state.rows.contains { $0.id == "evt_1" })
        fixture.push.tap(
            PushNotification(id: "n", title: "t", body: "b", payload: Array(#"{"event_id":"evt_1"}"#.utf8))
        )
        try await Task.sleep(for: .seconds(3))
        let shown = fixture.screens.detail.state
        #expect(shown.eventID == "evt_1" && shown.detail.event?.description == "Event 1")
        #expect(
            shown.detail.event?.cameraName == "Front Door Camera" && shown.detail.event?.thumbnail == .shown
        )
        #expect(shown.detail.event?.time == HubEvent.sample(1).timestamp)
        let picture = try #require(fixture.screens.detail.detail?.thumbnail)
        #expect(picture.starts(with: [0xFF, 0xD8]) && shown.detail.thumbnailBytes == picture.count)
        for path in ["/events/evt_1", "/events/evt_1/thumbnail"] {
            #expect(fixture.paths.contains("/api/v1/mobile\(path)"))
        }
        fixture.screens.disappear()
        await fixture.app.shutdown()
    }

    @Test("a notification brings its event to the list, which keeps what it has; several are one more call")
    func newer() async throws {
        let fixture = try await ArgusFixture(events(25), token: [1])
        fixture.screens.appear()
        try await fixture.pair()
        try await Task.sleep(for: .seconds(3))
        let list = fixture.screens.events
        await list.send(.loadMore)
        let calls = requests(fixture, "/events?")
        for number in 101...105 {
            fixture.hub.add(.sample(number))
            fixture.push.deliver(
                PushNotification(id: "n\(number)", title: "t", body: "b", payload: Array("{}".utf8))
            )
        }
        try await Task.sleep(for: .seconds(3))
        #expect(
            list.state.rows.map(\.id) == (Array(1...25) + Array(101...105)).reversed().map { "evt_\($0)" }
        )
        #expect((1...2).contains(requests(fixture, "/events?") - calls))
        // More than a page later there may be others between: what is shown begins again.
        for number in 201...230 { fixture.hub.add(.sample(number)) }
        await list.send(.loadNewer)
        #expect(list.state.rows.map(\.id) == (211...230).reversed().map { "evt_\($0)" } && list.state.hasMore)
        await list.send(.loadMore)
        await list.send(.loadMore)
        await list.send(.loadMore)
        #expect(Set(list.state.rows.map(\.id)).count == 60 && list.state.rows.count == 60)
        fixture.screens.disappear()
        await fixture.app.shutdown()
    }
}
