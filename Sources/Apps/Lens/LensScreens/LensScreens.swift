internal import Concurrency
internal import Foundation
public import Lens
public import ScreenKit

/// All screens of Lens for one person who looks at the app: one window, or one tab of a browser.
///
/// Screens of a tab are shown while that tab is selected, and the preview and the analysis of a video while their sheets are there.
@MainActor
public final class LensScreens {
    /// Where the user is.
    public let navigation: NavigationScreen
    /// The camera.
    public let camera: CameraScreen
    /// The cameras of the network.
    public let discovery: DiscoveryScreen
    /// The setup of a new one.
    public let setup: CameraSetupScreen
    /// The stream to the assistant.
    public let stream: StreamScreen
    /// The photos and videos.
    public let gallery: GalleryScreen
    /// One photo or video.
    public let preview: PreviewScreen
    /// Questions about one video.
    public let analysis: AnalysisScreen
    /// The conversation.
    public let chat: ChatScreen
    /// The reply that is being given.
    public let reply: ReplyScreen
    /// The settings.
    public let settings: SettingsScreen

    private let following = OwnedTasks()

    /// Makes the screens of an app; nothing is shown before ``appear()``.
    public init(_ app: LensApp) {
        let navigation = NavigationScreen(isLaunched: app.isLaunched) { app.gallery.item($0) != nil }
        self.navigation = navigation
        let setUp: @MainActor @Sendable () async -> Void = {
            await navigation.send(.present(.cameraDiscovery))
        }
        camera = CameraScreen(app, setUp: setUp)
        let connected: @MainActor @Sendable () async -> Void = {
            if navigation.state.presentedSheet == .cameraDiscovery { await navigation.send(.dismissSheet) }
        }
        let discovery = DiscoveryScreen(app, connected: connected)
        self.discovery = discovery
        setup = CameraSetupScreen(
            app,
            connected: connected,
            wantsPassword: { await discovery.send(.pick($0)) }
        )
        stream = StreamScreen(app)
        let analyse: @MainActor @Sendable (UUID) async -> Void = {
            await navigation.send(.present(.videoAnalysis(VideoAnalysis.address(of: $0))))
        }
        gallery = GalleryScreen(app, analyse: analyse)
        preview = PreviewScreen(app, analyse: analyse)
        analysis = AnalysisScreen(app)
        chat = ChatScreen(app)
        reply = ReplyScreen(app)
        settings = SettingsScreen(app, setUp: setUp)
    }

    /// Shows the selected tab, and others as they are selected.
    ///
    /// Idempotent.
    public func appear() {
        show(navigation.state)
        following.replace(with: [
            navigation.states.onChange { [weak self] in
                guard let self else { return }
                self.show(self.navigation.state)
            }
        ])
    }

    /// Shows nothing any more.
    ///
    /// Idempotent.
    public func disappear() {
        following.cancelAll()
        for screen in all { screen.disappear() }
    }

    /// Every screen.
    public var all: [any Screen] {
        [navigation, camera, discovery, setup, stream, gallery, preview, analysis, chat, reply, settings]
    }

    /// Every screen by its name, with states and actions as JSON.
    public var encoded: [EncodedScreen] {
        [
            EncodedScreen("navigation", navigation), EncodedScreen("camera", camera),
            EncodedScreen("discovery", discovery), EncodedScreen("setup", setup),
            EncodedScreen("stream", stream), EncodedScreen("gallery", gallery),
            EncodedScreen("preview", preview), EncodedScreen("analysis", analysis),
            EncodedScreen("chat", chat),
            EncodedScreen("reply", reply), EncodedScreen("settings", settings),
        ]
    }

    private func show(_ state: NavigationScreen.State) {
        var shown: [any Screen] =
            switch state.selectedTab {
            // The assistant is talked to where its picture is seen.
            case .camera: [camera, stream, chat, reply]
            case .gallery: [gallery]
            case .chat: [chat, reply, stream]
            case .settings: [settings]
            }
        if case .mediaPreview(let id) = state.presentedSheet {
            preview.id = id
            shown.append(preview)
        } else {
            preview.id = nil
        }
        if case .videoAnalysis(let url) = state.presentedSheet {
            analysis.url = url
            shown.append(analysis)
        } else {
            analysis.url = nil
        }
        if state.presentedSheet == .cameraDiscovery {
            shown += [discovery, setup]
        } else {
            discovery.close()
            setup.close()
        }
        for screen in all where screen !== navigation && !shown.contains(where: { $0 === screen }) {
            screen.disappear()
        }
        navigation.appear()
        for screen in shown { screen.appear() }
    }
}

extension LensApp {
    /// Makes screens for one more person who looks at the app.
    @MainActor
    public func makeScreens() -> LensScreens { LensScreens(self) }
}
