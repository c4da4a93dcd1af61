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
        surroundings = SurroundingsScreen(world) { file in
            await OfferedPhotos.offer(file) { await app.create.send(.pick) }
        }
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
}
