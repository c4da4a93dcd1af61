import Concurrency
import Foundation
import HTTPTypes
import NovaServer
import PeerKit
import ScreenKit
import Services
import SimulatedDevice
import SimulatedTransport
import Simulation
import SimulationTesting
import Testing

@testable import Nova

@Suite("The feed of Nova", .simulated(seeds: 1...10))
@MainActor
struct FeedTests {
    private static let first = "GET /feed?page=0&limit=20"

    private func requests(_ fixture: NovaFixture) -> [String] { fixture.http.sent(.get, "/feed").map(\.line) }

    @Test("NOVA-014 NOVA-015 without a cached page the feed's first page is read: posts, has_more and page 0")
    func initial() async throws {
        let fixture = try await NovaFixture()
        #expect(requests(fixture) == [Self.first])
        let state = fixture.screens.feed.state
        #expect(state.posts.map(\.id) == fixture.nova.posts.prefix(20).map(\.id))
        #expect(state.list == ListState(hasMore: true))
        let (newest, shown) = (try #require(fixture.nova.posts.first), try #require(state.posts.first?.post))
        #expect(shown.author.id == newest.authorID && shown.caption == newest.caption)
        #expect(shown.likeCount == newest.likerIDs.count && shown.commentCount == newest.comments.count)
        #expect(shown.isLiked == newest.likerIDs.contains(fixture.ada.id))
        await fixture.screens.feed.send(.loadMore)
        #expect(requests(fixture).last == "GET /feed?page=1&limit=20")
        // The first page was cached: it is there again before Nova has answered.
        try fixture.nova.faults.arm("http.slow", values: ["seconds": 5], atMost: 1)
        try await fixture.relaunch()
        await fixture.settle(.seconds(1))
        #expect(fixture.screens.feed.state.posts == state.posts)
        #expect(fixture.screens.feed.state.list == ListState(isLoading: true, hasMore: true))
        await fixture.app.shutdown()
    }

    @Test(
        "NOVA-012 NOVA-013 NOVA-014 a page that is less than 30 seconds old is shown at once and replaced by what is read behind it; an older one, and one of the future, are as absent",
        arguments: [(1.0, true), (29.9, true), (30.0, false), (600, false), (-60, false)]
    )
    func cache(_ age: Double, _ isShown: Bool) async throws {
        let fixture = try await NovaFixture(isSignedIn: false)
        await fixture.enter("ada@nova.example", "nova-password-1")
        for await state in fixture.screens.feed.states.values() where !state.posts.isEmpty { break }
        let cachedAt = ContinuousClock.now
        fixture.screens.disappear()
        await fixture.app.shutdown()
        let cached = fixture.nova.posts.prefix(20).map(\.id)
        let new = fixture.nova.publish(by: fixture.nova.project.users[1].id)
        try fixture.nova.faults.arm("http.slow", values: ["seconds": 5], atMost: 1)
        try await Task.sleep(until: cachedAt + .seconds(max(0, age)))
        let phone = try #require(Simulation.current).node("phone")
        if age < 0 { phone.clock.step(by: .seconds(age)) }
        try await phone.run { try await fixture.relaunch() }
        await fixture.settle(.seconds(1))
        #expect(fixture.screens.feed.state.posts.map(\.id) == (isShown ? cached : []))
        #expect(fixture.screens.feed.state.list.isLoading)
        await fixture.settle(.seconds(10))
        #expect(fixture.screens.feed.state.posts.first?.id == new)
        #expect(requests(fixture) == [Self.first, Self.first])
        await fixture.app.shutdown()
    }

    @Test(
        "NOVA-016 a feed that cannot be read is an error without posts; behind a cached page it leaves the posts, after a restart too"
    )
    func failure() async throws {
        let fixture = try await NovaFixture(isSignedIn: false)
        try fixture.nova.faults.arm("nova.500", skipping: 1)
        await fixture.enter("ada@nova.example", "nova-password-1")
        await fixture.settle(.seconds(10))
        #expect(fixture.screens.feed.state.posts.isEmpty)
        #expect(fixture.screens.feed.state.list.errorMessage?.contains("500") == true)
        fixture.nova.faults.disarm()
        await fixture.screens.feed.send(.load)
        let posts = fixture.screens.feed.state.posts
        #expect(posts.count == 20)
        try fixture.nova.faults.arm("nova.500")
        await fixture.screens.feed.send(.load)
        #expect(fixture.screens.feed.state.posts == posts)
        // Less than half a minute after its reading, which is behind what was tried since.
        fixture.nova.faults.disarm()
        await fixture.screens.feed.send(.load)
        try fixture.nova.faults.arm("nova.500", values: ["status": 501])
        try await fixture.relaunch()
        await fixture.settle(.seconds(10))
        #expect(fixture.screens.feed.state.posts == posts && !posts.isEmpty)
        #expect(fixture.screens.feed.state.list.errorMessage?.contains("501") == true)
        await fixture.app.shutdown()
    }

    @Test(
        "NOVA-017 NOVA-018 NOVA-019 the last post brings page after page to the end of the list, and after it nothing is asked for"
    )
    func paging() async throws {
        let fixture = try await NovaFixture()
        let feed = fixture.screens.feed
        await feed.send(.appeared(postID: try #require(feed.state.posts.first).id))
        #expect(requests(fixture).count == 1)
        for _ in 0..<6 { await feed.send(.appeared(postID: try #require(feed.state.posts.last).id)) }
        #expect(
            requests(fixture) == [Self.first, "GET /feed?page=1&limit=20", "GET /feed?page=2&limit=20"]
        )
        #expect(feed.state.posts.map(\.id) == fixture.nova.posts.map(\.id) && !feed.state.list.hasMore)
        await fixture.app.shutdown()
    }

    @Test(
        "NOVA-020 two triggers at once read one page; a failure ends the loading, and the same page is asked for again"
    )
    func onePage() async throws {
        let fixture = try await NovaFixture()
        let feed = fixture.screens.feed
        try fixture.nova.faults.arm("nova.500", values: ["status": 501], atMost: 1)
        await withTaskGroup { group in
            for _ in 0..<2 { group.addTask { await feed.send(.loadMore) } }
        }
        #expect(requests(fixture) == [Self.first, "GET /feed?page=1&limit=20"])
        #expect(
            !feed.state.list.isLoadingMore && feed.state.list.errorMessage != nil && feed.state.list.hasMore
        )
        #expect(feed.state.posts.count == 20)
        await feed.send(.loadMore)
        #expect(requests(fixture).last == "GET /feed?page=1&limit=20" && feed.state.posts.count == 40)
        await fixture.app.shutdown()
    }

    @Test("NOVA-021 posts that are on two pages, because the list has grown between them, are shown once")
    func overlap() async throws {
        let fixture = try await NovaFixture()
        try fixture.nova.faults.arm("nova.feed.grows", values: ["count": 3], atMost: 1)
        await fixture.screens.feed.send(.loadMore)
        let ids = fixture.screens.feed.state.posts.map(\.id)
        #expect(ids.count == 37 && Set(ids).count == 37)
        #expect(ids == fixture.nova.posts.dropFirst(3).prefix(37).map(\.id))
        await fixture.app.shutdown()
    }

    @Test(
        "NOVA-022 pulling to refresh forgets the cached page first, reads page 0 again, and paging begins again"
    )
    func refresh() async throws {
        let fixture = try await NovaFixture()
        let feed = fixture.screens.feed
        await feed.send(.loadMore)
        let new = fixture.nova.publish(by: fixture.nova.project.users[1].id)
        await feed.send(.refresh)
        #expect(feed.state.posts.count == 20 && feed.state.posts.first?.id == new)
        await feed.send(.loadMore)
        #expect(requests(fixture).suffix(2) == [Self.first, "GET /feed?page=1&limit=20"])
        // Where nothing is read, nothing is cached any more, though what was cached would still be shown.
        let cachedAt = ContinuousClock.now
        await feed.send(.refresh)
        try fixture.nova.faults.arm("nova.500", values: ["status": 501])
        await feed.send(.refresh)
        #expect(feed.state.list.errorMessage?.contains("501") == true)
        try await fixture.relaunch()
        await fixture.settle(.seconds(1))
        #expect(ContinuousClock.now - cachedAt < .seconds(20))
        #expect(fixture.screens.feed.state.posts.isEmpty)
        await fixture.app.shutdown()
    }

    @Test("an older reading that comes after a newer one is neither shown nor cached")
    func olderReading() async throws {
        let fixture = try await NovaFixture()
        let feed = fixture.screens.feed
        fixture.http.interfere("GET /feed", .late(.seconds(3)))
        let older = Task { await feed.send(.refresh) }
        await fixture.settle(.seconds(1))
        let new = fixture.nova.publish(by: fixture.nova.project.users[1].id)
        await feed.send(.refresh)
        await older.value
        #expect(feed.state.posts.first?.id == new)
        try fixture.nova.faults.arm("http.slow", values: ["seconds": 10])
        try await fixture.relaunch()
        await fixture.settle(.seconds(1))
        #expect(fixture.screens.feed.state.posts.first?.id == new)
        await fixture.app.shutdown()
    }

    @Test("an older reading of another screen that comes after a newer one takes back nothing of a post")
    func olderReadingElsewhere() async throws {
        let fixture = try await NovaFixture()
        let post = try #require(fixture.nova.posts.first)
        let liker = try #require(
            fixture.nova.project.users.first { $0.id != fixture.ada.id && !post.likerIDs.contains($0.id) }
        )
        fixture.http.interfere("GET /users/", .late(.seconds(3)))
        await fixture.screens.root.send(.navigate(.profile(userID: post.authorID)))
        await fixture.settle(.seconds(1))
        fixture.nova.like(post.id, by: liker.id)
        await fixture.screens.feed.send(.refresh)
        await fixture.settle(.seconds(5))
        #expect(fixture.screens.profile.state.posts.contains { $0.id == post.id })
        for shown in [fixture.screens.feed.state.posts, fixture.screens.profile.state.posts] {
            #expect(shown.first { $0.id == post.id }?.post.likeCount == post.likerIDs.count + 1)
        }
        await fixture.app.shutdown()
    }

    @Test("a list that is as long as it may be says so, and begins again when it is loaded")
    func full() async throws {
        let list = PagedList(changed: {}) { page in PagedList.Found(ids: ["\(page)"], hasMore: true) }
        await list.load()
        for page in 1..<PagedList.mostPages {
            #expect(list.state == ListState(hasMore: true))
            await list.loadMore()
            #expect(list.page == page)
        }
        #expect(list.state == ListState(hasMore: false, isFull: true))
        await list.loadMore()
        #expect(list.ids.count == PagedList.mostPages)
        await list.load()
        #expect(list.ids == ["0"] && list.state == ListState(hasMore: true))
    }

    @Test("of a refresh and further pages at once the list is of one reading")
    func generations() async throws {
        let fixture = try await NovaFixture()
        let feed = fixture.screens.feed
        try fixture.nova.faults.arm("http.slow", values: ["seconds": 3], atMost: 1)
        await withTaskGroup { group in
            group.addTask { await feed.send(.loadMore) }
            group.addTask {
                await fixture.settle(.seconds(1))
                fixture.nova.publish(by: fixture.nova.project.users[1].id)
                await feed.send(.refresh)
            }
        }
        #expect(feed.state.posts.map(\.id) == fixture.nova.posts.prefix(20).map(\.id))
        #expect(feed.state.list == ListState(hasMore: true))
        await fixture.app.shutdown()
    }
}
