import Concurrency
import Foundation
import HTTPTypes
import NovaServer
import PeerKit
import S3Server
import ScreenKit
import Services
import SimulatedDevice
import SimulatedDisk
import SimulatedTransport
import Simulation
import SimulationTesting
import Testing

@testable import Nova

@Suite("The number of comments at Nova", .simulated(seeds: 1...10))
@MainActor
struct CommentCountTests {
    /// How a comment and a reading of its post overlap.
    enum Overlap: CaseIterable, Sendable {
        /// Nova has it, its answer is lost, and the post is read before it is sent again.
        case answerLost
        /// Nova has it, its answer is late, and the post is read before that comes.
        case answerLate
        /// The post is read before Nova does what it has received.
        case workLate
        /// The post is read before Nova has it, and that answer comes after it is done.
        case readingLate
    }

    private func count(_ postID: String, _ fixture: NovaFixture) -> Int? {
        fixture.screens.feed.state.posts.first { $0.id == postID }?.post.commentCount
    }

    @Test("a comment that is under way while its post is read is counted once", arguments: Overlap.allCases)
    func known(_ overlap: Overlap) async throws {
        let fixture = try await NovaFixture()
        let card = try #require(fixture.screens.feed.state.posts.first)
        let before = card.post.commentCount
        await fixture.screens.feed.send(.openComments(postID: card.id))
        await fixture.settle()
        let most = Task {
            var most = 0
            for await state in fixture.screens.feed.states.values() {
                most = max(most, state.posts.first { $0.id == card.id }?.post.commentCount ?? 0)
            }
            return most
        }
        let feed = fixture.screens.feed
        switch overlap {
        case .answerLost: try fixture.nova.faults.arm("nova.answerLost", atMost: 1)
        case .answerLate: fixture.http.interfere("POST /posts/", .late(.seconds(3)))
        case .workLate: try fixture.nova.faults.arm("nova.slow", values: ["seconds": 3], atMost: 1)
        case .readingLate: fixture.http.interfere("GET /feed", .late(.seconds(3)))
        }
        let reading = overlap == .readingLate ? Task { await feed.send(.refresh) } : nil
        await fixture.settle(.milliseconds(100))
        await fixture.screens.comments.send(.setText("Counted"))
        await fixture.screens.comments.send(.send)
        await fixture.settle(.milliseconds(500))
        if reading == nil { await feed.send(.refresh) }
        await fixture.settle(.seconds(10))
        await reading?.value
        #expect(fixture.nova.post(card.id)?.comments.first == "Counted")
        #expect(count(card.id, fixture) == before + 1)
        await feed.send(.refresh)
        #expect(count(card.id, fixture) == before + 1)
        most.cancel()
        #expect(await most.value == before + 1)
        await fixture.app.shutdown()
    }

    @Test("comments on a post of which nothing was known before are not counted twice either")
    func unknown() async throws {
        let fixture = try await NovaFixture()
        let post = try #require(fixture.nova.posts.last)
        try #require(!fixture.screens.feed.state.posts.contains { $0.id == post.id })
        await fixture.screens.root.send(.navigate(.comments(postID: post.id)))
        await fixture.settle()
        try fixture.nova.faults.arm("nova.answerLost", atMost: 1)
        await fixture.screens.comments.send(.setText("Counted"))
        await fixture.screens.comments.send(.send)
        await fixture.settle(.milliseconds(300))
        await fixture.screens.root.send(.navigate(.postDetail(postID: post.id)))
        await fixture.settle(.seconds(10))
        let shown = { fixture.screens.post.state.post?.post.commentCount }
        #expect(shown() == post.comments.count + 1)
        await fixture.screens.post.send(.load)
        #expect(shown() == post.comments.count + 1)
        await fixture.app.shutdown()
    }

    @Test("a comment that was done after the feed was cached is counted when the cache is shown")
    func cached() async throws {
        let fixture = try await NovaFixture()
        let card = try #require(fixture.screens.feed.state.posts.first)
        await fixture.screens.feed.send(.openComments(postID: card.id))
        await fixture.settle()
        await fixture.screens.comments.send(.setText("Counted"))
        await fixture.screens.comments.send(.send)
        await fixture.settle(.seconds(1))
        try fixture.nova.faults.arm("http.slow", values: ["seconds": 5])
        try await fixture.relaunch()
        await fixture.settle()
        #expect(count(card.id, fixture) == card.post.commentCount + 1)
        await fixture.app.shutdown()
    }
}
