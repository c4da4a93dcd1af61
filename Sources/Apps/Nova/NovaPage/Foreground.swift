package import Concurrency
internal import Nova
internal import ScreenKit

/// Says to the app whether anybody sees it: it is in the foreground while a tab is visible, and from its launch on until the first one has been.
@MainActor
final class Foreground {
    private let set: @MainActor @Sendable (_ isInFront: Bool) async -> Void
    private var visible: Set<ObjectIdentifier> = []
    private var isInFront = true
    /// What the app makes of the last change, after all earlier ones.
    private var changing: Task<Void, Never>?

    /// Says it to an app.
    convenience init(_ app: NovaApp) {
        self.init { isInFront in
            if isInFront { await app.enterForeground() } else { await app.enterBackground() }
        }
    }

    /// - Parameter set: Gets each change, and returns when the app has made of it what it makes.
    init(_ set: @escaping @MainActor @Sendable (_ isInFront: Bool) async -> Void) { self.set = set }

    /// A tab is visible from now on, or not.
    func note(_ tab: ObjectIdentifier, isVisible: Bool) {
        if isVisible { visible.insert(tab) } else { visible.remove(tab) }
        follow()
    }

    /// No tab comes any more: returns when the app has gone to the background.
    func end() async {
        visible = []
        follow()
        await changing?.value
    }

    private func follow() {
        guard visible.isEmpty == isInFront else { return }
        isInFront.toggle()
        let (set, isInFront, before) = (set, isInFront, changing)
        changing = Task {
            await before?.value
            await set(isInFront)
        }
    }
}

/// Whether a tab is visible, as the browser says.
@MainActor
package final class PresenceScreen: Screen {
    /// All that the page shows of it.
    package struct State: Codable, Hashable, Sendable {
        /// Whether the tab is visible.
        var isVisible = false
    }

    /// What the browser says.
    package enum Action: Codable, Hashable, Sendable {
        case setVisible(isVisible: Bool)
    }

    package nonisolated let states: Published<State>

    private let foreground: Foreground
    private let current = CurrentValue(State())

    init(_ foreground: Foreground) {
        self.foreground = foreground
        states = current.published
    }

    package func appear() {}

    /// A tab that has gone is not visible.
    package func disappear() { set(false) }

    package func send(_ action: Action) async {
        switch action {
        case .setVisible(let isVisible): set(isVisible)
        }
    }

    private func set(_ isVisible: Bool) {
        current.set(State(isVisible: isVisible))
        foreground.note(ObjectIdentifier(self), isVisible: isVisible)
    }
}
