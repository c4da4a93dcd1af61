import Simulation
import Synchronization

/// Hands out blocks of seeds to the threads of a sweep, and gathers what they give in the order of the seeds.
final class SweepState: Sendable {
    /// Real time that one block should take: so long that handing it out costs little.
    private static let blockTime = Duration.milliseconds(5)
    /// Real time after which a thread delivers what it has of a block.
    private static let deliveryTime = Duration.milliseconds(20)
    /// Seeds of a block at most.
    private static let largestBlock: UInt64 = 1024

    private struct Shared {
        /// The first seed that nobody has taken.
        var next: UInt64?
        /// Seeds of the next block, as far as they are there.
        var blockSize: UInt64 = 1
        /// What was delivered up to the first seed that is still being run.
        var whole: SweepResult
        /// Where ``whole`` ends; `nil` when it holds all there will be.
        var awaited: UInt64?
        /// Later parts, by their first seeds.
        var early: [UInt64: SweepResult] = [:]
        var lastReport = ContinuousClock.now
    }

    private let sweep: Sweep
    private let shared: Mutex<Shared>
    /// The lowest failing seed, when the sweep ends there; `max` before, which fails last.
    private let lowestFailure = Atomic(UInt64.max)
    private let end: ContinuousClock.Instant?
    private let reporting = Mutex(())
    private let onProgress: @Sendable (Sweep.Progress) -> Void

    init(_ sweep: Sweep, _ onProgress: @escaping @Sendable (Sweep.Progress) -> Void) {
        self.sweep = sweep
        self.onProgress = onProgress
        end = sweep.limit.map { ContinuousClock.now + $0 }
        let empty = SweepResult(
            program: sweep.program.name,
            strategy: sweep.strategy,
            expects: sweep.program.expects
        )
        shared = Mutex(Shared(next: sweep.seeds.lowerBound, whole: empty, awaited: sweep.seeds.lowerBound))
    }

    var isOver: Bool { sweep.isStopped() || end.map { ContinuousClock.now >= $0 } ?? false }

    func takeBlock(after seedTime: Duration?) -> ClosedRange<UInt64>? {
        shared.withLock { shared in
            guard let first = shared.next, first <= lowestFailure.load(ordering: .relaxed) else { return nil }
            if let seedTime {
                let fitting = Self.blockTime / max(seedTime, .nanoseconds(100))
                // Slow seeds show at once; quick ones may be an exception.
                shared.blockSize = min(UInt64(max(1, fitting)), shared.blockSize * 2, Self.largestBlock)
            }
            // One less than there are left. Near the end the blocks are smaller, so that all threads end together.
            let left = sweep.seeds.upperBound - first
            let fair = max(1, left / (4 * UInt64(sweep.jobs)))
            let last = first + min(left, min(shared.blockSize, fair) - 1)
            shared.next = last == sweep.seeds.upperBound ? nil : last + 1
            return first...last
        }
    }

    /// What decides the run of a seed, and what is run.
    func run(seed: UInt64) -> RunResult { sweep.program.run(sweep.recipe(seed: seed)) }

    /// The run of a seed that ended with an error and on a thread that is lost.
    func lostRun(seed: UInt64, _ simulation: Simulation, _ error: SimulationError) -> RunResult {
        RunResult(sweep.recipe(seed: seed), Failure(error), simulation.report)
    }

    /// A part without runs.
    func emptyPart() -> SweepResult { SweepResult(program: sweep.program.name, strategy: sweep.strategy) }

    /// Whether a thread delivers what it has after a seed, and whether it is the last of its block.
    func ends(
        at seed: UInt64,
        of block: ClosedRange<UInt64>,
        after run: RunResult,
        since delivered: ContinuousClock.Instant
    )
        -> (delivers: Bool, isLast: Bool)
    {
        if run.failure != nil, !sweep.keepsGoing { noteFailure(seed) }
        // Nothing above the lowest failure counts.
        let isLast = seed == block.upperBound || seed >= lowestFailure.load(ordering: .relaxed) || isOver
        return (isLast || ContinuousClock.now - delivered > Self.deliveryTime, isLast)
    }

    private func noteFailure(_ seed: UInt64) {
        var lowest = lowestFailure.load(ordering: .relaxed)
        while seed < lowest {
            let (exchanged, original) = lowestFailure.compareExchange(
                expected: lowest,
                desired: seed,
                ordering: .relaxed
            )
            if exchanged { return }
            lowest = original
        }
    }

    func deliver(_ part: SweepResult, from first: UInt64) {
        // Threads report one after the other, so that the figures only grow.
        reporting.withLock { _ in
            if let progress = gather(part, from: first) { onProgress(progress) }
        }
    }

    private func gather(_ part: SweepResult, from first: UInt64) -> Sweep.Progress? {
        shared.withLock { shared in
            shared.early[first] = part
            while let awaited = shared.awaited, let next = shared.early.removeValue(forKey: awaited) {
                SweepResult.mergeParts(next, into: &shared.whole)
                let end = next.seeds.last?.upperBound ?? awaited
                let isEnd = end == sweep.seeds.upperBound || end >= lowestFailure.load(ordering: .relaxed)
                shared.awaited = isEnd ? nil : end + 1
            }
            guard ContinuousClock.now - shared.lastReport > .milliseconds(100) else { return nil }
            shared.lastReport = .now
            return shared.whole.progress
        }
    }

    /// What was found; called when all threads have ended.
    func result() -> SweepResult {
        shared.withLock { shared in
            var whole = shared.whole
            // Where the clock has ended blocks there are gaps; above the lowest failure nothing counts.
            for (first, part) in shared.early.sorted(by: { $0.key < $1.key })
            where first <= lowestFailure.load(ordering: .relaxed) {
                SweepResult.mergeParts(part, into: &whole)
            }
            return whole
        }
    }
}
