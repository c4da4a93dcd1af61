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

@Suite("Search, profiles and notifications of Nova", .simulated(seeds: 1...10))
@MainActor
struct PeopleTests {
    private func searches(_ fixture: NovaFixture) -> [String] {
        fixture.http.sent(.get, "/search/users").map(\.line)
    }

    @Test("NOVA-054 the text is escaped in the query, and who is found is shown, page after page")
    func results() async throws {
        let fixture = try await NovaFixture(.seeded(users: 60))
        let search = fixture.screens.search
        await search.send(.setQuery("a&b=ü %"))
        await fixture.settle(.seconds(1))
        #expect(searches(fixture) == ["GET /search/users?q=a%26b%3D%C3%BC%20%25&page=0&limit=20"])
        #expect(search.state.users.isEmpty && !search.state.list.hasMore)
        await search.send(.setQuery("a"))
        await fixture.settle(.seconds(1))
        #expect(search.state.users.count == 20 && search.state.list.hasMore)
        #expect(search.state.users[0].username == "ada" && search.state.users[0].displayName == "Ada")
        await search.send(.loadMore)
        #expect(searches(fixture).last == "GET /search/users?q=a&page=1&limit=20")
        #expect(Set(search.state.users.map(\.id)).count == search.state.users.count)
        #expect(search.state.users.count > 20)
        await fixture.app.shutdown()
    }

    @Test(
        "NOVA-055 an answer that comes after a newer one changes nothing, and a blank text clears without a request"
    )
    func late() async throws {
        let fixture = try await NovaFixture()
        let search = fixture.screens.search
        try fixture.nova.faults.arm("http.slow", values: ["seconds": 5], atMost: 1)
        await search.send(.setQuery("ada"))
        await fixture.settle(.seconds(1))
        await search.send(.setQuery("grace"))
        await fixture.settle(.seconds(1))
        #expect(search.state.users.map(\.username) == ["grace"])
        await fixture.settle(.seconds(10))
        #expect(search.state.users.map(\.username) == ["grace"] && searches(fixture).count == 2)
        // One that nothing has cancelled.
        fixture.http.interfere("GET /search/users", .late(.seconds(5)))
        let retry = Task { await search.send(.retry) }
        await fixture.settle(.milliseconds(100))
        await search.send(.setQuery("ada"))
        await fixture.settle(.seconds(1))
        #expect(search.state.users.map(\.username) == ["ada"])
        await retry.value
        #expect(search.state.users.map(\.username) == ["ada"] && searches(fixture).count == 4)
        #expect(!search.state.list.isLoading)
        await search.send(.setQuery(" "))
        #expect(search.state.users.isEmpty && search.state.query == " ")
        await fixture.settle(.seconds(1))
        #expect(searches(fixture).count == 4)
        await fixture.app.shutdown()
    }

    @Test("who was found stays until the next answer is there")
    func steady() async throws {
        let fixture = try await NovaFixture()
        let search = fixture.screens.search
        await fixture.screens.root.send(.select(.search))
        await search.send(.setQuery("grace"))
        await fixture.settle(.seconds(1))
        try fixture.nova.faults.arm("http.slow", values: ["seconds": 2], atMost: 1)
        await search.send(.setQuery("ada"))
        await fixture.settle(.seconds(1))
        #expect(search.state.users.map(\.username) == ["grace"] && search.state.list.isLoading)
        await fixture.settle(.seconds(2))
        #expect(search.state.users.map(\.username) == ["ada"] && !search.state.list.isLoading)
        try fixture.nova.faults.arm("nova.500", values: ["status": 501], atMost: 1)
        await search.send(.setQuery("grace"))
        await fixture.settle(.seconds(1))
        #expect(search.state.users.isEmpty && search.state.list.errorMessage?.contains("501") == true)
        await search.send(.retry)
        #expect(search.state.users.map(\.username) == ["grace"])
        await fixture.app.shutdown()
    }

