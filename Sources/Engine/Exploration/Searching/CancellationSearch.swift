public import Simulation

/// Cancels each task of a run at each of its suspensions in turn, and looks whether it cleans up.
///
/// A run fails when the program's own checks do, when it gets stuck, or when something is left that does not end.
public struct CancellationSearch: Sendable {
    /// What is tried.
    public var program: Program
    /// Decides everything but the cancellation.
    public var recipe: Recipe
    /// Runs after which the search gives up.
    public var limit: Int

    /// Makes a search.
    public init(_ program: Program, seed: UInt64 = 1, limit: Int = 10_000) {
        self.program = program
        recipe = Recipe(seed: seed)
        self.limit = limit
    }

    /// What a search has found.
    public struct Result: Sendable {
        /// The runs that failed.
        public var failures: [(recipe: Recipe, failure: Failure)]
        /// Suspensions at which a task was cancelled.
        public var points: Int
        /// Whether every suspension was tried.
        public var isExhausted: Bool
    }

    /// Searches, on the calling thread.
    public func run() -> Result {
        var result = Result(failures: [], points: 0, isExhausted: false)
        // Tasks are numbered from 1; the first is the program's body, whose cancellation is its caller's affair.
        let tasks = program.run(recipe, recording: .everything).trace?.tasks.count ?? 0
        var task = 2
        while task <= tasks {
            var steps = 1
            while true {
                if result.points >= limit { return result }
                var candidate = recipe
                candidate.cancellation = .after(task: .number(task), steps: steps)
                let run = program.run(candidate)
                guard run.report?.cancellations ?? 0 > 0 else { break }
                result.points += 1
                if let failure = run.failure { result.failures.append((candidate, failure)) }
                steps += 1
            }
            task += 1
        }
        result.isExhausted = true
        return result
    }
}
