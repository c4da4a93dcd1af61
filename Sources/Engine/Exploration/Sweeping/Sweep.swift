import Glibc
public import Simulation

/// Runs a program from many seeds, in several processes.
///
/// Seeds run one after the other in worker processes, which are forked from this one: whatever a run does to its process, to
/// static variables or to its memory, it does to one worker. A worker that a run has ended is replaced. The process that
/// sweeps must not have run the program itself, so that static variables begin alike in each worker, and other threads
/// should be idle: a fork has only the one that makes it.
public struct Sweep: Sendable {
    /// What is run.
    public var program: Program
    /// How steps are chosen.
    public var strategy: Strategy
    /// Where to begin, and where to end at the latest.
    public var seeds: ClosedRange<UInt64>
    /// Workers that run seeds at once, at least 1.
    public var jobs: Int
    /// Real time after which no new seed is begun; `nil` for no limit.
    public var limit: Duration?
    /// Whether it goes on after a failure.
    public var keepsGoing: Bool
    /// A plan of faults that each run gets; `nil` for none.
    public var plan: String?
    /// Whether the thread pool may be late; see `Simulation.Configuration.stalls`.
    public var stalls = true
    /// Whether sleeps end late and steps take time, as in `Simulation.Configuration.timing`.
    ///
    /// `nil` where ``stalls`` decide it.
    public var timing: Simulation.Configuration.Timing?
    /// Processor time of all workers together after which no new seed is begun; `nil` for no limit.
    ///
    /// Unlike real time it is the same on a machine that is busy with other things.
    package var workLimit: Duration?
    /// What the runs share.
    public var isolation = Isolation.worker
    /// Futures that are explored from each moment at which a run branches, beside the one that happens anyway; 0 for none.
    ///
    /// At the first hit of each `sometimes` and `branchPoint` of a run its process is forked, and so many futures are explored
    /// from there, each with random numbers of its own; they may branch again. The recipe of a branch leads there without any
    /// fork. Each seed then has a process of its own.
    public var futures = 0
    /// Branches that one seed may make in all.
    public var branchBudget = 200
    /// Real time after which a worker whose run has not ended is ended itself, which is a failure of the run.
    ///
    /// A step that hangs ends its run earlier: see `Simulation.Configuration.stepTimeout`.
    public var patience = Duration.seconds(600)
    /// Asked now and then, on the thread that sweeps: whether somebody wants it to end with what it has.
    public var isStopped: @Sendable () -> Bool = { false }

