internal import Foundation
internal import Nova
public import PageKit
public import ScreenKit
public import ServiceClient
public import Transport

/// The page of an app that runs elsewhere, in a session that is recorded: all tabs show the same.
@MainActor
public final class RecordedNovaPage {
    private let session: RecordedTabs
    private let world: (any SurroundingsControls)?
    private let routes: NovaRoutes<RecordedNovaWindow>

    /// Makes the page.
    ///
    /// - Parameters:
    ///   - screens: The screens of the session, as they are seen outside; ``PhotoScreen`` is the one called `photos`.
    ///   - pictures: Where that one delivers.
    ///   - http: Fetches the pictures of posts and people, which are no part of the session.
    ///   - nova: Where Nova is.
    ///   - world: The simulated world that stands beside the app; `nil` for a service of others.
    public init(
        _ screens: [EncodedScreen],
        pictures: SessionPictures,
        over http: any HTTPClient,
        nova: ServiceAddress,
        world: (any SurroundingsControls)?
    ) {
        session = RecordedTabs(screens, pictures)
        self.world = world
        routes = NovaRoutes(pictures: RemotePictures(over: http) { nova }, world: world)
    }

    /// The server of the page, for any host.
    ///
    /// - Parameters:
    ///   - token: What a browser needs.
    ///   - hosts: The names that a browser may call it by, in lower case.
    public nonisolated func server(
        token: PageToken,
        hosts: Set<String> = PageToken.loopbackNames
    ) -> PageServer<RecordedNovaWindow> {
        PageServer(.nova, token: token, hosts: hosts, routes: { [routes] in await routes.answer($0) }) {
            RecordedNovaWindow(self.session, self.world)
        }
    }
}

/// What all tabs of a recorded session share.
@MainActor
final class RecordedTabs {
    private static let photos = "photos"
    private static let presence = "presence"

    /// The screens that a page shows as they are.
    let shown: [EncodedScreen]
    /// Whether any of the tabs is visible, which the session follows.
    let foreground: Foreground
    private let photos: EncodedScreen?
    private let pictures: SessionPictures
    /// The pictures of the states that were looked at last.
    private var known: (states: [Data?], pictures: ShownPictures)?

    init(_ screens: [EncodedScreen], _ pictures: SessionPictures) {
        self.pictures = pictures
        shown = screens.filter { ![Self.photos, Self.presence].contains($0.name) }
        photos = screens.first { $0.name == Self.photos }
        let presence = screens.first { $0.name == Self.presence }
        foreground = Foreground { isInFront in
            try? await presence?.perform(PresenceScreen.Action.setVisible(isVisible: isInFront))
        }
    }

    /// Whether something that is shown has its picture at an address.
    func shows(_ address: String) -> Bool {
        let states = shown.map { try? $0.state() }
        if known?.states != states { known = (states, ShownPictures(shown)) }
        return known?.pictures.contains(address) == true
    }

    func pick(_ file: [UInt8], for use: PhotoUse) async {
        try? await photos?.perform(PhotoScreen.Action.pick(file: Data(file), use: use))
    }

    func picture(for use: PhotoUse) async -> [UInt8]? {
        await pictures.picture { request in
            try? await photos?.perform(PhotoScreen.Action.show(use: use, request: request))
        }
    }
}

/// A tab of a browser that shows an app elsewhere, and the simulated world next to it.
@MainActor
public final class RecordedNovaWindow: PageWindow, PhotoWindow {
    /// The screens of the app, and the simulated world next to it.
    public let screens: [EncodedScreen]

    private let session: RecordedTabs
    private let surroundings: SurroundingsScreen
    private let presence: PresenceScreen

    init(_ session: RecordedTabs, _ world: (any SurroundingsControls)?) {
        self.session = session
        presence = PresenceScreen(session.foreground)
        surroundings = SurroundingsScreen(world) { await session.pick($0, for: .post) }
        screens =
            session.shown
            + [EncodedScreen("surroundings", surroundings), EncodedScreen("presence", presence)]
    }

    /// The world is followed; the app's screens are always shown.
    public func appear() { surroundings.appear() }

    /// The world is not followed any more, and this tab is not visible.
    public func disappear() {
        surroundings.disappear()
        presence.disappear()
    }

    func pick(_ file: [UInt8], for use: PhotoUse) async { await session.pick(file, for: use) }
    func picture(for use: PhotoUse) async -> [UInt8]? { await session.picture(for: use) }
    func shows(_ address: String) -> Bool { session.shows(address) }
}
