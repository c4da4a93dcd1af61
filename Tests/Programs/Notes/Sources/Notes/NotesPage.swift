public import PageKit
public import ScreenKit

/// One tab of a browser.
@MainActor
public final class NotesWindow: PageWindow {
    /// Its one screen.
    public let screens: [EncodedScreen]

    private let notes: NotesScreen

    /// Makes the screen of a tab.
    init(_ app: NotesApp) {
        notes = NotesScreen(app)
        screens = [EncodedScreen("notes", notes)]
    }

    /// The screen follows the app.
    public func appear() { notes.appear() }

    /// The screen stays as it is.
    public func disappear() { notes.disappear() }
}

extension PageServer<NotesWindow> {
    /// The page of an app, for any host.
    public convenience init(_ app: NotesApp, token: PageToken) {
        let assets = PageAssets(
            name: "Notes",
            program: "notes",
            page: PackageResources.page_html,
            files: ["icon.svg": PackageResources.icon_svg, "main.js": PackageResources.main_js]
        )
        self.init(assets, token: token) { NotesWindow(app) }
    }
}
