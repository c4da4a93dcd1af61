import Synchronization
import TestSupport

/// Places of a test's services at which calls wait until the test lets them go on, one by one and in any order; open at first.
final class Gates: Sendable {
    private struct State {
        var waiting: [Signal] = []
        var isOpen = true
        var passed = 0
    }

    private let state = Mutex(State())

    /// How many calls wait.
    var waiting: Int { state.withLock(\.waiting.count) }
    /// How many have waited.
    var passed: Int { state.withLock(\.passed) }

    /// Waits until this call may go on, also in a task that is cancelled; at once when all gates are open.
    func pass() async {
        let signal: Signal? = state.withLock { state in
            state.passed += 1
            guard !state.isOpen else { return nil }
            let signal = Signal()
            state.waiting.append(signal)
            return signal
        }
        await signal?.wait()
    }

    /// Lets one of those that wait go on.
    func openOne() {
        let signal: Signal? = state.withLock { state in
            guard !state.waiting.isEmpty else { return nil }
            return state.waiting.remove(at: Int.random(in: state.waiting.indices))
        }
        signal?.give()
    }

    /// Lets all go on, and whoever comes later.
    func open() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.isOpen = true
            return state.waiting
        }
        for signal in waiting { signal.give() }
    }

    /// Lets nobody through any more.
    func close() { state.withLock { $0.isOpen = false } }
}

/// Random actions on a service or screen, which overlap: each runs in a task of its own, while gates hold others up in their middle.
///
/// All chance is the simulation's, so that a seed is one order. After each round all gates are open, and every action has ended: then the
/// test compares with its model what is held. Further rounds find what an earlier one has left behind.
struct Overlap {
    /// Something that a user or the world does.
    typealias Action = @Sendable () async -> Void

    let gates: Gates
    let actions: [Action]

    /// Does so many things, and waits for their ends.
    func round(_ steps: Int) async {
        gates.close()
        var running: [Task<Void, Never>] = []
        for _ in 0..<steps {
            switch Int.random(in: 0..<10) {
            case 0..<5:
                let action = actions[Int.random(in: actions.indices)]
                running.append(Task { await action() })
            case 5..<8: gates.openOne()
            case 8: try? await Task.sleep(for: .milliseconds(Int.random(in: 1...50)))
            default: break
            }
            for _ in 0..<Int.random(in: 0..<4) { await Task.yield() }
        }
        gates.open()
        for task in running { await task.value }
    }
}