    /// What the runs of a sweep have in common beside the program.
    public enum Isolation: Sendable, Hashable {
        /// Everything: they run in this process, one after the other. For debuggers and profilers, and for runs that are to
        /// leave something in this process.
        case none
        /// The process of their worker, which runs them one after the other; each worker begins as this process is now.
        case worker
        /// Nothing: each has a process of its own.
        case seed
    }

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
        precondition(jobs > 0, "a sweep needs a worker")
        self.program = program
        self.strategy = strategy
        self.seeds = seeds
        self.jobs = jobs
        self.limit = limit
        self.keepsGoing = keepsGoing
        self.plan = plan
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
        var recipe = Recipe(seed: seed, strategy: strategy, plan: plan, stalls: stalls, timing: timing)
        if recipe.usesHorizon { recipe.horizon = horizon }
        return recipe
    }

    /// How long the tasks of the program are, for strategies that look at a few moments of a run: that of one run by
    /// ``probingRecipe``, which is the same for all parts of a sweep, so that they find the same.
    package var horizon = 0
    /// Whether ``horizon`` is measured by the run of the first seed, which has none itself, in place of a run for that alone.
    package var measuresByFirstSeed = false

    /// The seed of the run that measures how long the tasks of the program are, beside the run that this seed has anyway.
    ///
    /// It is the same for all sweeps of a program, so that a seed is the same run in each of them, whatever its other seeds are.
    public var probingSeed: UInt64 = 1

    /// Whether ``horizon`` is worth a run.
    var needsHorizon: Bool { [.portfolio, .pct, .cancel].contains(strategy) }

    /// What decides the run that measures ``horizon``: no faults, and nothing that depends on a horizon.
    var probingRecipe: Recipe {
        Recipe(seed: probingSeed, strategy: .fifo, firings: [], stalls: stalls, timing: timing)
    }

    /// The same sweep after it has measured how long the tasks of the program are, which ``run(onProgress:)`` does by itself.
    ///
    /// - Throws: ``ForkError`` where that takes a process of its own.
    public func measured() throws(ForkError) -> Sweep {
        try measuredWithEnd().sweep
    }

    /// The same, and the run that measured if it has ended its process.
    private func measuredWithEnd() throws(ForkError) -> (sweep: Sweep, ended: ForkedRunResult?) {
        guard needsHorizon, horizon == 0, !measuresByFirstSeed else { return (self, nil) }
        var measured = self
        let run = try program.observe(probingRecipe, mostSteps: 1_000_000, isolated: isolation != .none)
        measured.horizon = run.longestTask
        // An error ends no process, and is found by the seeds themselves.
        guard let failure = run.failure, failure.endsProcess, seeds.contains(probingSeed) else {
            return (measured, nil)
        }
        return (measured, ForkedRunResult(probingRecipe, failure: failure))
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

    /// Runs the sweep to its end; blocks the calling thread.
    ///
    /// Without ``keepsGoing`` it ends at the first failure: seeds above the lowest failing one that were run are left out
    /// of the result, so that it does not depend on the number of workers.
    ///
    /// The result is the one that a process for each seed would give, as far as that shows: some runs of a worker are made
    /// twice, and a failure is repeated in a fresh worker. Where a run takes another course then, it depends on what earlier
    /// ones have left in the process, such as static variables: then each seed runs in a process of its own, from the first one
    /// on, and ``SweepResult/statics`` says why.
    ///
    /// - Parameter onProgress: Called on the calling thread, every 100 ms or at the end of a longer run.
    /// - Throws: ``ForkError`` when a process cannot be made.
    public func run(onProgress: (Progress) -> Void = { _ in }) throws(ForkError) -> SweepResult {
        let end = limit.map { ContinuousClock.now + $0 }
        guard isolation != .none else { return runHere(until: end, onProgress) }
        var (sweep, ended) = try measuredWithEnd()
        shareSymbolsWithForks()
        warmUpResults()
        if futures > 0 { sweep.isolation = .seed }
        var (result, statics) = try WorkerSweep.run(sweep, until: end, onProgress)
        if sweep.isolation == .worker {
            if statics.dependence == nil { statics.dependence = try sweep.dependence(of: result, statics) }
            if let dependence = statics.dependence {
                sweep.isolation = .seed
                // The time that is left may be none; the seeds of a whole sweep are wanted.
                let end = limit.map { ContinuousClock.now + $0 }
                (result, _) = try WorkerSweep.run(sweep, until: end, onProgress)
                result.statics = dependence
            }
        }
        if let ended { result.note(ended) }
        return result
    }

    /// The first run that is another one in a process that has run nothing before: a failure, or one of some samples.
    private func dependence(
        of result: SweepResult,
        _ statics: WorkerSweep.Statics
    ) throws(ForkError) -> StaticsDependence? {
        if let failed = try firstThatDoesNotRepeat(result) {
            return StaticsDependence(
                recipe: failed.recipe,
                failure: failed.failure,
                initialised: statics.initialised[failed.recipe.seed] ?? []
            )
        }
        for sample in statics.samples.sorted(by: { $0.recipe.seed < $1.recipe.seed }) {
            let run = try program.observe(sample.recipe, mostSteps: sample.mostSteps, isolated: true)
            if RunOutcome(run) != sample.expected {
                return StaticsDependence(recipe: sample.recipe, initialised: [])
            }
        }
        return nil
    }

    /// The first failure whose run passes in a process that has run nothing before.
    private func firstThatDoesNotRepeat(
        _ result: SweepResult
    ) throws(ForkError) -> SweepResult.FailedRun? {
        /// Kinds of failures that are repeated, where a sweep goes on after the first.
        let most = 10
        for failed in result.firstRuns.prefix(most)
        where failed.failure.ending != .refusal && failed.failure.ending != .stepLimit {
            if !(try program.fails(like: failed)) { return failed }
        }
        return nil
    }

    /// Runs the seeds and repeats no failure.
    func count(until end: ContinuousClock.Instant) throws(ForkError) -> SweepResult {
        if isolation == .none { return runHere(until: end) { _ in } }
        shareSymbolsWithForks()
        return try WorkerSweep.run(try measured(), until: end) { _ in }.0
    }

    /// Runs the seeds in this process.
    private func runHere(until end: ContinuousClock.Instant?, _ onProgress: (Progress) -> Void) -> SweepResult
    {
        var result = SweepResult(program: program.name, strategy: strategy, expects: program.expects)
        var sweep = self
        var lastReport = ContinuousClock.now
        let workEnd = workLimit.map { time(of: CLOCK_THREAD_CPUTIME_ID) + $0 }
        for seed in seeds {
            // However short the time is, one seed runs.
            let isFirst = seed == seeds.lowerBound
            if !isFirst, isStopped() || end.map({ ContinuousClock.now >= $0 }) ?? false { break }
            if !isFirst, let workEnd, time(of: CLOCK_THREAD_CPUTIME_ID) >= workEnd { break }
            let run = program.run(sweep.recipe(seed: seed))
            // The first run says how long the tasks are: none is made for that alone.
            if isFirst { sweep.horizon = run.report?.longestTask ?? 0 }
            result.add(run)
            result.cover(seed...seed)
            if run.failure != nil, !keepsGoing { break }
            if ContinuousClock.now - lastReport > .milliseconds(100) {
                lastReport = .now
                onProgress(result.progress)
            }
        }
        return result
    }
}
