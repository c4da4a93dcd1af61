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

@Suite("Tokens of Nova", .simulated(seeds: 1...10))
@MainActor
struct TokenTests {
    private func session(_ fixture: NovaFixture) throws -> JSONValue {
        try JSONValue(json: Array(#require(try fixture.secrets.secret(named: "nova.session")).reveal().utf8))
    }

    @Test(
        "NOVA-007 NOVA-008 a 401 has both tokens replaced by POST /auth/refresh with the kept refresh token, and the request goes out once more with the new one"
    )
    func refresh() async throws {
        let fixture = try await NovaFixture()
        let old = try session(fixture)
        let before = fixture.http.sent.count
        fixture.nova.revokeAccessTokens()
        await fixture.screens.feed.send(.refresh)
        let sent = fixture.http.sent.dropFirst(before)
        #expect(
            sent.map(\.line) == [
                "GET /feed?page=0&limit=20", "POST /auth/refresh", "GET /feed?page=0&limit=20",
            ]
        )
        #expect(sent.dropFirst().first?.json == ["refresh_token": old["refresh"] ?? .null])
        #expect(sent.dropFirst().first?.request.headerFields[.authorization] == nil)
        let new = try session(fixture)
        #expect(new["token"] != old["token"] && new["refresh"] != old["refresh"])
        #expect(sent.last?.request.headerFields[.authorization] == "Bearer \(new["token"]?.string ?? "-")")
        #expect(fixture.screens.feed.state.list.errorMessage == nil)
        // The next refresh goes out with the new refresh token.
        fixture.nova.revokeAccessTokens()
        await fixture.screens.feed.send(.refresh)
        #expect(
            fixture.http.sent(.post, "/auth/refresh").last?.json == ["refresh_token": new["refresh"] ?? .null]
        )
        await fixture.app.shutdown()
    }

    @Test("NOVA-009 a repetition that is refused with 401 again fails, and nothing is sent a third time")
    func twice() async throws {
        let fixture = try await NovaFixture()
        let before = fixture.http.sent.count
        try fixture.nova.faults.arm("nova.401Early")
        await fixture.screens.feed.send(.refresh)
        await fixture.settle(.seconds(30))
        let sent = fixture.http.sent.dropFirst(before).map(\.line)
        #expect(sent == ["GET /feed?page=0&limit=20", "POST /auth/refresh", "GET /feed?page=0&limit=20"])
        #expect(fixture.screens.feed.state.list.errorMessage == NovaError.unauthorized.errorDescription)
        await fixture.app.shutdown()
    }

    @Test(
        "NOVA-010 a refresh that is refused with 401, and a session without a refresh token, end at the sign-in",
        arguments: [true, false]
    )
    func ended(_ isRefused: Bool) async throws {
        let fixture = try await NovaFixture()
        if isRefused {
            fixture.nova.endSessions(of: fixture.ada.id)
            await fixture.screens.feed.send(.refresh)
        } else {
            await fixture.app.shutdown()
            var session = try #require(try session(fixture).object)
            session["refresh"] = nil
            let text = String(decoding: JSONValue.object(session).json, as: UTF8.self)
            try fixture.secrets.set(.init(text), named: "nova.session")
            try await fixture.relaunch()
        }
        await fixture.settle()
        #expect(fixture.screens.root.state.root == .signIn)
        #expect(try fixture.secrets.secret(named: "nova.session") == nil)
        #expect(fixture.http.sent(.post, "/auth/refresh").count == (isRefused ? 1 : 0))
        await fixture.app.shutdown()
    }

    @Test(
        "a refresh that does not reach Nova, or that Nova cannot do, leaves the session",
        arguments: [true, false]
    )
    func trouble(_ isCut: Bool) async throws {
        let fixture = try await NovaFixture()
        fixture.nova.revokeAccessTokens()
        if isCut { fixture.network.isolate("phone") } else { try fixture.nova.faults.arm("nova.refresh.503") }
        await fixture.screens.feed.send(.refresh)
        #expect(fixture.screens.root.state.root == .main)
        #expect(fixture.screens.feed.state.list.errorMessage != nil)
        fixture.network.heal()
        fixture.nova.faults.disarm()
        await fixture.screens.feed.send(.refresh)
        #expect(fixture.screens.feed.state.list.errorMessage == nil)
        await fixture.app.shutdown()
    }