    @Test(
        "a text that was typed before the tab was left is not looked for there, but when the tab is shown again",
        arguments: [100, 400]
    )
    func left(_ milliseconds: Int) async throws {
        let fixture = try await NovaFixture()
        let (root, search) = (fixture.screens.root, fixture.screens.search)
        await root.send(.select(.search))
        await fixture.settle()
        fixture.http.interfere("GET /search/users", .late(.seconds(2)))
        await search.send(.setQuery("grace"))
        await fixture.settle(.milliseconds(milliseconds))
        await root.send(.select(.feed))
        await fixture.settle(.seconds(5))
        let before = searches(fixture).count
        #expect(before == (milliseconds < 300 ? 0 : 1) && search.state.users.isEmpty)
        await root.send(.select(.search))
        await fixture.settle(.seconds(5))
        #expect(searches(fixture).count == before + 1)
        #expect(search.state.query == "grace" && search.state.users.map(\.username) == ["grace"])
        await root.send(.select(.feed))
        await fixture.settle()
        await root.send(.select(.search))
        await fixture.settle(.seconds(1))
        #expect(searches(fixture).count == before + 1)
        await fixture.app.shutdown()
    }

    @Test(
        "NOVA-056 a tap on somebody who was found opens their profile, which is read, and is counted with the text"
    )
    func tapped() async throws {
        let fixture = try await NovaFixture()
        await fixture.screens.search.send(.setQuery("grace"))
        await fixture.settle(.seconds(1))
        let found = try #require(fixture.screens.search.state.users.first)
        await fixture.screens.search.send(.open(userID: found.id))
        await fixture.settle(.seconds(1))
        #expect(fixture.screens.root.state.path == [.profile(userID: found.id)])
        #expect(fixture.http.sent.last?.line == "GET /users/\(found.id)")
        let shown = try #require(fixture.screens.profile.state.user)
        let there = try #require(fixture.nova.account(found.id))
        #expect(shown.id == there.id && shown.username == there.username && shown.bio == there.bio)
        #expect((shown.avatarURL != nil) == fixture.nova.project.users[1].hasAvatar)
        #expect(!fixture.screens.profile.state.isOwn)
        await fixture.settle(.seconds(31))
        #expect(
            fixture.tracked("search_result_click").first?["parameters"]
                == ["user_id": .string(found.id), "query": "grace"]
        )
        await fixture.app.shutdown()
    }

    @Test(
        "NOVA-057 the profile's tab reads the person who is signed in, with their posts, which agree with the feed's"
    )
    func own() async throws {
        let fixture = try await NovaFixture()
        let post = fixture.nova.publish(by: fixture.ada.id)
        await fixture.screens.feed.send(.refresh)
        await fixture.screens.root.send(.select(.profile))
        await fixture.settle()
        #expect(fixture.http.sent.last?.line == "GET /users/\(fixture.ada.id)")
        let state = fixture.screens.profile.state
        #expect(state.isOwn && state.user?.displayName == "Ada")
        let own = fixture.nova.posts.filter { $0.authorID == fixture.ada.id }.map(\.id)
        // The sign-in said one less.
        #expect(state.user?.postsCount == own.count)
        #expect(state.posts.map(\.id) == Array(own.prefix(20)) && own.first == post)
        await fixture.screens.feed.send(.toggleLike(postID: post))
        await fixture.settle(.milliseconds(1))
        #expect(try fixture.screens.profile.state.posts.first?.post == fixture.shown(post))
        await fixture.app.shutdown()
    }

    /// Opens the form of the profile.
    private func edit(_ fixture: NovaFixture) async throws {
        await fixture.screens.root.send(.select(.profile))
        await fixture.settle()
        await fixture.screens.profile.send(.edit)
        await fixture.settle()
        try #require(fixture.screens.editProfile.state.isOpen)
    }

    @Test(
        "NOVA-058 NOVA-059 NOVA-060 a profile is saved with PATCH as a form, with a compressed portrait only where another one was picked; then it is shown with what Nova has",
        arguments: [true, false]
    )
    func save(_ hasAvatar: Bool) async throws {
        let fixture = try await NovaFixture()
        try await edit(fixture)
        let form = fixture.screens.editProfile
        #expect(form.state.displayName == "Ada")
        await form.send(.setDisplayName("Ada & Co"))
        await form.send(.setBio("Süden\r\n--x"))
        let file = try ScriptedPhotos.picture(400, 200, quality: 100)
        if hasAvatar {
            fixture.photos.set(file)
            await form.send(.pickAvatar)
            #expect(form.state.avatarVersion == 1)
        }
        let avatar = form.avatar
        await form.send(.save)
        let sent = try #require(fixture.http.sent(.patch, "/users/").first)
        #expect(sent.line == "PATCH /users/\(fixture.ada.id)")
        #expect(sent.request.headerFields[.contentType]?.hasPrefix("multipart/form-data; boundary=") == true)
        let text = String(decoding: sent.body, as: UTF8.self)
        #expect(text.contains("name=\"display_name\"\r\n\r\nAda & Co\r\n"))
        #expect(text.contains("name=\"bio\"\r\n\r\nSüden\r\n--x\r\n"))
        #expect(text.contains("name=\"avatar\"") == hasAvatar)
        let there = try #require(fixture.nova.account(fixture.ada.id))
        #expect(there.displayName == "Ada & Co" && there.avatar == avatar)
        if hasAvatar { #expect(try #require(there.avatar).count < file.count) }
        await fixture.settle()
        #expect(fixture.screens.root.state.path.isEmpty && fixture.screens.root.state.tab == .profile)
        let user = try #require(fixture.screens.profile.state.user)
        #expect(user.displayName == "Ada & Co" && user.bio == there.bio)
        #expect(fixture.screens.root.state.user == user)
        await fixture.app.shutdown()
    }

    @Test("a profile that is not saved stays as it was, and is sent again as it was")
    func notSaved() async throws {
        let fixture = try await NovaFixture()
        try await edit(fixture)
        let before = fixture.screens.root.state.user
        await fixture.screens.editProfile.send(.setDisplayName("Other"))
        try fixture.nova.faults.arm("nova.500", values: ["status": 501])
        await fixture.screens.editProfile.send(.save)
        #expect(fixture.screens.root.state.user == before && fixture.screens.editProfile.state.isOpen)
        #expect(!fixture.screens.editProfile.state.progress.errorMessage.isEmpty)
        fixture.nova.faults.disarm()
        await fixture.screens.editProfile.send(.save)
        let sent = fixture.http.sent(.patch, "/users/")
        #expect(sent.count == 2 && Set(sent.map(\.body)).count == 1 && Set(sent.map(\.key)).count == 1)
        await fixture.settle()
        #expect(fixture.screens.root.state.user?.displayName == "Other")
        await fixture.app.shutdown()
    }

    @Test("NOVA-061 the notifications' tab reads their first page")
    func notifications() async throws {
        let fixture = try await NovaFixture(.seeded(users: 30, posts: 0))
        let post = fixture.nova.publish(by: fixture.ada.id)
        for user in fixture.nova.project.users.dropFirst() { fixture.nova.like(post, by: user.id) }
        await fixture.screens.root.send(.select(.notifications))
        await fixture.settle()
        #expect(fixture.http.sent.last?.line == "GET /notifications?page=0&limit=20")
        let state = fixture.screens.notifications.state
        #expect(state.notifications.count == 20 && state.list == ListState(hasMore: true))
        let newest = try #require(state.notifications.first)
        #expect(newest.type == "like" && newest.postID == post)
        #expect(newest.actor.id == fixture.nova.project.users.last?.id)
        await fixture.app.shutdown()
    }

    @Test(
        "NOVA-062 NOVA-063 a tap on a notification leads to the post, the comments or the person, or nowhere where its kind is not known; each is counted"
    )
    func taps() async throws {
        let fixture = try await NovaFixture(.seeded(posts: 0))
        let grace = fixture.nova.project.users[1].id
        let post = fixture.nova.publish(by: fixture.ada.id)
        fixture.nova.like(post, by: grace)
        fixture.nova.comment(post, by: grace, text: "Oh")
        fixture.nova.notify(fixture.ada.id, type: "follow", by: grace)
        fixture.nova.notify(fixture.ada.id, type: "poke", by: grace, postID: post)
        await fixture.screens.root.send(.select(.notifications))
        await fixture.settle()
        let routes: [String: [Route]] = [
            "like": [.postDetail(postID: post)], "comment": [.comments(postID: post)],
            "follow": [.profile(userID: grace)], "poke": [],
        ]
        for (type, route) in routes.sorted(by: { $0.key < $1.key }) {
            let shown = fixture.screens.notifications.state.notifications.first { $0.type == type }
            let notification = try #require(shown)
            await fixture.screens.notifications.send(.tap(id: notification.id))
            await fixture.settle()
            #expect(fixture.screens.root.state.path == route)
            await fixture.screens.root.send(.select(.notifications))
            await fixture.settle(.seconds(31))
            #expect(
                fixture.tracked("notification_open").last?["parameters"]
                    == ["notification_id": .string(notification.id)]
            )
        }
        await fixture.app.shutdown()
    }
}
