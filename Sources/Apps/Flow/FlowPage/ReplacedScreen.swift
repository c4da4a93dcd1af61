internal import Concurrency
internal import ScreenKit

/// A screen that stands for another one, which a new flow replaces.
@MainActor
final class ReplacedScreen<Present: Screen>: Screen {
    nonisolated let states: Published<Present.State>

    private var present: Present
    private let model: ScreenModel<Present.State>
    private let following = OwnedTasks()
    private var isShown = false

    init(_ present: Present) {
        self.present = present
        model = ScreenModel(present.state, sources: [])
        states = model.states
        model.derive = { [weak self] in self?.present.state }
    }

    /// Stands for another one from now on.
    func replace(with next: Present) {
        present = next
        if isShown { follow() }
        model.refresh()
    }

    func appear() {
        guard !isShown else { return }
        isShown = true
        follow()
    }

    func disappear() {
        isShown = false
        following.cancelAll()
    }

    func send(_ action: Present.Action) async {
        await present.send(action)
        model.refresh()
    }

    private func follow() {
        following.replace(with: [present.states.onChange { [weak self] in self?.model.refresh() }])
    }
}
