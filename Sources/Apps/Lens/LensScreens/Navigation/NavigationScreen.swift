public import Concurrency
public import Foundation
public import ScreenKit

/// Where the user is: the tab, the sheet over it, and the path inside it.
@MainActor
public final class NavigationScreen: Screen {
    /// The tabs, in their order.
    public enum Tab: Int, Codable, Hashable, Sendable, CaseIterable {
        case camera, gallery, chat, settings

        /// What the tab is called.
        public var label: String {
            switch self {
            case .camera: "Camera"
            case .gallery: "Gallery"
            case .chat: "Chat"
            case .settings: "Settings"
            }
        }

        /// The name of its picture, among those of SF Symbols.
        public var symbol: String {
            switch self {
            case .camera: "camera"
            case .gallery: "photo.stack"
            case .chat: "message"
            case .settings: "gear"
            }
        }
    }

    /// What can lie over a tab.
    public enum Sheet: Codable, Hashable, Sendable, Identifiable {
        case cameraDiscovery
        case mediaPreview(UUID)
        case videoAnalysis(URL)

        /// The same for the same sheet, and for no other.
        public var id: String {
            switch self {
            case .cameraDiscovery: "cameraDiscovery"
            case .mediaPreview(let id): "mediaPreview/\(id.uuidString.lowercased())"
            case .videoAnalysis(let url): "videoAnalysis/\(url.absoluteString)"
            }
        }
    }

    /// A place inside a tab.
    public enum Route: String, Codable, Hashable, Sendable, CaseIterable {
        case keySettings, cameraSettings, uploadSettings, about
    }

    /// All that is shown.
    public struct State: Codable, Hashable, Sendable {
        /// Whether the app is launched; a page shows nothing else before.
        public var isLaunched: Bool = false
        /// The tab that is shown.
        public var selectedTab: Tab = .camera
        /// The sheet over it.
        public var presentedSheet: Sheet?
        /// The places that were entered in this tab, the present one last.
        public var navigationPath: [Route] = []
        /// Why the last link was not followed, or what was tapped could not be opened.
        public var alert: ScreenAlert?

        /// The state at the app's start.
        public init() {}
    }

    /// All that the user can do.
    public enum Action: Codable, Hashable, Sendable {
        case selectTab(Tab)
        /// Presents a sheet, in place of any other.
        case present(Sheet)
        case dismissSheet
        /// Enters a place.
        case push(Route)
        /// Goes back by one place.
        case pop
        /// Follows a link to a place of the app; see ``DeepLink``.
        case open(String)
        /// Closes the alert.
        case dismissAlert
    }

    /// The deepest path: every place once.
    public static let deepestPath: Int = Route.allCases.count

    /// The present state and all later ones.
    public nonisolated let states: Published<State>

    private let current = CurrentValue(State())
    private let launched: Published<Bool>
    private let isInGallery: @MainActor (UUID) -> Bool
    private let following = OwnedTasks()
    private var paths: [Tab: [Route]] = [:]

    /// Creates the state at the app's start.
    ///
    /// - Parameters:
    ///   - isLaunched: Whether the launch is over.
    ///   - isInGallery: Whether an item is there, for links and sheets that show one.
    public init(isLaunched: Published<Bool>, isInGallery: @escaping @MainActor (UUID) -> Bool) {
        launched = isLaunched
        self.isInGallery = isInGallery
        states = current.published
    }

    /// Follows the launch; all else depends on the user alone.
    public func appear() {
        guard !state.isLaunched else { return }
        noteLaunch()
        following.replace(with: [launched.onChange { [weak self] in self?.noteLaunch() }])
    }

    /// Follows the launch no longer.
    public func disappear() { following.cancelAll() }

    private func noteLaunch() {
        guard launched.value, !state.isLaunched else { return }
        var state = state
        state.isLaunched = true
        current.set(state)
    }

    /// Does what the user wants.
    public func send(_ action: Action) async {
        var state = state
        switch action {
        case .selectTab(let tab): select(tab, &state)
        case .present(let sheet): present(sheet, &state)
        case .dismissSheet: state.presentedSheet = nil
        case .push(let route):
            if state.navigationPath.count < Self.deepestPath, state.navigationPath.last != route {
                state.navigationPath.append(route)
            }
        case .pop: _ = state.navigationPath.popLast()
        case .open(let link): open(link, &state)
        case .dismissAlert: state.alert = nil
        }
        paths[state.selectedTab] = state.navigationPath
        if state != self.state { current.set(state) }
    }

    private func select(_ tab: Tab, _ state: inout State) {
        state.selectedTab = tab
        state.navigationPath = paths[tab] ?? []
    }

    private func present(_ sheet: Sheet, _ state: inout State) {
        if case .mediaPreview(let id) = sheet, !isInGallery(id) {
            // It was deleted in another window after this one showed it.
            state.alert = ScreenAlert(
                title: "It cannot be opened",
                text: "The photo or video was deleted and is not there any more."
            )
            return
        }
        state.presentedSheet = sheet
    }

    private func open(_ text: String, _ state: inout State) {
        do throws(DeepLinkError) {
            switch try DeepLink(text) {
            case .tab(let tab):
                select(tab, &state)
                state.presentedSheet = nil
            case .media(let id):
                guard isInGallery(id) else { throw .missingItem }
                select(.gallery, &state)
                state.presentedSheet = .mediaPreview(id)
            case .discover:
                select(.camera, &state)
                state.presentedSheet = .cameraDiscovery
            case .analysis(let url):
                select(.gallery, &state)
                state.presentedSheet = .videoAnalysis(url)
            }
            state.alert = nil
        } catch {
            report(error, &state)
        }
    }

    private func report(_ error: DeepLinkError, _ state: inout State) {
        state.alert = ScreenAlert(title: "The link was not followed", text: error.description)
    }
}
