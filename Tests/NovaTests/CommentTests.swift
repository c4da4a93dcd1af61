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

@Suite("Posts and comments of Nova", .simulated(seeds: 1...10))
@MainActor
struct CommentTests {
    /// Opens the comments on the first post that has some.
    private func open(_ fixture: NovaFixture) async throws -> String {
        let post = try #require(fixture.screens.feed.state.posts.first { $0.post.commentCount > 0 })
        await fixture.screens.feed.send(.openComments(postID: post.id))
        await fixture.settle()
        return post.id
    }

    private func write(_ text: String, _ fixture: NovaFixture) async {
        await fixture.screens.comments.send(.setText(text))
        await fixture.screens.comments.send(.send)
    }

    private func sent(_ fixture: NovaFixture) -> [NotedHTTP.Sent] {
        fixture.http.sent(.post, "/posts/", "/comments")
    }

    @Test("NOVA-032 a tap on a post opens it, and GET /posts/:id shows all of it")
    func post() async throws {
        let fixture = try await NovaFixture()
        let card = try #require(fixture.screens.feed.state.posts.first { $0.post.imageURL != nil })
        await fixture.screens.feed.send(.open(postID: card.id))
        await fixture.settle(.milliseconds(1))
        #expect(fixture.screens.root.state.path == [.postDetail(postID: card.id)])
        fixture.nova.like(card.id, by: fixture.nova.project.users[1].id)
        await fixture.settle()
        #expect(fixture.http.sent.last?.line == "GET /posts/\(card.id)")
        let (shown, there) = (
            try #require(fixture.screens.post.state.post?.post), try #require(fixture.nova.post(card.id))
        )
        let author = try #require(fixture.nova.account(there.authorID))
        #expect(shown.id == card.id && shown.author.id == there.authorID && shown.caption == there.caption)
        #expect(shown.imageURL == card.post.imageURL && shown.author.username == author.username)
        #expect(shown.likeCount == there.likerIDs.count && shown.commentCount == there.comments.count)
        await fixture.app.shutdown()
    }

    @Test("NOVA-033 a post that is gone is an error, and is asked for once")
    func gone() async throws {
        let fixture = try await NovaFixture()
        await fixture.screens.root.send(.navigate(.postDetail(postID: "nothing")))
        await fixture.settle(.seconds(10))
        #expect(fixture.screens.post.state.errorMessage == NovaError.notFound.errorDescription)
        #expect(!fixture.screens.post.state.isLoading && fixture.screens.post.state.post == nil)
        #expect(fixture.http.sent(.get, "/posts/").count == 1)
        await fixture.app.shutdown()
    }

    @Test("NOVA-034 the comments' icon opens them, and the first page is read")
    func comments() async throws {
        let fixture = try await NovaFixture()
        let writer = fixture.nova.project.users[1].id
        let post = try #require(fixture.screens.feed.state.posts.first).id
        for number in 0..<25 { fixture.nova.comment(post, by: writer, text: "\(number)") }
        await fixture.screens.feed.send(.openComments(postID: post))
        await fixture.settle(.milliseconds(1))
        #expect(fixture.screens.root.state.path == [.comments(postID: post)])
        await fixture.settle()
        #expect(fixture.http.sent.last?.line == "GET /posts/\(post)/comments?page=0&limit=20")
        let state = fixture.screens.comments.state
        #expect(state.comments.map(\.text) == fixture.nova.post(post)?.comments.prefix(20).map(\.self))
        #expect(state.list.hasMore && state.comments[0].author.username == "grace")
        await fixture.screens.comments.send(.loadMore)
        #expect(fixture.screens.comments.state.comments.map(\.text) == fixture.nova.post(post)?.comments)
        await fixture.app.shutdown()
    }

