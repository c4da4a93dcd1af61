public import Concurrency

/// Derives the state of a screen, and publishes it when it has changed.
///
/// ```swift
/// model = ScreenModel(State(), sources: [camera.status, settings.current])
/// model.derive = { [weak self] in self?.makeState() }
/// ```
@MainActor
public final class ScreenModel<State: Equatable & Sendable> {
    /// The present state and all later ones.
    public nonisolated let states: Published<State>

    /// Makes the state from the present value of every source and of what the screen itself holds; `nil` when the
    /// screen is gone.
    ///
    /// Set once, while the screen is made; it holds the screen weakly, or the screen is never released.
    public var derive: @MainActor () -> State? = { nil } {
        didSet { refresh() }
    }

    private let current: CurrentValue<State>
    private let sources: [any ScreenSource]
    private let following = OwnedTasks()
    private var isFollowing = false

    /// Creates a model that follows nothing before ``follow()``.
    ///
    /// - Parameters:
    ///   - state: The state until ``derive`` is set.
    ///   - sources: The values that the state depends on.
    public init(_ state: State, sources: [any ScreenSource]) {
        current = CurrentValue(state)
        states = current.published
        self.sources = sources
    }

    /// Derives the state now and after every change of a source.
    ///
    /// Idempotent.
    public func follow() {
        guard !isFollowing else { return }
        isFollowing = true
        following.replace(
            with: sources.map { source in source.onChange { [weak self] in self?.refresh() } }
        )
        refresh()
    }

    /// Leaves the state as it is, but for ``refresh()``.
    ///
    /// Idempotent.
    public func unfollow() {
        isFollowing = false
        following.cancelAll()
    }

    /// Derives the state now, and publishes it when it differs.
    public func refresh() {
        guard let state = derive(), state != current.value else { return }
        current.set(state)
    }
}
