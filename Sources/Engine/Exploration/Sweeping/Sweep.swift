public import Simulation
import Synchronization

/// Runs a program from many seeds, on several threads.
public struct Sweep: Sendable {
    /// What is run.
    public var program: Program
    /// How steps are chosen.
    public var strategy: Strategy
    /// Where to begin, and where to end at the latest.
    public var seeds: ClosedRange<UInt64>
    /// Threads that run seeds at once, at least 1.
    public var jobs: Int
    /// Real time after which no new seed is begun; `nil` for no limit.
    public var limit: Duration?
    /// Whether it goes on after a failure.
    public var keepsGoing: Bool
    /// A plan of faults that each run gets; `nil` for none.
    public var plan: String?
    /// Whether the thread pool may be late; see `Simulation.Configuration.stalls`.
    public var stalls = true
    /// Asked between seeds, on any thread: whether somebody wants it to end with what it has.
    ///
    /// Several threads may ask at once.
    public var isStopped: @Sendable () -> Bool = { false }

    /// Makes a sweep.
    public init(
        _ program: Program,
        strategy: Strategy = .portfolio,
        seeds: ClosedRange<UInt64>,
        jobs: Int,
        limit: Duration? = nil,
        keepsGoing: Bool = false,
        plan: String? = nil
    ) {
        precondition(jobs > 0, "a sweep needs a thread")
        self.program = program
        self.strategy = strategy
        self.seeds = seeds
        self.jobs = jobs
        self.limit = limit
        self.keepsGoing = keepsGoing
        self.plan = plan
        probingSeed = seeds.lowerBound
    }

    /// The seeds of one of several equal parts.
    ///
    /// - Parameters:
    ///   - number: From 1 to `count`.
    ///   - count: How many parts there are.
    ///   - seeds: Those of the whole.
    /// - Returns: `nil` when there are fewer seeds than parts and none is left for this one.
    public static func shard(_ number: Int, of count: Int, seeds: ClosedRange<UInt64>) -> ClosedRange<UInt64>?
    {
        precondition(count > 0 && (1...count).contains(number), "shards are numbered from 1")
        // One less than there are seeds, so that all of them can be counted.
        let distance = seeds.upperBound - seeds.lowerBound
        func start(_ part: Int) -> UInt64 {
            let (high, low) = UInt64(part).multipliedFullWidth(by: distance)
            let (quotient, remainder) = UInt64(count).dividingFullWidth((high, low))
            let extra = (remainder + UInt64(part)) / UInt64(count)
            return quotient + extra
        }
        let first = start(number - 1)
        // The last part may end at the greatest number there is.
        if number == count { return first <= distance ? seeds.lowerBound + first...seeds.upperBound : nil }
        let next = start(number)
        return first < next ? seeds.lowerBound + first...seeds.lowerBound + (next - 1) : nil
    }

    /// What decides the run of a seed; see ``measured()``.
    public func recipe(seed: UInt64) -> Recipe {
        var recipe = Recipe(seed: seed, strategy: strategy, plan: plan, stalls: stalls)
        if recipe.usesHorizon { recipe.horizon = horizon }
        return recipe
    }

    /// How long the tasks of the program are, for strategies that look at a few moments of a run: that of one run by
    /// ``probingRecipe``, which is the same for all parts of a sweep, so that they find the same.
    package var horizon = 0

    /// The seed of the run that measures how long the tasks of the program are, beside the run that this seed has anyway.
    ///
    /// Parts of one sweep must have the same to find the same; by default it is the first of ``seeds``.
    public var probingSeed: UInt64

    /// Whether ``horizon`` is worth a run.
    var needsHorizon: Bool { [.portfolio, .pct, .cancel].contains(strategy) }

    /// What decides the run that measures ``horizon``: no faults, and nothing that depends on a horizon.
    var probingRecipe: Recipe { Recipe(seed: probingSeed, strategy: .fifo, firings: [], stalls: stalls) }

    /// The same sweep after it has measured how long the tasks of the program are, which ``run(onProgress:)`` does by itself.
    public func measured() -> Sweep {
        var measured = self
        if needsHorizon { measured.horizon = measuredHorizon() }
        return measured
    }

    /// Runs the program once to see how long its tasks are; that it fails is no matter.
    func measuredHorizon() -> Int {
        let result = program.run(probingRecipe) { $0.maximumSteps = 1_000_000 }
        return result.report?.longestTask ?? 0
    }

    /// What a sweep has found so far.
    public struct Progress: Sendable {
        /// Seeds that were run.
        public var done: Int
        /// Steps of all runs.
        public var steps: Int
        /// Runs that failed.
        public var failed: Int
        /// Different schedules, about.
        public var schedules: Int
        /// `sometimes` that held, and all that were met or are expected.
        public var reached: (held: Int, all: Int)
    }

    /// Runs the sweep to its end, on threads of its own.
    ///
    /// Without ``keepsGoing`` it ends at the first failure: seeds above the lowest failing one that were run are left out
    /// of the result, so that it does not depend on the number of threads.
    ///
    /// A run that ends the process, by a crash, an exit or a hang, is named on standard error, with its recipe.
    ///
    /// - Parameter onProgress: Called on one of the threads, every 100 ms or at the end of a longer run.
    public func run(onProgress: @escaping @Sendable (Progress) -> Void = { _ in }) async -> SweepResult {
        let measured = measured()
        return await withCheckedContinuation { continuation in
            measured.run(on: { startThread($0) }, onProgress: onProgress) {
                continuation.resume(returning: $0)
            }
        }
    }

    /// Runs the sweep without measuring ``horizon``, on threads that somebody else makes.
    ///
    /// - Parameters:
    ///   - startThread: Runs what it is given on a thread that may be lost; called on any thread, once for each job and each
    ///     lost thread.
    ///   - onProgress: Called on one of the threads.
    ///   - onEnd: Called with the result, on the thread that ends last.
    package func run(
        on startThread: @escaping SweepWorker.Start,
        onProgress: @escaping @Sendable (Progress) -> Void = { _ in },
        onEnd: @escaping @Sendable (SweepResult) -> Void
    ) {
        let state = SweepState(self, onProgress)
        let workers = Atomic(jobs)
        let end: @Sendable () -> Void = {
            if workers.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { onEnd(state.result()) }
        }
        for _ in 0..<jobs { SweepWorker(state, on: startThread, onEnd: end).start() }
    }
}
