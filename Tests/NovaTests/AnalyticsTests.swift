import Concurrency
import Foundation
import HTTPTypes
import NovaServer
import PeerKit
import ScreenKit
import Services
import SimulatedDevice
import SimulatedTransport
import SimulationTesting
import Testing

@testable import Nova

@Suite("Analytics of Nova", .simulated(seeds: 1...10))
@MainActor
struct AnalyticsTests {
    private func see(_ count: Int, _ fixture: NovaFixture) async {
        for number in 0..<count { await fixture.screens.feed.send(.appeared(postID: "post \(number)")) }
    }

    private func counts(_ fixture: NovaFixture) -> [Int] {
        fixture.http.batches.map { $0.json.array?.count ?? -1 }
    }

    /// A phone where nothing waits to be counted, just after a batch of the timer.
    private func quiet(_ project: NovaProject = .seeded()) async throws -> NovaFixture {
        let fixture = try await NovaFixture(project)
        for _ in 0..<400 where fixture.http.batches.isEmpty { await fixture.settle(.milliseconds(100)) }
        await fixture.settle(.milliseconds(100))
        return fixture
    }

    @Test("NOVA-064 an event says what has happened, when, where and to whom")
    func event() async throws {
        let fixture = try await quiet()
        let now = Date()
        let post = try #require(fixture.screens.feed.state.posts.first).id
        await fixture.screens.feed.send(.open(postID: post))
        await fixture.settle(.seconds(30))
        let event = try #require(fixture.tracked("post_tap").first)
        #expect(event["category"]?.string == "feed" && event["parameters"] == ["post_id": .string(post)])
        #expect(event["user_id"]?.string == fixture.ada.id && event["platform"]?.string == "linux")
        #expect(event["app_version"]?.string == "1.0")
        let device = try fixture.secrets.secret(named: "nova.deviceID")
        #expect(device != nil && event["device_id"]?.string == device?.reveal())
        let time = try #require(event["timestamp"]?.string)
        let instant = try Date.ISO8601FormatStyle().parse(time)
        #expect(abs(instant.timeIntervalSince(now)) < 1.5)
        await fixture.app.shutdown()
    }

    @Test("NOVA-065 49 events wait, and with the fiftieth they are sent; fewer are sent after half a minute")
    func batches() async throws {
        let fixture = try await quiet()
        let before = fixture.http.batches.count
        await see(49, fixture)
        await fixture.settle(.seconds(5))
        #expect(fixture.http.batches.count == before)
        await see(1, fixture)
        await fixture.settle(.milliseconds(100))
        #expect(counts(fixture).dropFirst(before) == [50])
        await see(3, fixture)
        await fixture.settle(.seconds(20))
        #expect(counts(fixture).dropFirst(before) == [50])
        await fixture.settle(.seconds(11))
        #expect(counts(fixture).dropFirst(before) == [50, 3])
        await fixture.app.shutdown()
    }

    @Test(
        "NOVA-066 a batch is POST /analytics/events with a JSON array, without a token; after 200 it is not sent again"
    )
    func sent() async throws {
        let fixture = try await quiet()
        let batch = try #require(fixture.http.batches.first)
        #expect(batch.line == "POST /analytics/events" && batch.json.array != nil)
        #expect(batch.request.headerFields[.authorization] == nil && batch.key != nil)
        #expect(batch.json.array?.compactMap { $0["name"]?.string }.first == "app_open")
        await see(50, fixture)
        await fixture.settle(.seconds(61))
        let ids = fixture.http.batches.flatMap { $0.json.array ?? [] }.compactMap { $0["event_id"]?.string }
        #expect(Set(ids).count == ids.count && ids.count == fixture.nova.analytics.count)
        await fixture.app.shutdown()
    }

