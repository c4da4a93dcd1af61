internal import Concurrency
internal import Nova
public import PageKit
public import ScreenKit

/// One tab of a browser that shows the app; each is at a place of its own.
@MainActor
public final class NovaWindow: PageWindow {
    /// The screens of the app, and what stands beside it.
    public let screens: [EncodedScreen]

    let app: NovaScreens
    private let surroundings: SurroundingsScreen
    private let presence: PresenceScreen

    init(_ app: NovaScreens, _ world: (any SurroundingsControls)?, _ foreground: Foreground) {
        self.app = app
        presence = PresenceScreen(foreground)
        surroundings = SurroundingsScreen(world, app.create)
        screens =
            app.named + [EncodedScreen("surroundings", surroundings), EncodedScreen("presence", presence)]
    }

    /// The screens follow the app.
    public func appear() {
        app.appear()
        surroundings.appear()
    }

    /// The screens stay as they are.
    public func disappear() {
        app.disappear()
        surroundings.disappear()
        presence.disappear()
    }

    /// Whether something that is shown has its picture at an address.
    func shows(_ address: String) -> Bool {
        let profile = app.profile.states.value
        let posts =
            app.feed.states.value.posts + profile.posts + [app.post.states.value.post].compactMap(\.self)
        if posts.contains(where: { $0.post.imageURL == address }) { return true }
        let people =
            posts.map(\.post.author) + app.comments.states.value.comments.map(\.author)
            + app.search.states.value.users + app.notifications.states.value.notifications.map(\.actor)
            + [profile.user, app.root.states.value.user].compactMap(\.self)
        return people.contains { $0.avatarURL == address }
    }
}
