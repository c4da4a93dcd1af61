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

@Suite("Network errors of Nova", .simulated(seeds: 1...10))
@MainActor
struct NetworkErrorTests {
    /// Requests for a post since there were so many, and the seconds between them.
    private func open(_ fixture: NovaFixture) async -> (requests: [NotedHTTP.Sent], waits: [Double]) {
        let before = fixture.http.sent.count
        await fixture.screens.post.send(.load)
        let requests = Array(fixture.http.sent.dropFirst(before))
        return (requests, zip(requests.dropFirst(), requests).map { ($0.instant - $1.instant) / .seconds(1) })
    }

    private func opened() async throws -> NovaFixture {
        let fixture = try await NovaFixture()
        let post = try #require(fixture.screens.feed.state.posts.first).id
        await fixture.screens.root.send(.navigate(.postDetail(postID: post)))
        await fixture.settle()
        return fixture
    }

    @Test(
        "NOVA-069 NOVA-070 what is read is tried three times in all, with waits of 1 and 2 seconds, after 429, after each 5xx that may pass, and where Nova is not reached",
        arguments: ["nova.429", "nova.500", "http.502", "http.503", "cut"]
    )
    func thrice(_ fault: String) async throws {
        let fixture = try await opened()
        if fault == "cut" {
            fixture.network["phone", "nova"].forth.isPartitioned = false
            fixture.network.reset("phone", "nova")
            try fixture.nova.faults.arm("nova.answerCut")
        } else {
            try fixture.nova.faults.arm(fault, values: fault == "nova.429" ? ["hint": 4] : [:])
        }
        let (requests, waits) = await open(fixture)
        #expect(requests.count == 3 && Set(requests.map(\.line)).count == 1)
        for (wait, expected) in zip(waits, [1.0, 2]) {
            #expect((expected...expected * 1.1 + 0.1).contains(wait))
        }
        #expect(fixture.screens.post.state.errorMessage != nil)
        fixture.nova.faults.disarm()
        #expect(await open(fixture).requests.count == 1)
        #expect(fixture.screens.post.state.errorMessage == nil)
        await fixture.app.shutdown()
    }

    @Test(
        "NOVA-069 what a person waits for is tried three times as well: signing in, a place for a picture, a profile"
    )
    func changes() async throws {
        let fixture = try await NovaFixture(isSignedIn: false)
        try fixture.nova.faults.arm("nova.500", atMost: 2)
        try await fixture.signIn()
        await fixture.settle(.seconds(5))
        #expect(fixture.http.sent(.post, "/auth/signin").count == 3)
        try fixture.nova.faults.arm("nova.presign.500", atMost: 2)
        fixture.photos.set(try ScriptedPhotos.picture(40, 30))
        for action in [CreateViewModel.Action.pick, .applyEdit, .publish] {
            await fixture.screens.create.send(action)
        }
        #expect(fixture.http.sent(.post, "/upload/presign").count == 3)
        #expect(fixture.nova.posts.first?.authorID == fixture.ada.id)
        await fixture.screens.root.send(.navigate(.editProfile))
        await fixture.settle()
        await fixture.screens.editProfile.send(.setDisplayName("Other"))
        try fixture.nova.faults.arm("nova.500")
        await fixture.screens.editProfile.send(.save)
        let sent = fixture.http.sent(.patch, "/users/")
        #expect(sent.count == 3 && Set(sent.map(\.key)).count == 1 && Set(sent.map(\.body)).count == 1)
        #expect(fixture.nova.account(fixture.ada.id)?.displayName == "Ada")
        await fixture.app.shutdown()
    }

    @Test("NOVA-071 after 503 and 503 the third try may succeed; after a third failure it is shown")
    func third() async throws {
        let fixture = try await opened()
        try fixture.nova.faults.arm("nova.500", values: ["status": 503], atMost: 2)
        #expect(await open(fixture).requests.count == 3)
        #expect(fixture.screens.post.state.errorMessage == nil)
        try fixture.nova.faults.arm("nova.500", values: ["status": 503], atMost: 3)
        #expect(await open(fixture).requests.count == 3)
        #expect(fixture.screens.post.state.errorMessage?.contains("503") == true)
        await fixture.app.shutdown()
    }

