import Concurrency
import Foundation
import HTTPTypes
import NovaServer
import PeerKit
import ScreenKit
import Services
import SimulatedDevice
import SimulatedDisk
import SimulatedTransport
import SimulationTesting
import Testing

@testable import Nova

@Suite("Signing in to Nova", .simulated(seeds: 1...10))
@MainActor
struct SignInTests {
    @Test("NOVA-001 signing in sends POST /auth/signin with e-mail address and password as JSON")
    func request() async throws {
        let fixture = try await NovaFixture(isSignedIn: false)
        await fixture.enter(" ada@nova.example ", "nova-password-1")
        let sent = try #require(fixture.http.sent.first)
        #expect(sent.line == "POST /auth/signin")
        #expect(sent.request.headerFields[.contentType] == "application/json")
        #expect(sent.request.headerFields[.authorization] == nil)
        #expect(sent.json == ["email": "ada@nova.example", "password": "nova-password-1"])
        await fixture.app.shutdown()
    }

    @Test("NOVA-002 a sign-in keeps both tokens in the store of secrets, and the person is known")
    func tokens() async throws {
        let fixture = try await NovaFixture(isSignedIn: false)
        // The person is known before anything is read that names them as well.
        fixture.http.interfere("GET /feed", .late(.seconds(1)))
        await fixture.enter("ada@nova.example", "nova-password-1")
        await fixture.settle(.milliseconds(1))
        let user = try #require(fixture.screens.root.state.user)
        #expect(user.id == fixture.ada.id && user.username == "ada" && user.displayName == "Ada")
        await fixture.settle(.seconds(2))
        let kept = try #require(try fixture.secrets.secret(named: "nova.session")).reveal()
        let session = try JSONValue(json: Array(kept.utf8))
        await fixture.screens.feed.send(.refresh)
        #expect(
            fixture.http.sent.last?.request.headerFields[.authorization]
                == "Bearer \(session["token"]?.string ?? "-")"
        )
        let refresh = try #require(session["refresh"]?.string)
        fixture.nova.revokeAccessTokens()
        await fixture.screens.feed.send(.refresh)
        #expect(fixture.http.sent(.post, "/auth/refresh").last?.json == ["refresh_token": .string(refresh)])
        #expect(fixture.screens.root.state.user?.id == fixture.ada.id)
        await fixture.app.shutdown()
    }

    @Test(
        "NOVA-003 with the sign-in the root switches from the sign-in to the tabs, and the feed is the first"
    )
    func root() async throws {
        let fixture = try await NovaFixture(isSignedIn: false)
        #expect(fixture.screens.root.state == RootViewModel.State(root: .signIn))
        await fixture.enter("ada@nova.example", "nova-password-1")
        await fixture.settle()
        #expect(fixture.screens.root.state.root == .main && fixture.screens.root.state.tab == .feed)
        #expect(!fixture.screens.signIn.state.hasPassword)
        await fixture.app.shutdown()
    }

    @Test(
        "NOVA-004 wrong credentials are an error: nothing is refreshed or kept, and nobody is signed in",
        arguments: [("ada@nova.example", "wrong"), ("nobody@nova.example", "nova-password-1")]
    )
    func refused(_ email: String, _ password: String) async throws {
        let fixture = try await NovaFixture(isSignedIn: false)
        await fixture.enter(email, password)
        await fixture.settle(.seconds(10))
        #expect(
            fixture.screens.signIn.state.progress.errorMessage == NovaError.wrongCredentials.errorDescription
        )
        #expect(fixture.screens.signIn.state.progress.showErrorAlert)
        #expect(fixture.http.sent.map(\.line) == ["POST /auth/signin"])
        #expect(fixture.screens.root.state.root == .signIn)
        #expect(try fixture.secrets.secret(named: "nova.session") == nil)
        await fixture.app.shutdown()
    }

    @Test("what is no address, and a password that is empty, are not sent")
    func invalid() async throws {
        let fixture = try await NovaFixture(isSignedIn: false)
        await fixture.enter("ada", "")
        #expect(Set(fixture.screens.signIn.state.progress.validationErrors.keys) == ["email", "password"])
        #expect(fixture.http.sent.isEmpty)
        await fixture.app.shutdown()
    }

    @Test("a new account is signed in, and a name that is taken is an error")
    func signUp() async throws {
        let fixture = try await NovaFixture(isSignedIn: false)
        await fixture.screens.signIn.send(.setMode(.signUp))
        await fixture.screens.signIn.send(.setUsername("ada"))
        await fixture.enter("new@nova.example", "a-long-password")
        #expect(fixture.screens.root.state.root == .signIn)
        #expect(!fixture.screens.signIn.state.progress.errorMessage.isEmpty)
        await fixture.screens.signIn.send(.setUsername("newcomer"))
        await fixture.screens.signIn.send(.submit)
        await fixture.settle()
        #expect(fixture.screens.root.state.user?.username == "newcomer")
        await fixture.app.shutdown()
    }

    @Test(
        "NOVA-005 an authorisation's identity token goes to POST /auth/apple, and then it is as with e-mail"
    )
    func apple() async throws {
        let fixture = try await NovaFixture(isSignedIn: false)
        fixture.identities.set(.token, name: "Ada Lovelace")
        await fixture.screens.signIn.send(.signInWithApple)
        await fixture.settle()
        let sent = try #require(fixture.http.sent.first)
        #expect(sent.line == "POST /auth/apple" && sent.request.headerFields[.authorization] == nil)
        #expect(sent.json["identity_token"]?.string?.split(separator: ".").count == 3)
        #expect(sent.json["user"]?.string == "apple-ada" && sent.json["full_name"]?.string == "Ada Lovelace")
        #expect(sent.json["nonce"]?.string?.isEmpty == false)
        #expect(fixture.screens.root.state.root == .main)
        let account = try #require(fixture.nova.account(appleSubject: "apple-ada"))
        #expect(fixture.screens.root.state.user?.id == account.id)
        #expect(try fixture.secrets.secret(named: "nova.session") != nil)
        #expect(!fixture.screens.feed.state.posts.isEmpty)
        await fixture.app.shutdown()
    }

    @Test("a name that Apple gives once is kept until Nova has it")
    func name() async throws {
        let fixture = try await NovaFixture(isSignedIn: false)
        try fixture.nova.faults.arm("nova.500", values: ["status": 501], atMost: 1)
        fixture.identities.set(.token, name: "Ada Lovelace")
        await fixture.screens.signIn.send(.signInWithApple)
        #expect(fixture.screens.root.state.root == .signIn)
        fixture.identities.set(.token)
        await fixture.screens.signIn.send(.signInWithApple)
        let sent = fixture.http.sent(.post, "/auth/apple")
        #expect(sent.count == 2 && sent[1].json["full_name"]?.string == "Ada Lovelace")
        #expect(try fixture.secrets.secret(named: "nova.apple") == nil)
        await fixture.app.shutdown()
    }

    @Test(
        "NOVA-006 without an identity token, and where the person cancels, nothing is sent and nobody is signed in; cancelling is no error",
        arguments: [true, false]
    )
    func cancelled(_ isCancelled: Bool) async throws {
        let fixture = try await NovaFixture(isSignedIn: false)
        fixture.identities.set(isCancelled ? .cancelled : .noToken)
        await fixture.screens.signIn.send(.signInWithApple)
        #expect(fixture.http.sent.isEmpty && fixture.screens.root.state.root == .signIn)
        #expect(fixture.screens.signIn.state.progress.errorMessage.isEmpty == isCancelled)
        #expect(fixture.screens.signIn.state.progress.showErrorAlert == !isCancelled)
        await fixture.app.shutdown()
    }

    @Test("a session goes on after a restart, without a request for it")
    func relaunch() async throws {
        let fixture = try await NovaFixture()
        await fixture.goOffline()
        try await fixture.relaunch()
        await fixture.settle()
        #expect(fixture.screens.root.state.root == .main)
        #expect(fixture.screens.root.state.user?.displayName == "Ada")
        await fixture.app.shutdown()
    }

    @Test("signing out forgets all of the person, tells Nova, and drops what waits")
    func signOut() async throws {
        let fixture = try await NovaFixture()
        let liked = try fixture.post(isLiked: false)
        do {
            fixture.network.isolate("phone")
            await fixture.screens.feed.send(.toggleLike(postID: liked.id))
            await fixture.screens.root.send(.signOut)
            fixture.network.heal()
        }
        #expect(fixture.screens.root.state == RootViewModel.State(root: .signIn))
        #expect(fixture.screens.feed.state == FeedViewModel.State())
        #expect(try fixture.secrets.secret(named: "nova.session") == nil)
        try await fixture.signIn()
        await fixture.settle(.seconds(120))
        #expect(fixture.screens.root.state.pendingCount == 0)
        #expect(fixture.nova.post(liked.id)?.likerIDs.contains(fixture.ada.id) == false)
        await fixture.screens.root.send(.signOut)
        await fixture.settle()
        #expect(fixture.nova.log.contains(.signedOut(userID: fixture.ada.id)))
        await fixture.app.shutdown()
    }

    @Test(
        "a sign-out that the device cannot forget ends the session all the same, and says so",
        arguments: [true, false]
    )
    func notForgotten(_ isStore: Bool) async throws {
        let fixture = try await NovaFixture()
        if isStore {
            fixture.secrets.fail(with: .unavailable(detail: "locked"))
        } else {
            fixture.disk.conditions[.writeError] = 1
        }
        await fixture.screens.root.send(.signOut)
        await fixture.settle()
        let state = fixture.screens.root.state
        #expect(state.root == .signIn)
        #expect(state.notices.map(\.text) == [try #require(NovaError.notForgotten.errorDescription)])
        fixture.secrets.fail(with: nil)
        fixture.disk.conditions[.writeError] = 0
        for notice in state.notices { await fixture.screens.root.send(.dismissNotice(id: notice.id)) }
        #expect(fixture.screens.root.state == RootViewModel.State(root: .signIn))
        try await fixture.signIn()
        await fixture.screens.root.send(.signOut)
        #expect(fixture.screens.root.state == RootViewModel.State(root: .signIn))
        #expect(try fixture.secrets.secret(named: "nova.session") == nil)
        await fixture.app.shutdown()
    }

    @Test("a wish to sign out that comes when Nova has just ended the session drops what waits all the same")
    func lateSignOut() async throws {
        let fixture = try await NovaFixture()
        let liked = try fixture.post(isLiked: false)
        await fixture.goOffline()
        await fixture.screens.feed.send(.toggleLike(postID: liked.id))
        fixture.nova.endSessions(of: fixture.ada.id)
        fixture.goOnline()
        await fixture.screens.feed.send(.refresh)
        await fixture.settle()
        #expect(fixture.screens.root.state.root == .signIn)
        await fixture.screens.root.send(.signOut)
        try await fixture.signIn()
        await fixture.settle(.seconds(120))
        #expect(fixture.screens.root.state.pendingCount == 0)
        #expect(fixture.nova.post(liked.id)?.likerIDs.contains(fixture.ada.id) == false)
        await fixture.app.shutdown()
    }

    @Test("what waits is never sent by another person, and goes on when its own has signed in again")
    func otherAccount() async throws {
        let fixture = try await NovaFixture()
        let liked = try fixture.post(isLiked: false)
        await fixture.goOffline()
        await fixture.screens.feed.send(.toggleLike(postID: liked.id))
        fixture.nova.endSessions(of: fixture.ada.id)
        fixture.goOnline()
        await fixture.screens.feed.send(.refresh)
        await fixture.settle()
        #expect(fixture.screens.root.state.root == .signIn)
        let grace = fixture.nova.project.users[1]
        let before = fixture.nova.post(liked.id)?.likerIDs
        try await fixture.signIn(grace)
        await fixture.settle(.seconds(120))
        #expect(fixture.nova.post(liked.id)?.likerIDs == before)
        await fixture.screens.root.send(.signOut)
        try await fixture.signIn()
        await fixture.settle(.seconds(10))
        #expect(fixture.nova.post(liked.id)?.likerIDs.contains(fixture.ada.id) == true)
        await fixture.app.shutdown()
    }
}