    @Test(
        "NOVA-035 NOVA-036 a comment stands at the top at once, and what Nova calls it takes the place of its own name there"
    )
    func create() async throws {
        let fixture = try await NovaFixture()
        let post = try await open(fixture)
        let before = fixture.screens.comments.state.comments
        try fixture.nova.faults.arm("http.slow", values: ["seconds": 2], atMost: 1)
        await write("  First!  ", fixture)
        var state = fixture.screens.comments.state
        let own = try #require(state.comments.first)
        #expect(own.text == "First!" && own.delivery == .pending && own.author.id == fixture.ada.id)
        #expect(!own.id.isEmpty && !before.map(\.id).contains(own.id))
        #expect(Array(state.comments.dropFirst()) == before && state.text.isEmpty)
        await fixture.settle(.seconds(3))
        state = fixture.screens.comments.state
        let request = try #require(sent(fixture).first)
        #expect(request.line == "POST /posts/\(post)/comments" && request.json == ["text": "First!"])
        #expect(request.key.flatMap { UUID(uuidString: $0) } != nil && sent(fixture).count == 1)
        let named = try #require(state.comments.first)
        #expect(named.delivery == .sent && named.id != own.id && named.text == "First!")
        #expect(Array(state.comments.dropFirst()) == before)
        await fixture.screens.comments.send(.load)
        #expect(fixture.screens.comments.state.comments == state.comments)
        await fixture.app.shutdown()
    }

    @Test("a comment whose answer is lost is shown once, also where it is listed already")
    func twin() async throws {
        let fixture = try await NovaFixture()
        let post = try await open(fixture)
        let count = fixture.screens.comments.state.comments.count
        try fixture.nova.faults.arm("nova.answerLost", atMost: 1)
        await write("Once", fixture)
        await fixture.settle(.milliseconds(300))
        await fixture.screens.comments.send(.load)
        #expect(fixture.screens.comments.state.comments.count == count + 1)
        #expect(fixture.screens.comments.state.comments[0].delivery == .pending)
        await fixture.settle(.seconds(10))
        #expect(fixture.screens.comments.state.comments.count == count + 1)
        #expect(fixture.screens.comments.state.comments[0].delivery == .sent)
        #expect(fixture.nova.post(post)?.comments.count { $0 == "Once" } == 1)
        #expect(Set(sent(fixture).map(\.key)).count == 1 && Set(sent(fixture).map(\.body)).count == 1)
        await fixture.app.shutdown()
    }

    @Test(
        "NOVA-037 a comment waits for the network; one that fails for good is marked, and can be sent again or taken back"
    )
    func failure() async throws {
        let fixture = try await NovaFixture()
        let post = try await open(fixture)
        await fixture.goOffline()
        await write("Later", fixture)
        await fixture.settle(.seconds(100))
        #expect(fixture.screens.comments.state.comments[0].delivery == .pending)
        fixture.goOnline()
        await fixture.settle(.seconds(1))
        #expect(fixture.nova.post(post)?.comments.first == "Later")
        try fixture.nova.faults.arm("nova.500")
        await write("Never", fixture)
        await fixture.settle(.seconds(60))
        var row = fixture.screens.comments.state.comments[0]
        #expect(row.delivery == .failed && row.text == "Never" && row.failure?.contains("500") == true)
        #expect(sent(fixture).count == 5)
        fixture.nova.faults.disarm()
        await fixture.screens.comments.send(.retry(id: row.id))
        await fixture.settle(.seconds(1))
        row = fixture.screens.comments.state.comments[0]
        #expect(row.delivery == .sent && fixture.nova.post(post)?.comments.first == "Never")
        #expect(Set(sent(fixture).map(\.key)).count == 2)
        fixture.nova.removePost(post)
        await write("Gone", fixture)
        await fixture.settle(.seconds(1))
        row = fixture.screens.comments.state.comments[0]
        #expect(row.delivery == .failed && row.text == "Gone")
        await fixture.screens.comments.send(.discard(id: row.id))
        #expect(fixture.screens.comments.state.comments.allSatisfy { $0.text != "Gone" })
        await fixture.app.shutdown()
    }

    @Test("what is typed in the step in which the comments are opened stays")
    func atOnce() async throws {
        let fixture = try await NovaFixture()
        let post = try #require(fixture.screens.feed.state.posts.first).id
        await fixture.screens.feed.send(.openComments(postID: post))
        await fixture.screens.comments.send(.setText("Quick"))
        await fixture.settle()
        #expect(fixture.screens.comments.state.text == "Quick")
        await fixture.app.shutdown()
    }

    @Test("NOVA-038 a blank comment is not sent", arguments: ["", "  ", "\n\t"])
    func blank(_ text: String) async throws {
        let fixture = try await NovaFixture()
        _ = try await open(fixture)
        let before = fixture.screens.comments.state.comments
        await write(text, fixture)
        #expect(!fixture.screens.comments.state.canSend)
        await fixture.settle(.seconds(1))
        #expect(fixture.screens.comments.state.comments == before && sent(fixture).isEmpty)
        await fixture.app.shutdown()
    }
}
