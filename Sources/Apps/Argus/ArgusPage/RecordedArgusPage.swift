internal import Foundation
public import PageKit
public import ScreenKit

/// The page of an app that runs elsewhere, in a session that is recorded: all tabs show the same.
@MainActor
public final class RecordedArgusPage {
    private let screens: [EncodedScreen]
    private let thumbnails: EncodedScreen?
    private let pictures: SessionPictures
    private let home: (any HomeControls)?

    /// Makes the page.
    ///
    /// - Parameters:
    ///   - screens: The screens of the session, as they are seen outside; ``ThumbnailScreen`` is the one called `thumbnails`.
    ///   - pictures: Where that one delivers.
    ///   - home: The simulated home that stands beside the app; `nil` for hubs of others.
    public init(_ screens: [EncodedScreen], pictures: SessionPictures, home: (any HomeControls)?) {
        self.screens = screens.filter { $0.name != "thumbnails" }
        thumbnails = screens.first { $0.name == "thumbnails" }
        (self.pictures, self.home) = (pictures, home)
    }

    /// The server of the page, for any host.
    ///
    /// - Parameters:
    ///   - token: What a browser needs.
    ///   - hosts: The names that a browser may call it by, in lower case.
    public nonisolated func server(
        token: PageToken,
        hosts: Set<String> = PageToken.loopbackNames
    ) -> PageServer<RecordedArgusWindow> {
        PageServer(
            .argus,
            token: token,
            hosts: hosts,
            routes: { request in await ThumbnailRoute.answer(request) { await self.picture(of: $0) } },
            window: { RecordedArgusWindow(self.screens, HomeScreen(self.home)) }
        )
    }

    private func picture(of eventID: String) async -> [UInt8]? {
        await pictures.picture { request in
            try? await thumbnails?.perform(ThumbnailScreen.Action.show(eventID: eventID, request: request))
        }
    }
}

/// A tab of a browser that shows an app elsewhere, and the home.
@MainActor
public final class RecordedArgusWindow: PageWindow {
    /// The screens of the app, and what stands beside it.
    public let screens: [EncodedScreen]

    private let home: HomeScreen

    init(_ app: [EncodedScreen], _ home: HomeScreen) {
        self.home = home
        screens = app + [EncodedScreen("home", home)]
    }

    /// The home is followed; the app's screens are always shown.
    public func appear() { home.appear() }
    /// The home is not followed any more.
    public func disappear() { home.disappear() }
}
