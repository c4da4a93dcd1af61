public import Simulation

/// Tries every order of steps of a program, but for those that differ only in the order of steps that commute.
///
/// Depth first over the decisions of the scheduler, with sleep sets (Godefroid: Partial-Order Methods for the Verification
/// of Concurrent Systems, 1996): a step that was tried at some point is not tried again behind steps that it commutes
/// with. Two steps commute when they run on different nodes or different actors and have touched nothing in common that
/// the engine can see; see `Touches`. Steps of no actor commute with nothing of their node, unless
/// ``assumesIsolation``; events of the world commute with nothing.
///
/// What is assumed: memory is not seen, so that nodes share nothing but the simulated world, and actors nothing at all,
/// which Swift checks but for what a `Mutex`, an atomic, a stored continuation or an unchecked type guards. Where that does
/// not hold, turn ``prunes`` off, and every order is tried.
///
/// Everything else is fixed by the seed, so a space is exhausted for that seed's faults and random numbers.
public struct ExhaustiveSearch: Sendable {
    /// What is tried.
    public var program: Program
    /// Decides everything but the order of steps.
    public var seed: UInt64
    /// Runs after which the search gives up.
    public var limit: Int
    /// Decisions of a run beyond which it does not branch.
    public var depth: Int
    /// Whether orders that differ only in steps that commute are left out.
    public var prunes: Bool
    /// Whether steps of no actor commute as well where the engine sees nothing that both touch.
    ///
    /// That leaves out many more orders, and is right only for programs whose tasks share nothing but actors and other
    /// tasks: no `Mutex`, no `AsyncStream`, no continuation in a variable.
    public var assumesIsolation: Bool

    /// Makes a search.
    public init(
        _ program: Program,
        seed: UInt64 = 1,
        limit: Int = 100_000,
        depth: Int = 1000,
        prunes: Bool = true,
        assumesIsolation: Bool = false
    ) {
        self.program = program
        self.seed = seed
        self.limit = limit
        self.depth = depth
        self.prunes = prunes
        self.assumesIsolation = assumesIsolation
    }

    /// What a search has found.
    public struct Result: Sendable {
        /// The runs that failed, one of each kind, with their decisions.
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
        let tree = SearchTree(depth: depth, prunes: prunes, assumesIsolation: assumesIsolation)
        repeat {
            if result.runs >= limit { return result }
            tree.beginRun()
            let run = program.run(Recipe(seed: seed, strategy: .fifo, timing: .exact), recording: .decisions)
            {
                $0.schedule = .chosen(StepChooser { tree.choose($0, $1) })
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
