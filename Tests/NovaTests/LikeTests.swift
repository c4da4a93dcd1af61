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

@Suite("Likes of Nova", .simulated(seeds: 1...10))
@MainActor
struct LikeTests {
    private func likes(_ fixture: NovaFixture) -> [NotedHTTP.Sent] {
        fixture.http.sent.filter { $0.request.path?.hasSuffix("/like") == true }
    }

    private func isLiked(_ id: String, _ fixture: NovaFixture) -> Bool? {
        fixture.nova.post(id)?.likerIDs.contains(fixture.ada.id)
    }

    @Test(
        "NOVA-023 a like is shown, with one more of them, before anything is sent, wherever the post is shown"
    )
    func optimistic() async throws {
        let fixture = try await NovaFixture()
        let before = try fixture.post(isLiked: false)
        await fixture.screens.root.send(.navigate(.postDetail(postID: before.id)))
        await fixture.settle()
        try fixture.nova.faults.arm("http.slow", values: ["seconds": 5])
        let (start, sent) = (ContinuousClock.now, fixture.http.sent.count)
        await fixture.screens.feed.send(.toggleLike(postID: before.id))
        #expect(fixture.http.sent.count <= sent + 1 && ContinuousClock.now == start)
        let shown = try fixture.shown(before.id)
        #expect(shown.isLiked && shown.likeCount == before.post.likeCount + 1)
        #expect(isLiked(before.id, fixture) == false)
        await fixture.settle(.milliseconds(1))
        #expect(fixture.screens.post.state.post?.post == shown)
        await fixture.app.shutdown()
    }

    @Test(
        "NOVA-024 NOVA-025 a like waits in the queue until it is answered: it is POST /posts/:id/like with a key of its own; afterwards nothing waits, and it stays as it is shown"
    )
    func sent() async throws {
        let fixture = try await NovaFixture()
        let before = try fixture.post(isLiked: false)
        fixture.http.interfere("POST /posts/", .late(.seconds(2)))
        await fixture.screens.feed.send(.toggleLike(postID: before.id))
        await fixture.settle(.seconds(1))
        #expect(likes(fixture).count == 1 && fixture.screens.root.state.pendingCount == 1)
        #expect(try #require(fixture.screens.feed.state.posts.first { $0.id == before.id }).isPending)
        await fixture.settle(.seconds(2))
        let sent = try #require(likes(fixture).first)
        #expect(sent.line == "POST /posts/\(before.id)/like")
        #expect(sent.key.flatMap { UUID(uuidString: $0) } != nil)
        #expect(fixture.screens.root.state.pendingCount == 0 && isLiked(before.id, fixture) == true)
        let shown = try fixture.shown(before.id)
        #expect(shown.isLiked && shown.likeCount == before.post.likeCount + 1)
        await fixture.screens.feed.send(.refresh)
        #expect(try fixture.shown(before.id) == shown)
        await fixture.settle(.seconds(120))
        #expect(likes(fixture).count == 1)
        await fixture.app.shutdown()
    }

    @Test(
        "NOVA-026 a like that fails is tried four times under one key, after 1, 2 and 4 seconds, and then it is taken back exactly"
    )
    func failure() async throws {
        let fixture = try await NovaFixture()
        let before = try fixture.post(isLiked: false)
        try fixture.nova.faults.arm("nova.like.500")
        await fixture.screens.feed.send(.toggleLike(postID: before.id))
        await fixture.settle(.seconds(3))
        #expect(try fixture.shown(before.id).isLiked)
        await fixture.settle(.seconds(200))
        let sent = likes(fixture)
        #expect(sent.count == 4 && Set(sent.map(\.key)).count == 1)
        let waits = zip(sent.dropFirst(), sent).map { ($0.instant - $1.instant) / .seconds(1) }
        for (wait, expected) in zip(waits, [1.0, 2, 4]) {
            #expect((expected...expected * 1.1 + 0.1).contains(wait))
        }
        #expect(try fixture.shown(before.id) == before.post)
        #expect(fixture.screens.root.state.notices.count == 1 && fixture.screens.root.state.pendingCount == 0)
        await fixture.app.shutdown()
    }

