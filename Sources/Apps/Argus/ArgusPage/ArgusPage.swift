public import Argus
public import PageKit

/// Argus in a browser: each tab has its own list, and all of them are at the same place of the app.
@MainActor
public final class ArgusPage {
    /// The app.
    public let app: ArgusApp
    private let home: (any HomeControls)?

    /// Makes the page of an app.
    ///
    /// - Parameters:
    ///   - app: The app.
    ///   - home: The simulated home that stands beside the app; `nil` for hubs of others.
    public init(_ app: ArgusApp, home: (any HomeControls)? = nil) { (self.app, self.home) = (app, home) }

    /// The server of the page, for any host.
    ///
    /// - Parameters:
    ///   - token: What a browser needs.
    ///   - hosts: The names that a browser may call it by, in lower case.
    public nonisolated func server(
        token: PageToken,
        hosts: Set<String> = PageToken.loopbackNames
    ) -> PageServer<ArgusWindow> {
        PageServer(.argus, token: token, hosts: hosts, routes: { await Self.thumbnail($0) }) {
            self.makeWindow()
        }
    }

    private nonisolated static func thumbnail(_ request: PageRequest<ArgusWindow>) async -> PageAnswer? {
        await ThumbnailRoute.answer(request) { await picture(of: $0, request) }
    }

    private static func picture(of eventID: String, _ request: PageRequest<ArgusWindow>) async -> [UInt8]? {
        for window in request.windows.reversed() {
            if let picture = await window.thumbnail(of: eventID) { return picture }
        }
        return nil
    }

    /// The screens of a new tab.
    public func makeWindow() -> ArgusWindow { ArgusWindow(app.makeScreens(), HomeScreen(home)) }
}