    @Test("a like waits as long as its token cannot be renewed: Nova has refused to renew, and not the like")
    func outageOfRenewal() async throws {
        let fixture = try await NovaFixture()
        let liked = try fixture.post(isLiked: false)
        fixture.nova.revokeAccessTokens()
        try fixture.nova.faults.arm("nova.refresh.503")
        await fixture.screens.feed.send(.toggleLike(postID: liked.id))
        await fixture.settle(.seconds(600))
        #expect(fixture.http.sent(.post, "/posts/\(liked.id)/like").count > 4)
        #expect(try fixture.shown(liked.id).isLiked && fixture.screens.root.state.notices.isEmpty)
        fixture.nova.faults.disarm()
        await fixture.settle(.seconds(100))
        #expect(fixture.nova.post(liked.id)?.likerIDs.contains(fixture.ada.id) == true)
        #expect(fixture.screens.root.state.pendingCount == 0)
        await fixture.app.shutdown()
    }

    @Test("a refresh whose answer is lost ends in one sign-in at most, and what waits is kept")
    func lost() async throws {
        let fixture = try await NovaFixture()
        fixture.nova.revokeAccessTokens()
        try fixture.nova.faults.arm("nova.refresh.lost", atMost: 1)
        let liked = try fixture.post(isLiked: false)
        await fixture.screens.feed.send(.toggleLike(postID: liked.id))
        await fixture.settle(.seconds(200))
        #expect(fixture.screens.root.state.root == .signIn)
        #expect(fixture.http.sent(.post, "/auth/refresh").count == 2)
        try await fixture.signIn()
        await fixture.settle(.seconds(5))
        #expect(fixture.nova.post(liked.id)?.likerIDs.contains(fixture.ada.id) == true)
        await fixture.app.shutdown()
    }

    @Test("a reading that outlasts its session never carries the token of the next person")
    func nextPerson() async throws {
        let fixture = try await NovaFixture()
        let post = try #require(fixture.screens.feed.state.posts.first).id
        await fixture.screens.root.send(.navigate(.postDetail(postID: post)))
        await fixture.settle()
        let before = fixture.http.sent(.get, "/posts/").count
        try fixture.nova.faults.arm("nova.500", atMost: 1)
        let reading = Task { await fixture.screens.post.send(.load) }
        await fixture.settle(.milliseconds(100))
        await fixture.screens.root.send(.signOut)
        try await fixture.signIn(fixture.nova.project.users[1])
        await reading.value
        #expect(fixture.http.sent(.get, "/posts/").count == before + 1)
        await fixture.app.shutdown()
    }

    @Test("a session that has ended keeps nothing more, and its queue waits for the next sign-in")
    func closed() async throws {
        let fixture = try await NovaFixture()
        let session = try #require(fixture.app.session)
        let liked = try fixture.post(isLiked: false)
        await fixture.goOffline()
        await fixture.screens.feed.send(.toggleLike(postID: liked.id))
        await session.stop()
        var other = session.user
        other.displayName = "Somebody else"
        session.take(me: other)
        #expect(session.log.cached("me", as: User.self)?.value.displayName == "Ada")
        #expect(throws: NovaError.unauthorized) { try session.toggleLike(liked.id) }
        await fixture.app.shutdown()
    }

    @Test(
        "NOVA-011 however many requests are refused with 401 at once, there is one refresh, and all succeed"
    )
    func storm() async throws {
        let fixture = try await NovaFixture()
        let posts = fixture.screens.feed.state.posts.map(\.id)
        let windows = posts.map { _ in fixture.app.makeScreens() }
        for (window, id) in zip(windows, posts) { await window.root.send(.navigate(.postDetail(postID: id))) }
        fixture.nova.revokeAccessTokens()
        await withTaskGroup { group in
            for window in windows { group.addTask { await window.post.send(.load) } }
            group.addTask { await fixture.screens.feed.send(.refresh) }
            group.addTask { await fixture.screens.notifications.send(.load) }
        }
        #expect(fixture.http.sent(.post, "/auth/refresh").count == 1)
        #expect(windows.allSatisfy { $0.post.state.post != nil && $0.post.state.errorMessage == nil })
        #expect(fixture.screens.feed.state.list.errorMessage == nil)
        await fixture.app.shutdown()
    }
}
