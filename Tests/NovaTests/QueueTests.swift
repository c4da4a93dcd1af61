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

@Suite("The queue of Nova", .simulated(seeds: 1...10))
@MainActor
struct QueueTests {
    private func likes(_ fixture: NovaFixture) -> [NotedHTTP.Sent] {
        fixture.http.sent.filter { $0.request.path?.hasSuffix("/like") == true }
    }

    private func unliked(_ fixture: NovaFixture) -> [String] {
        fixture.screens.feed.state.posts.filter { !$0.post.isLiked }.map(\.id)
    }

    private func like(_ ids: some Sequence<String>, _ fixture: NovaFixture) async {
        for id in ids { await fixture.screens.feed.send(.toggleLike(postID: id)) }
    }

    @Test(
        "NOVA-074 what waits is tried when the app comes to the foreground, when the network is back, and each minute",
        arguments: [0, 1, 2]
    )
    func triggers(_ trigger: Int) async throws {
        let fixture = try await NovaFixture()
        if trigger == 1 { await fixture.goOffline() } else { try fixture.nova.faults.arm("nova.html") }
        await like(unliked(fixture).prefix(1), fixture)
        await fixture.settle(.seconds(35))
        fixture.network.heal()
        fixture.nova.faults.disarm()
        let before = likes(fixture).count
        await fixture.settle(.seconds(5))
        try #require(likes(fixture).count == before && fixture.screens.root.state.pendingCount == 1)
        let start = ContinuousClock.now
        switch trigger {
        case 0: await fixture.app.enterForeground()
        case 1: fixture.monitor.report(isConnected: true)
        default: break
        }
        for _ in 0..<1_000 where fixture.screens.root.state.pendingCount > 0 {
            await fixture.settle(.milliseconds(100))
        }
        #expect(ContinuousClock.now - start <= (trigger == 2 ? .seconds(61) : .seconds(1)))
        #expect(likes(fixture).count == before + 1)
        await fixture.app.shutdown()
    }

    @Test("NOVA-075 what waits is tried in the order in which it was done, and is gone when it is done")
    func order() async throws {
        let fixture = try await NovaFixture()
        await fixture.goOffline()
        let ids = Array(unliked(fixture).prefix(5).reversed())
        await like(ids, fixture)
        fixture.goOnline()
        await fixture.settle(.seconds(5))
        #expect(likes(fixture).map(\.line) == ids.map { "POST /posts/\($0)/like" })
        #expect(fixture.screens.root.state.pendingCount == 0)
        await fixture.settle(.seconds(130))
        #expect(likes(fixture).count == 5)
        await fixture.app.shutdown()
    }

