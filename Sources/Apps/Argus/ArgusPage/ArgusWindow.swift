internal import Argus
public import PageKit
public import ScreenKit

/// One tab of a browser that shows the app.
@MainActor
public final class ArgusWindow: PageWindow {
    /// The screens of the app, and what stands beside it.
    public let screens: [EncodedScreen]

    private let app: ArgusScreens
    private let home: HomeScreen

    init(_ app: ArgusScreens, _ home: HomeScreen) {
        (self.app, self.home) = (app, home)
        screens = app.named + [EncodedScreen("home", home)]
    }

    /// The screens follow the app.
    public func appear() {
        app.appear()
        home.appear()
    }

    /// The screens stay as they are.
    public func disappear() {
        app.disappear()
        home.disappear()
    }

    /// The picture of an event of the list, or of the detail that is open; `nil` where there is none.
    func thumbnail(of eventID: String) async -> [UInt8]? {
        if let detail = app.detail.detail, detail.eventID == eventID, let picture = detail.thumbnail {
            return picture
        }
        return await app.events.thumbnail(of: eventID)
    }
}