    @Test("a like of a post that is gone is dropped quietly")
    func gone() async throws {
        let fixture = try await NovaFixture()
        let before = try fixture.post(isLiked: false)
        await fixture.goOffline()
        await fixture.screens.feed.send(.toggleLike(postID: before.id))
        fixture.nova.removePost(before.id)
        fixture.goOnline()
        await fixture.settle(.seconds(5))
        #expect(fixture.screens.root.state.pendingCount == 0 && fixture.screens.root.state.notices.isEmpty)
        #expect(try !fixture.shown(before.id).isLiked)
        await fixture.app.shutdown()
    }

    @Test(
        "NOVA-027 a like is taken back by DELETE /posts/:id/like, with one less of them and never below none"
    )
    func unlike() async throws {
        let fixture = try await NovaFixture()
        let before = try fixture.post(isLiked: true)
        await fixture.screens.feed.send(.toggleLike(postID: before.id))
        let shown = try fixture.shown(before.id)
        #expect(!shown.isLiked && shown.likeCount == before.post.likeCount - 1)
        await fixture.settle()
        #expect(likes(fixture).map(\.line) == ["DELETE /posts/\(before.id)/like"])
        #expect(likes(fixture)[0].key != nil && isLiked(before.id, fixture) == false)
        #expect(try fixture.shown(before.id) == shown)
        // One that counts wrongly.
        var wrong = before.post
        (wrong.likeCount, wrong.isLiked) = (0, true)
        #expect(wrong.liked(false).likeCount == 0)
        await fixture.app.shutdown()
    }

    @Test(
        "NOVA-028 of wishes in quick sequence the last one counts: while one waits it is replaced, and while one is in work one follows it"
    )
    func sequence() async throws {
        let fixture = try await NovaFixture()
        let (one, other) = (try fixture.post(isLiked: false), try fixture.post(isLiked: true))
        await fixture.goOffline()
        for _ in 0..<4 { await fixture.screens.feed.send(.toggleLike(postID: other.id)) }
        for _ in 0..<3 { await fixture.screens.feed.send(.toggleLike(postID: one.id)) }
        fixture.goOnline()
        await fixture.settle(.seconds(5))
        let lines = likes(fixture).map(\.line)
        #expect(
            Set(lines) == ["POST /posts/\(one.id)/like", "POST /posts/\(other.id)/like"] && lines.count == 2
        )
        #expect(isLiked(one.id, fixture) == true && isLiked(other.id, fixture) == true)

