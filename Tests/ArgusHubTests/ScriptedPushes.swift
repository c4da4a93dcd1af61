import ArgusHub
import Synchronization

/// A push service that answers as it was told, and takes everything after that.
final class ScriptedPushes: HubPushes {
    private let state: Mutex<(outcomes: [HubPushOutcome], sent: [HubPush])>

    init(_ outcomes: [HubPushOutcome]) { state = Mutex((outcomes, [])) }

    convenience init(_ outcomes: HubPushOutcome...) { self.init(outcomes) }

    /// What the hub has sent, oldest first.
    var sent: [HubPush] { state.withLock { $0.sent } }

    func send(_ push: HubPush) async -> HubPushOutcome {
        state.withLock { state in
            state.sent.append(push)
            return state.outcomes.isEmpty ? .delivered : state.outcomes.removeFirst()
        }
    }
}
