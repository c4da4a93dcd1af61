internal import Foundation
public import PageKit
public import ScreenKit
internal import Synchronization

/// The page of an app that runs elsewhere, in a session that is recorded: all tabs show the same.
@MainActor
public final class RecordedArgusPage {
    /// Pictures of events that the session has found, until the page has sent them.
    public final class Pictures: Sendable {
        private struct State {
            var requests = 0
            /// By the numbers of the requests.
            var found: [Int: [UInt8]] = [:]
        }

        private let state = Mutex(State())

        /// Has none.
        public init() {}

        /// A picture that the session has found for a request; `nil` where there is none.
        public func deliver(_ request: Int, _ picture: [UInt8]?) {
            state.withLock { $0.found[request] = picture }
        }

        fileprivate func nextRequest() -> Int {
            state.withLock { state in
                state.requests += 1
                return state.requests
            }
        }

        fileprivate func take(_ request: Int) -> [UInt8]? {
            state.withLock { $0.found.removeValue(forKey: request) }
        }
    }

    private let screens: [EncodedScreen]
    private let thumbnails: EncodedScreen?
    private let pictures: Pictures
    private let home: (any HomeControls)?

    /// Makes the page.
    ///
    /// - Parameters:
    ///   - screens: The screens of the session, as they are seen outside; ``ThumbnailScreen`` is the one called `thumbnails`.
    ///   - pictures: Where that one delivers.
    ///   - home: The simulated home that stands beside the app; `nil` for hubs of others.
    public init(_ screens: [EncodedScreen], pictures: Pictures, home: (any HomeControls)?) {
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
        let request = pictures.nextRequest()
        let wanted = ThumbnailScreen.Action.show(eventID: eventID, request: request)
        guard let json = try? JSONEncoder().encode(wanted),
            let action = try? thumbnails?.action(json)
        else { return nil }
        await action.perform()
        return pictures.take(request)
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
