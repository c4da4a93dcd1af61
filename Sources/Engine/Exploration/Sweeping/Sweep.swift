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
    /// Asked between seeds, on any thread: whether somebody wants it to end with what it has.
    public var isStopped: @Sendable () -> Bool = { false }

    /// Makes a sweep.
    public init(
        _ program: Program,
        strategy: Strategy = .random,
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
    }

    /// The seeds of one of several equal parts.
    ///
    /// - Parameters:
    ///   - number: From 1 to `count`.
    ///   - count: How many parts there are.
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
    /// - Parameter onProgress: Called now and then on one of the threads.
    public func run(onProgress: @escaping @Sendable (Progress) -> Void = { _ in }) async -> SweepResult {
        let state = SweepState(self, onProgress)
        return await withCheckedContinuation { continuation in
            let ending = Ending(running: jobs) { continuation.resume(returning: state.result()) }
            for _ in 0..<jobs {
                startThread {
                    state.work()
                    ending.threadEnds()
                }
            }
        }
    }
}

/// Does something when the last thread has ended.
private final class Ending: Sendable {
    private let running: Atomic<Int>
    private let action: @Sendable () -> Void

    init(running: Int, _ action: @escaping @Sendable () -> Void) {
        self.running = Atomic(running)
        self.action = action
    }

    func threadEnds() {
        if running.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { action() }
    }
}

/// Hands out blocks of seeds, and gathers what they give in the order of the seeds.
private final class SweepState: Sendable {
    /// Large enough that the gathering costs little, small enough that all threads end together.
    private static let block: UInt64 = 256

    private struct Shared {
        /// The first seed that nobody has taken.
        var next: UInt64?
        /// The lowest failing seed, when the sweep ends there.
        var lowestFailure: UInt64?
        /// All blocks up to the first one that is still being run.
        var whole: SweepResult
        /// Where ``whole`` ends.
        var awaited: UInt64
        /// Later blocks, by their first seeds.
        var early: [UInt64: SweepResult] = [:]
        var lastReport = ContinuousClock.now
    }

    private let sweep: Sweep
    private let shared: Mutex<Shared>
    private let end: ContinuousClock.Instant?
    private let crashLine: CrashLine
    private let onProgress: @Sendable (Sweep.Progress) -> Void

    init(_ sweep: Sweep, _ onProgress: @escaping @Sendable (Sweep.Progress) -> Void) {
        self.sweep = sweep
        self.onProgress = onProgress
        crashLine = CrashLine(sweep)
        end = sweep.limit.map { ContinuousClock.now + $0 }
        let empty = SweepResult(
            program: sweep.program.name,
            strategy: sweep.strategy,
            expects: sweep.program.expects
        )
        shared = Mutex(Shared(next: sweep.seeds.lowerBound, whole: empty, awaited: sweep.seeds.lowerBound))
    }

    func work() {
        while let block = takeBlock() {
            var result = SweepResult(program: sweep.program.name, strategy: sweep.strategy)
            var last = block.lowerBound
            for seed in block {
                last = seed
                crashLine.begin(seed)
                let run = sweep.program.run(Recipe(seed: seed, strategy: sweep.strategy, plan: sweep.plan))
                result.add(run)
                if run.failure != nil, !sweep.keepsGoing { break }
                if isOver { break }
            }
            crashLine.end()
            result.cover(block.lowerBound...last)
            deliver(result, block)
        }
    }

    private var isOver: Bool { sweep.isStopped() || end.map { ContinuousClock.now >= $0 } ?? false }

    private func takeBlock() -> ClosedRange<UInt64>? {
        shared.withLock { shared in
            guard let first = shared.next else { return nil }
            if isOver { return nil }
            if let lowest = shared.lowestFailure, first > lowest { return nil }
            let left = sweep.seeds.upperBound - first
            let last = first + min(left, Self.block - 1)
            shared.next = last == sweep.seeds.upperBound ? nil : last + 1
            return first...last
        }
    }

    private func deliver(_ result: SweepResult, _ block: ClosedRange<UInt64>) {
        let progress: Sweep.Progress? = shared.withLock { shared in
            if !sweep.keepsGoing {
                let failing = result.failures.values.flatMap(\.runs).map(\.recipe.seed).min()
                shared.lowestFailure = [shared.lowestFailure, failing].compactMap { $0 }.min()
            }
            shared.early[block.lowerBound] = result
            while let next = shared.early.removeValue(forKey: shared.awaited) {
                SweepResult.mergeParts(next, into: &shared.whole)
                // A block that ended early is the last one that counts.
                guard let end = next.seeds.last?.upperBound,
                    end == Self.end(of: shared.awaited, in: sweep.seeds),
                    end < sweep.seeds.upperBound
                else { break }
                shared.awaited = end + 1
            }
            guard ContinuousClock.now - shared.lastReport > .milliseconds(100) else { return nil }
            shared.lastReport = .now
            return shared.whole.progress
        }
        if let progress { onProgress(progress) }
    }

    private static func end(of first: UInt64, in seeds: ClosedRange<UInt64>) -> UInt64 {
        first + min(seeds.upperBound - first, block - 1)
    }

    func result() -> SweepResult {
        shared.withLock { shared in
            var whole = shared.whole
            // Blocks that were cut short by the clock leave gaps; by a failure, what lies above it does not count.
            for (first, part) in shared.early.sorted(by: { $0.key < $1.key })
            where shared.lowestFailure.map({ first <= $0 }) ?? true {
                SweepResult.mergeParts(part, into: &whole)
            }
            return whole
        }
    }
}
