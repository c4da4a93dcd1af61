import ArgusHub
import Simulation
import Synchronization

/// Scripted pushes that know when each of them came, in the time of the simulation.
final class TimedPushes: HubPushes {
    private let scripted: ScriptedPushes
    private let state = Mutex<[Duration]>([])

    init(_ outcomes: HubPushOutcome...) { scripted = ScriptedPushes(outcomes) }

    var times: [Duration] { state.withLock { $0 } }
    var ids: [String] { scripted.sent.map(\.id) }

    func send(_ push: HubPush) async -> HubPushOutcome {
        if let now = Simulation.current?.now { state.withLock { $0.append(now) } }
        return await scripted.send(push)
    }
}
