internal import Concurrency
public import Flow
public import PageKit
internal import ScreenKit

/// Flow in a browser: shows the flow that is under way in every tab, and says at its end how it has ended.
@MainActor
public final class FlowPage: FlowHost {
    /// Whether a flow is shown, and how the last one has ended.
    struct Place: Hashable, Sendable {
        var isShown = false
        var result: CompletionResult?
    }

    /// The app.
    public let app: FlowApp
    /// The screens of the flow that is shown, or was last.
    public private(set) var screens: FlowScreens

    nonisolated let place: Published<Place>

    private let current = CurrentValue(Place())
    private let onComplete: AppStartService.Completion
    private var windows: [WeakWindow] = []

    /// Makes the page of an app; no flow is shown before ``begin()``.
    ///
    /// - Parameters:
    ///   - app: The app.
    ///   - onComplete: Called at the end of each flow.
    public init(_ app: FlowApp, onComplete: @escaping AppStartService.Completion = { _, _ in }) {
        self.app = app
        self.onComplete = onComplete
        screens = app.makeScreens()
        place = current.published
    }

    /// Begins a flow; one that is shown is cancelled.
    public func begin() {
        app.start.startServices(from: self) { [weak self] result, data in
            self?.current.update { $0.result = result }
            self?.onComplete(result, data)
        }
    }

    /// The server of the page, for any host.
    ///
    /// - Parameters:
    ///   - token: What a browser needs.
    ///   - hosts: The names that a browser may call it by, in lower case.
    public nonisolated func server(
        token: PageToken,
        hosts: Set<String> = PageToken.loopbackNames
    ) -> PageServer<FlowWindow> {
        Self.server(token: token, hosts: hosts) { self.makeWindow() }
    }

    /// The server of the page for windows that come from elsewhere, with the screens of a ``FlowWindow``.
    ///
    /// - Parameters:
    ///   - token: What a browser needs.
    ///   - hosts: The names that a browser may call it by, in lower case.
    ///   - window: Makes the screens of a new tab.
    public nonisolated static func server<Window: PageWindow>(
        token: PageToken,
        hosts: Set<String> = PageToken.loopbackNames,
        window: @escaping @MainActor @Sendable () -> Window
    ) -> PageServer<Window> {
        PageServer(.flow, token: token, hosts: hosts, window: window)
    }

    /// The screens of a new tab.
    public func makeWindow() -> FlowWindow {
        let window = FlowWindow(self, screens)
        windows.removeAll { $0.window == nil }
        windows.append(WeakWindow(window: window))
        return window
    }

    // MARK: Host

    /// Shows a flow in every tab.
    public func show(_ screens: FlowScreens) {
        self.screens.disappear()
        self.screens = screens
        screens.appear()
        for window in windows { window.window?.show(screens) }
        current.set(Place(isShown: true))
    }

    /// Says in every tab that the flow is over.
    public func dismiss() { current.update { $0.isShown = false } }
}

/// A tab that is open, or was.
private struct WeakWindow {
    weak var window: FlowWindow?
}