    @Test(
        "NOVA-076 an action that fails is kept for three more tries, then it is dropped and the app says so",
        arguments: [3, 4]
    )
    func givingUp(_ failures: Int) async throws {
        let fixture = try await NovaFixture()
        try fixture.nova.faults.arm("nova.like.500", atMost: failures)
        let id = try #require(unliked(fixture).first)
        await like([id], fixture)
        for count in 1...3 {
            for _ in 0..<100 where likes(fixture).count < count { await fixture.settle(.milliseconds(100)) }
            await fixture.settle(.milliseconds(100))
            #expect(
                fixture.screens.root.state.pendingCount == 1 && fixture.screens.root.state.notices.isEmpty
            )
        }
        await fixture.settle(.seconds(200))
        #expect(likes(fixture).count == 4 && fixture.screens.root.state.pendingCount == 0)
        let notices = fixture.screens.root.state.notices
        #expect(notices.count == (failures == 4 ? 1 : 0))
        #expect(fixture.nova.post(id)?.likerIDs.contains(fixture.ada.id) == (failures == 3))
        for notice in notices { await fixture.screens.root.send(.dismissNotice(id: notice.id)) }
        #expect(fixture.screens.root.state.notices.isEmpty)
        await fixture.app.shutdown()
    }

    @Test("NOVA-077 triggers at the same time send nothing twice, and what fails does not hold up the others")
    func overlap() async throws {
        let fixture = try await NovaFixture()
        let ids = Array(unliked(fixture).prefix(4))
        await fixture.goOffline()
        await like(ids, fixture)
        try fixture.nova.faults.arm("nova.like.500", atMost: 1)
        try fixture.nova.faults.arm("http.slow", values: ["seconds": 1])
        fixture.goOnline()
        await withTaskGroup { group in
            for _ in 0..<5 { group.addTask { await fixture.app.enterForeground() } }
        }
        await fixture.settle(.seconds(20))
        // The one that has failed waits for a second, and the next one does not.
        let lines = likes(fixture).map(\.line)
        #expect(Array(lines.prefix(2)) == ids.prefix(2).map { "POST /posts/\($0)/like" })
        #expect(likes(fixture).count == 5 && Set(likes(fixture).map(\.key)).count == 4)
        #expect(fixture.screens.root.state.pendingCount == 0)
        await fixture.app.shutdown()
    }

    @Test(
        "an action that Nova has in work is no failure, also where what says so was cut",
        arguments: [1, 8],
        [false, true]
    )
    func inProgress(_ times: Int, _ isCut: Bool) async throws {
        let fixture = try await NovaFixture()
        let id = try #require(unliked(fixture).first)
        if isCut {
            let half = NotedHTTP.Interference.answer(status: 409, body: #"{"error":"idempotency_in_pro"#)
            for _ in 0..<times { fixture.http.interfere("POST /posts/\(id)/like", half) }
        } else {
            try fixture.nova.faults.arm("nova.409InProgress", atMost: times)
        }
        await like([id], fixture)
        await fixture.settle(.seconds(300))
        #expect(likes(fixture).count > 1 && Set(likes(fixture).map(\.key)).count == 1)
        #expect(fixture.screens.root.state.pendingCount == 0)
        #expect(fixture.screens.root.state.notices.isEmpty)
        #expect(try fixture.shown(id).isLiked)
        await fixture.app.shutdown()
    }

    @Test(
        "an answer of another form is no network that is away: work is given up at last, and later work is done"
    )
    func otherForm() async throws {
        let fixture = try await NovaFixture()
        let comments = fixture.screens.comments
        let post = try #require(fixture.screens.feed.state.posts.first).id
        await fixture.screens.feed.send(.openComments(postID: post))
        await fixture.settle()
        try fixture.nova.faults.arm("nova.malformed")
        await comments.send(.setText("Odd"))
        await comments.send(.send)
        await fixture.settle(.seconds(120))
        #expect(fixture.http.sent(.post, "/posts/", "/comments").count == 4)
        #expect(fixture.screens.root.state.notices.contains { $0.text.contains("was not sent") })
        fixture.nova.faults.disarm()
        await comments.send(.setText("Plain"))
        await comments.send(.send)
        await fixture.settle(.seconds(2))
        #expect(fixture.http.sent(.post, "/posts/", "/comments").count == 5)
        #expect(fixture.screens.root.state.pendingCount == 0)
        await fixture.app.shutdown()
    }

    @Test(
        "a comment that has waited for more than a day is not sent by itself, since Nova has forgotten its key, and the app says so",
        arguments: [90_000, 604_800]
    )
    func week(_ seconds: Int) async throws {
        let fixture = try await NovaFixture()
        let post = try #require(fixture.screens.feed.state.posts.first).id
        await fixture.screens.feed.send(.openComments(postID: post))
        await fixture.settle()
        await fixture.goOffline()
        await fixture.screens.comments.send(.setText("Old"))
        await fixture.screens.comments.send(.send)
        await like(unliked(fixture).prefix(1), fixture)
        await fixture.app.shutdown()
        try await Task.sleep(for: .seconds(seconds))
        fixture.goOnline()
        try await fixture.relaunch()
        await fixture.settle(.seconds(10))
        #expect(!likes(fixture).isEmpty && fixture.http.sent(.post, "/posts/", "/comments").isEmpty)
        #expect(fixture.screens.root.state.pendingCount == 0)
        let reason = "It has waited for more than a day."
        #expect(fixture.screens.root.state.notices.map(\.text) == ["Your comment was not sent. \(reason)"])
        await fixture.screens.root.send(.navigate(.comments(postID: post)))
        await fixture.settle()
        let row = try #require(fixture.screens.comments.state.comments.first)
        #expect(row.text == "Old" && row.delivery == .failed && row.failure == reason)
        await fixture.screens.comments.send(.retry(id: row.id))
        await fixture.settle(.seconds(1))
        #expect(fixture.nova.post(post)?.comments.first == "Old")
        await fixture.app.shutdown()
    }
}