    @Test(
        "NOVA-067 what is not taken is kept in order, as far as there is room, and sent again as it was; what comes meanwhile follows, and nothing is sent for nothing"
    )
    func failure() async throws {
        let fixture = try await quiet()
        let before = (fixture.http.batches.count, fixture.nova.analytics.count)
        await fixture.settle(.seconds(100))
        #expect(fixture.http.batches.count == before.0)
        try fixture.nova.faults.arm("http.slow", values: ["seconds": 3], atMost: 1)
        try fixture.nova.faults.arm("http.503", skipping: 1, atMost: 5)
        await see(50, fixture)
        await fixture.settle(.seconds(1))
        await see(120, fixture)
        await fixture.settle(.seconds(120))
        let posts = fixture.nova.analytics.dropFirst(before.1).compactMap {
            $0["parameters"]?["post_id"]?.string
        }
        #expect(posts == (Array(0..<50) + Array(0..<120)).map { "post \($0)" })
        let batches = fixture.http.batches.dropFirst(before.0)
        #expect(
            Set(batches.map(\.key)).count == Set(batches.map(\.body)).count
                && batches.count > Set(batches.map(\.key)).count
        )
        // There is room for a thousand, beside the batch that is being sent.
        fixture.network.isolate("phone")
        let count = fixture.nova.analytics.count
        await see(50, fixture)
        await fixture.settle(.milliseconds(100))
        await see(1_200, fixture)
        await fixture.settle(.seconds(120))
        fixture.network.heal()
        await fixture.settle(.seconds(120))
        let kept = fixture.nova.analytics.dropFirst(count).compactMap { $0["parameters"]?["post_id"]?.string }
        #expect(kept == (Array(0..<50) + Array(200..<1_200)).map { "post \($0)" })
        await fixture.app.shutdown()
    }

    @Test("while the device has no network no batch is tried, and then all go in their order")
    func offline() async throws {
        let fixture = try await quiet()
        let (before, count) = (fixture.http.batches.count, fixture.nova.analytics.count)
        await fixture.goOffline()
        await see(120, fixture)
        await fixture.settle(.seconds(3_600))
        #expect(fixture.http.batches.count == before)
        fixture.goOnline()
        await fixture.settle(.seconds(31))
        let posts = fixture.nova.analytics.dropFirst(count).compactMap {
            $0["parameters"]?["post_id"]?.string
        }
        #expect(posts == (0..<120).map { "post \($0)" })
        await fixture.app.shutdown()
    }

    @Test("a batch that Nova will never take is dropped, and later ones go out")
    func poisoned() async throws {
        let fixture = try await quiet()
        try fixture.nova.faults.arm("nova.analytics.400", atMost: 1)
        await see(50, fixture)
        await fixture.settle(.seconds(1))
        let count = fixture.nova.analytics.count
        await see(50, fixture)
        await fixture.settle(.seconds(1))
        #expect(fixture.nova.analytics.count == count + 50)
        await fixture.app.shutdown()
    }

    @Test("a batch whose earlier try is still being done is kept, and stays before later ones")
    func inProgress() async throws {
        let fixture = try await quiet()
        let (count, batches) = (fixture.nova.analytics.count, fixture.http.batches.count)
        try fixture.nova.faults.arm("nova.409InProgress", atMost: 1)
        await see(50, fixture)
        await fixture.settle(.seconds(1))
        await see(50, fixture)
        await fixture.settle(.seconds(60))
        let keys = fixture.http.batches.dropFirst(batches).map(\.key)
        #expect(keys.count == 3 && Set(keys).count == 2)
        let posts = fixture.nova.analytics.dropFirst(count).compactMap {
            $0["parameters"]?["post_id"]?.string
        }
        #expect(posts == (Array(0..<50) + Array(0..<50)).map { "post \($0)" })
        await fixture.app.shutdown()
    }

    @Test(
        "NOVA-068 going to the background is counted and sends what there is at once, in five seconds at most; coming back is counted",
        arguments: [true, false]
    )
    func background(_ isReached: Bool) async throws {
        let fixture = try await quiet()
        await see(2, fixture)
        if !isReached { fixture.network.isolate("phone") }
        let start = ContinuousClock.now
        await fixture.app.enterBackground()
        #expect(ContinuousClock.now - start < .milliseconds(5_100))
        #expect(fixture.tracked("app_background").count == (isReached ? 1 : 0))
        #expect(fixture.tracked("post_impression").count == (isReached ? 2 : 0))
        fixture.network.heal()
        await fixture.app.enterForeground()
        await fixture.settle(.seconds(61))
        #expect(
            fixture.nova.analytics.compactMap { $0["name"]?.string }.suffix(2) == [
                "app_background", "app_foreground",
            ]
        )
        await fixture.app.shutdown()
    }

    @Test("events belong to the person who was signed in when they happened")
    func person() async throws {
        let fixture = try await quiet()
        await see(1, fixture)
        await fixture.screens.root.send(.signOut)
        try await fixture.signIn(fixture.nova.project.users[1])
        await fixture.settle(.seconds(31))
        #expect(fixture.tracked("post_impression").last?["user_id"]?.string == fixture.ada.id)
        #expect(fixture.tracked("sign_out").last?["user_id"]?.string == fixture.ada.id)
        #expect(fixture.tracked("sign_in").last?["user_id"]?.string == fixture.nova.project.users[1].id)
        await fixture.app.shutdown()
    }
}
