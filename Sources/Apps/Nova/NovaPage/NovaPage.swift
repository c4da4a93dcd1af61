public import Nova
public import PageKit
public import Transport

/// Nova in a browser: each tab is at a place of its own, and all of them show the same app.
@MainActor
public final class NovaPage {
    /// The app.
    public let app: NovaApp
    private let world: (any SurroundingsControls)?
    private let routes: NovaRoutes<NovaWindow>
    private let foreground: Foreground

    /// Makes the page of an app.
    ///
    /// - Parameters:
    ///   - app: The app, whose photos are those of ``OfferedPhotos``.
    ///   - http: Fetches the pictures of posts and people, which the browser may not load from elsewhere.
    ///   - world: The simulated world that stands beside the app; `nil` for a service of others.
    public init(_ app: NovaApp, over http: any HTTPClient, world: (any SurroundingsControls)? = nil) {
        (self.app, self.world) = (app, world)
        foreground = Foreground(app)
        routes = NovaRoutes(
            pictures: RemotePictures(over: http) { app.address },
            world: world
        )
    }

    /// The server of the page, for any host.
    ///
    /// - Parameters:
    ///   - token: What a browser needs.
    ///   - hosts: The names that a browser may call it by, in lower case.
    public nonisolated func server(
        token: PageToken,
        hosts: Set<String> = PageToken.loopbackNames
    ) -> PageServer<NovaWindow> {
        PageServer(.nova, token: token, hosts: hosts, routes: { [routes] in await routes.answer($0) }) {
            self.makeWindow()
        }
    }

    /// The screens of a new tab.
    public func makeWindow() -> NovaWindow { NovaWindow(app.makeScreens(), world, foreground) }

    /// No tab comes any more: the app goes to the background, which takes five seconds at most.
    public func leave() async { await foreground.end() }
}