    @Test(
        "the wait that Nova asks for is respected, and one that is too long ends the tries",
        arguments: [(5, 0), (5, 1), (5, 3), (3600, 0)]
    )
    func patience(_ seconds: Int, _ hint: Int) async throws {
        let fixture = try await opened()
        try fixture.nova.faults.arm(
            "nova.429",
            values: ["retryAfter": Double(seconds), "hint": Double(hint)],
            atMost: 1
        )
        let (requests, waits) = await open(fixture)
        #expect(requests.count == (seconds > 30 ? 1 : 2))
        #expect(waits.allSatisfy { $0 > Double(seconds) - 1.01 && $0 < Double(seconds) * 1.1 + 1 })
        #expect((fixture.screens.post.state.errorMessage == nil) == (seconds <= 30))
        await fixture.app.shutdown()
    }

    @Test("NOVA-072 other refusals are asked for once, and shown")
    func once() async throws {
        let fixture = try await opened()
        for status in [400, 402, 403, 405, 406, 409, 410, 413, 422, 451] {
            let words = "Not with \(status)."
            let body = #"{"error":"refused","message":"\#(words)"}"#
            fixture.http.interfere("GET /posts/", .answer(status: status, body: body))
            #expect(await open(fixture).requests.count == 1)
            let expected = status == 403 ? NovaError.forbidden.errorDescription : words
            #expect(fixture.screens.post.state.errorMessage == expected)
        }
        let shown = try #require(fixture.screens.post.state.postID)
        fixture.nova.removePost(shown)
        #expect(await open(fixture).requests.count == 1)
        #expect(fixture.screens.post.state.errorMessage == NovaError.notFound.errorDescription)
        await fixture.screens.root.send(.signOut)
        await fixture.screens.signIn.send(.setMode(.signUp))
        await fixture.screens.signIn.send(.setUsername("ada"))
        let before = fixture.http.sent.count
        await fixture.enter("other@nova.example", "a-long-password")
        // 409, of a name that is taken.
        #expect(fixture.http.sent.dropFirst(before).count { $0.line == "POST /auth/signup" } == 1)
        #expect(fixture.screens.signIn.state.progress.showErrorAlert)
        #expect(fixture.screens.signIn.state.progress.errorMessage == "Somebody has that username.")
        await fixture.app.shutdown()
    }

    @Test(
        "NOVA-073 without a connection what is read fails with “No connection” alone, and what is done waits in the queue with the same words; a form says so and stays",
        arguments: [true, false]
    )
    func offline(_ isPortal: Bool) async throws {
        let fixture = try await opened()
        if isPortal { try fixture.nova.faults.arm("nova.html") } else { fixture.network.isolate("phone") }
        _ = await open(fixture)
        #expect(fixture.screens.post.state.errorMessage == "No connection")
        #expect(fixture.screens.root.state.pendingCount == 0 && fixture.screens.root.state.connection == nil)
        let before = fixture.screens.post.state.post?.post.isLiked
        await fixture.screens.post.send(.toggleLike)
        await fixture.settle(.seconds(40))
        #expect(fixture.screens.root.state.pendingCount == 1)
        #expect(fixture.screens.root.state.connection == "No connection")
        #expect(fixture.screens.post.state.post?.post.isLiked != before)
        await fixture.screens.post.send(.openComments)
        await fixture.screens.comments.send(.setText("Waits"))
        await fixture.screens.comments.send(.send)
        await fixture.settle(.seconds(100))
        #expect(fixture.screens.root.state.pendingCount == 2)
        #expect(fixture.screens.comments.state.comments.first?.delivery == .pending)
        // Somebody waits before a form: what is in it is kept there.
        await fixture.screens.root.send(.navigate(.editProfile))
        await fixture.screens.editProfile.send(.setDisplayName("Other"))
        await fixture.screens.editProfile.send(.save)
        #expect(fixture.screens.editProfile.state.progress.errorMessage == "No connection")
        #expect(fixture.screens.editProfile.state.displayName == "Other")
        #expect(fixture.screens.root.state.pendingCount == 2)
        #expect(fixture.screens.root.state.connection == "No connection")
        fixture.nova.faults.disarm()
        fixture.network.heal()
        await fixture.settle(.seconds(100))
        #expect(fixture.screens.root.state.pendingCount == 0 && fixture.screens.root.state.connection == nil)
        #expect(fixture.screens.root.state.notices.isEmpty)
        await fixture.app.shutdown()
    }
}
