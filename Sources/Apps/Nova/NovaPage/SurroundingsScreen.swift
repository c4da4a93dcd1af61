internal import Concurrency
internal import ScreenKit

/// The simulated world beside the app, where there is one.
@MainActor
final class SurroundingsScreen: Screen {
    /// All that the page shows.
    struct State: Codable, Hashable, Sendable {
        /// What the world shows; `nil` for a service of others.
        var world: SurroundingsState?
    }

    /// All that a person can do in the world.
    enum Action: Codable, Hashable, Sendable {
        case setAeroplaneMode(isOn: Bool)
        /// Somebody else does something.
        case act
        /// Picks a photo of the simulated library for a new post, by its number.
        case pick(photo: Int)
    }

    nonisolated let states: Published<State>

    private let world: (any SurroundingsControls)?
    private let pick: @MainActor (_ file: [UInt8]) async -> Void
    private let model: ScreenModel<State>

    /// - Parameters:
    ///   - world: The world; `nil` for a service of others.
    ///   - pick: Picks a file for a new post.
    init(
        _ world: (any SurroundingsControls)?,
        pick: @escaping @MainActor (_ file: [UInt8]) async -> Void
    ) {
        (self.world, self.pick) = (world, pick)
        model = ScreenModel(State(), sources: world.map { [$0.states] } ?? [])
        states = model.states
        model.derive = { State(world: world?.states.value) }
    }

    func appear() { model.follow() }
    func disappear() { model.unfollow() }

    func send(_ action: Action) async {
        switch action {
        case .setAeroplaneMode(let isOn): await world?.setAeroplaneMode(isOn)
        case .act: await world?.act()
        case .pick(let number):
            guard let file = world?.photo(number) else { return }
            await pick(file)
        }
        model.refresh()
    }
}