        // Nova does it late, whether anybody waits for the answer or not.
        try fixture.nova.faults.arm("nova.slow", values: ["seconds": 2], atMost: 1)
        await fixture.screens.feed.send(.toggleLike(postID: one.id))
        await fixture.settle(.milliseconds(500))
        for _ in 0..<5 { await fixture.screens.feed.send(.toggleLike(postID: one.id)) }
        await fixture.settle(.seconds(5))
        let later = likes(fixture).dropFirst(2)
        #expect(later.map(\.line) == ["DELETE /posts/\(one.id)/like", "POST /posts/\(one.id)/like"])
        #expect(Set(likes(fixture).map(\.key)).count == 4)
        #expect(isLiked(one.id, fixture) == true)
        #expect(try fixture.shown(one.id).isLiked)
        await fixture.app.shutdown()
    }

    @Test(
        "NOVA-029 NOVA-031 without a network, also where the system has not noticed that yet, a like stays as it is shown and waits, over a restart too; with the network it is sent, and counted once",
        arguments: [true, false]
    )
    func offline(_ isNoticed: Bool) async throws {
        let fixture = try await NovaFixture()
        let before = try fixture.post(isLiked: false)
        let phone = fixture.network.host("phone")
        phone.setAirplaneMode(true)
        if isNoticed { fixture.monitor.report(isConnected: false) }
        await fixture.screens.feed.send(.toggleLike(postID: before.id))
        await fixture.settle(.seconds(2))
        #expect(try fixture.shown(before.id).isLiked && fixture.screens.root.state.pendingCount == 1)
        try await fixture.relaunch()
        await fixture.settle()
        #expect(fixture.screens.root.state.pendingCount == 1)
        #expect(try fixture.shown(before.id).likeCount == before.post.likeCount + 1)
        await fixture.settle(.seconds(300))
        #expect(isLiked(before.id, fixture) == false && fixture.screens.root.state.pendingCount == 1)
        phone.setAirplaneMode(false)
        fixture.monitor.report(isConnected: true)
        await fixture.settle(isNoticed ? .seconds(1) : .seconds(61))
        #expect(isLiked(before.id, fixture) == true && fixture.screens.root.state.pendingCount == 0)
        await fixture.screens.feed.send(.refresh)
        #expect(try fixture.shown(before.id).likeCount == before.post.likeCount + 1)
        #expect(try fixture.shown(before.id).isLiked)
        await fixture.app.shutdown()
    }

    @Test(
        "NOVA-030 a like that Nova has without having said so is sent again when the network is back, and counted once"
    )
    func repeated() async throws {
        let fixture = try await NovaFixture()
        let before = try fixture.post(isLiked: false)
        let count = before.post.likeCount + 1
        try fixture.nova.faults.arm("nova.answerLost", atMost: 1)
        await fixture.screens.feed.send(.toggleLike(postID: before.id))
        await fixture.settle(.milliseconds(300))
        await fixture.screens.feed.send(.refresh)
        await fixture.goOffline()
        #expect(try fixture.shown(before.id).likeCount == count)
        await fixture.settle(.seconds(300))
        #expect(fixture.screens.root.state.pendingCount == 1 && likes(fixture).count == 1)
        fixture.goOnline()
        await fixture.settle(.seconds(2))
        #expect(fixture.screens.root.state.pendingCount == 0)
        #expect(likes(fixture).count == 2 && Set(likes(fixture).map(\.key)).count == 1)
        #expect(try fixture.shown(before.id).isLiked && fixture.shown(before.id).likeCount == count)
        await fixture.screens.feed.send(.refresh)
        #expect(try fixture.shown(before.id).likeCount == count)
        await fixture.app.shutdown()
    }

    @Test(
        "no reading that was under way when a post was liked shows it unliked again, or counts the like twice"
    )
    func readings() async throws {
        let fixture = try await NovaFixture()
        let before = try fixture.post(isLiked: false)
        let expected = before.post.likeCount + 1
        try fixture.nova.faults.arm("http.slow", values: ["seconds": 2], atMost: 1)
        let tapped = ContinuousClock.now + .seconds(1)
        let frames = Task {
            var wrong: [Post] = []
            for await state in fixture.screens.feed.states.values() {
                guard let post = state.posts.first(where: { $0.id == before.id })?.post else { continue }
                if post.isLiked ? post.likeCount != expected : post.likeCount != expected - 1 {
                    wrong.append(post)
                }
                if post.isLiked == false, ContinuousClock.now > tapped { wrong.append(post) }
            }
            return wrong
        }
        await withTaskGroup { group in
            group.addTask { await fixture.screens.feed.send(.refresh) }
            group.addTask {
                await fixture.settle(.seconds(1))
                await fixture.screens.feed.send(.toggleLike(postID: before.id))
                await fixture.screens.feed.send(.refresh)
            }
        }
        await fixture.settle(.seconds(5))
        await fixture.screens.feed.send(.refresh)
        frames.cancel()
        #expect(await frames.value == [])
        #expect(try fixture.shown(before.id).isLiked)
        await fixture.app.shutdown()
    }
}
