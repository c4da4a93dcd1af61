public import Simulation
import Synchronization

/// Tries every order of steps of a program, but for those that differ only in the order of steps that commute.
///
/// Depth first over the choices of the scheduler, with sleep sets (Godefroid: Partial-Order Methods for the Verification
/// of Concurrent Systems, 1996): a step that was tried at some point is not tried again behind steps that it commutes
/// with. Two steps commute when they run on different nodes or different actors; steps of no actor, and events of the
/// world, commute with nothing of their node. That is right for programs whose actors share nothing, which Swift checks
/// but for what a `Mutex` or an unchecked type guards: with ``prunes`` off every order is tried.
///
/// Everything else is fixed by the seed, so a space is exhausted for that seed's faults and random numbers.
public struct ExhaustiveSearch: Sendable {
    /// What is tried.
    public var program: Program
    /// Decides everything but the order of steps.
    public var seed: UInt64
    /// Runs after which the search gives up.
    public var limit: Int
    /// Choices of a run beyond which it does not branch.
    public var depth: Int
    /// Whether orders that differ only in steps that commute are left out.
    public var prunes: Bool

    /// Makes a search.
    public init(
        _ program: Program,
        seed: UInt64 = 1,
        limit: Int = 100_000,
        depth: Int = 1000,
        prunes: Bool = true
    ) {
        self.program = program
        self.seed = seed
        self.limit = limit
        self.depth = depth
        self.prunes = prunes
    }

    /// What a search has found.
    public struct Result: Sendable {
        /// The runs that failed, one of each kind, with their choices.
        public var failures: [(recipe: Recipe, failure: Failure)]
        /// Runs that were made.
        public var runs: Int
        /// Runs that were broken off since they could only repeat others.
        public var pruned: Int
        /// Whether every order was tried; `false` when a limit ended the search.
        public var isExhausted: Bool
    }

    /// Searches, on the calling thread.
    ///
    /// - Parameter stopsAtFailure: Whether the first failure ends the search.
    public func run(stopsAtFailure: Bool = false) -> Result {
        var result = Result(failures: [], runs: 0, pruned: 0, isExhausted: false)
        let tree = SearchTree(depth: depth, prunes: prunes)
        repeat {
            if result.runs >= limit { return result }
            tree.beginRun()
            let run = program.run(Recipe(seed: seed, strategy: .fifo), recording: .decisions) {
                $0.schedule = .chosen(StepChooser { tree.choose($0) })
            }
            result.runs += 1
            if tree.isRedundant { result.pruned += 1 }
            if let failure = run.failure, !tree.isRedundant {
                if !result.failures.contains(where: { $0.failure.fingerprint == failure.fingerprint }) {
                    result.failures.append((run.recorded ?? run.recipe, failure))
                }
                if stopsAtFailure { return result }
            }
        } while tree.advance()
        result.isExhausted = !tree.wasCut
        return result
    }
}

/// The choices of the current run, and what is left to try at each.
private final class SearchTree: Sendable {
    /// One choice: who was ready, who was tried, and who need not be.
    private struct Node {
        var ready: [ReadyStep]
        var chosen: Int
        /// Steps whose every continuation is known from elsewhere.
        var sleeping: [ReadyStep]
    }

    private struct State {
        var path: [Node] = []
        var position = 0
        /// Who sleeps at the next choice.
        var sleeping: [ReadyStep] = []
        var isRedundant = false
        var wasCut = false
    }

    private let state = Mutex(State())
    private let depth: Int
    private let prunes: Bool

    init(depth: Int, prunes: Bool) {
        self.depth = depth
        self.prunes = prunes
    }

    /// Whether the current run only repeats another.
    var isRedundant: Bool { state.withLock { $0.isRedundant } }
    /// Whether some run had more choices than the depth allows.
    var wasCut: Bool { state.withLock { $0.wasCut } }

    func beginRun() {
        state.withLock { state in
            state.position = 0
            state.sleeping = []
            state.isRedundant = false
        }
    }

    func choose(_ ready: [ReadyStep]) -> Int {
        state.withLock { state in
            if state.isRedundant { return 0 }
            if state.position >= depth {
                state.wasCut = true
                return 0
            }
            if state.position == state.path.count {
                let awake = ready.indices.first { !state.sleeping.contains(ready[$0]) }
                guard let awake else {
                    state.isRedundant = true
                    return 0
                }
                state.path.append(Node(ready: ready, chosen: awake, sleeping: state.sleeping))
            }
            let node = state.path[state.position]
            state.position += 1
            let step = node.ready[node.chosen]
            // Who slept goes on sleeping behind a step that it commutes with.
            state.sleeping = prunes ? node.sleeping.filter { !$0.isDependent(on: step) } : []
            return min(node.chosen, ready.count - 1)
        }
    }

    /// Goes to the next path; `false` when there is none.
    func advance() -> Bool {
        state.withLock { state in
            while var node = state.path.popLast() {
                if prunes { node.sleeping.append(node.ready[node.chosen]) }
                let next = node.ready.indices.first { index in
                    index > node.chosen && !node.sleeping.contains(node.ready[index])
                }
                if let next {
                    node.chosen = next
                    state.path.append(node)
                    return true
                }
            }
            return false
        }
    }
}
