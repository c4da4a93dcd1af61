package import Simulation
import Synchronization

/// One thread of a sweep, and its successor where a run has blocked it forever.
package final class SweepWorker: LosesThreads {
    /// Runs something on a thread of its own.
    package typealias Start = @Sendable (_ work: @escaping @Sendable () -> Void) -> Void

    private struct Progress {
        /// What is left of the block, from the seed that runs now.
        var seed: UInt64
        var block: ClosedRange<UInt64>
        /// What has not been delivered, from its first seed on.
        var part: SweepResult
        var first: UInt64
        var delivered = ContinuousClock.now
        var began = ContinuousClock.now
    }

    private let state: SweepState
    private let startThread: Start
    private let onEnd: @Sendable () -> Void
    // Used by one thread at a time.
    private let progress = Mutex<Progress?>(nil)
    private let seedTime = Mutex<Duration?>(nil)

    init(_ state: SweepState, on startThread: @escaping Start, onEnd: @escaping @Sendable () -> Void) {
        self.state = state
        self.startThread = startThread
        self.onEnd = onEnd
    }

    func start() {
        startThread { [self] in
            LoopThreadOwner.with(self) { work() }
            onEnd()
        }
    }

    package func lose(_ simulation: Simulation, _ error: SimulationError) {
        if let seed = progress.withLock({ $0?.seed }) { finish(state.lostRun(seed: seed, simulation, error)) }
        start()
    }

    private func work() {
        while let seed = nextSeed() { finish(state.run(seed: seed)) }
    }

    private func nextSeed() -> UInt64? {
        if let seed = progress.withLock({ $0?.seed }) { return seed }
        guard !state.isOver, let block = state.takeBlock(after: seedTime.withLock { $0 }) else { return nil }
        let part = state.emptyPart()
        progress.withLock {
            $0 = Progress(seed: block.lowerBound, block: block, part: part, first: block.lowerBound)
        }
        return block.lowerBound
    }

    private func finish(_ run: RunResult) {
        progress.withLock { progress in
            guard var current = progress.take() else { return }
            current.part.add(run)
            let seed = current.seed
            let (delivers, isLast) = state.ends(
                at: seed,
                of: current.block,
                after: run,
                since: current.delivered
            )
            if delivers {
                current.part.cover(current.first...seed)
                state.deliver(current.part, from: current.first)
            }
            if isLast {
                let count = Int(clamping: seed - current.block.lowerBound) + 1
                let time = (ContinuousClock.now - current.began) / count
                seedTime.withLock { $0 = time }
                return
            }
            if delivers {
                current.part = state.emptyPart()
                current.first = seed + 1
                current.delivered = .now
            }
            current.seed = seed + 1
            progress = current
        }
    }
}
