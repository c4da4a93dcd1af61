import Simulation
import Synchronization

/// The decisions of the current run, and what is left to try at each.
final class SearchTree: Sendable {
    /// A step that was tried at some choice, and what it has touched there.
    private struct Tried {
        var step: ReadyStep
        var touches: Touches
    }

    /// One choice: who was ready, who was tried, and who need not be.
    private struct Node {
        var ready: [ReadyStep]
        var chosen: Int
        /// What the chosen step has touched, with what ran behind it without a choice; everything until it is known.
        var touches = Touches.everything
        /// Steps whose every continuation is known from elsewhere.
        var sleeping: [Tried]

        func sleeps(_ index: Int) -> Bool { sleeping.contains { $0.step == ready[index] } }
    }

    private struct State {
        var path: [Node] = []
        var position = 0
        var isRedundant = false
        var wasCut = false
    }

    private let state = Mutex(State())
    private let depth: Int
    private let prunes: Bool
    private let assumesIsolation: Bool

    init(depth: Int, prunes: Bool, assumesIsolation: Bool) {
        self.depth = depth
        self.prunes = prunes
        self.assumesIsolation = assumesIsolation
    }

    /// Whether the current run only repeats another.
    var isRedundant: Bool { state.withLock { $0.isRedundant } }
    /// Whether some run had more decisions than the depth allows.
    var wasCut: Bool { state.withLock { $0.wasCut } }

    func beginRun() {
        state.withLock { state in
            state.position = 0
            state.isRedundant = false
        }
    }

    /// Chooses, given what the step that was chosen before has touched.
    func choose(_ ready: [ReadyStep], _ touches: Touches) -> Int {
        state.withLock { state in
            if state.isRedundant { return 0 }
            if state.position > 0 { state.path[state.position - 1].touches = touches }
            if state.position >= depth {
                state.wasCut = true
                return 0
            }
            if state.position == state.path.count {
                var node = Node(ready: ready, chosen: 0, sleeping: sleeping(after: state.path.last))
                guard let awake = ready.indices.first(where: { !node.sleeps($0) }) else {
                    state.isRedundant = true
                    return 0
                }
                node.chosen = awake
                state.path.append(node)
            }
            let node = state.path[state.position]
            state.position += 1
            return min(node.chosen, ready.count - 1)
        }
    }

    /// Who slept goes on sleeping behind a step that it commutes with.
    private func sleeping(after node: Node?) -> [Tried] {
        guard prunes, let node else { return [] }
        let step = node.ready[node.chosen]
        return node.sleeping.filter { tried in
            !tried.touches.overlap(node.touches) && (assumesIsolation || !tried.step.isDependent(on: step))
        }
    }

    /// Goes to the next path; `false` when there is none.
    func advance() -> Bool {
        state.withLock { state in
            while var node = state.path.popLast() {
                if prunes {
                    node.sleeping.append(Tried(step: node.ready[node.chosen], touches: node.touches))
                }
                let next = node.ready.indices.first { $0 > node.chosen && !node.sleeps($0) }
                if let next {
                    node.chosen = next
                    node.touches = .everything
                    state.path.append(node)
                    return true
                }
            }
            return false
        }
    }
}
