import Synchronization

/// Runs one body for many seeds on threads of their own.
public struct SeedSweep: Sendable {
    /// The seeds.
    public var seeds: ClosedRange<UInt64>
    /// How many threads run at once.
    public var jobs: Int

    /// Prepares a sweep; `jobs` is at least 1.
    public init(seeds: ClosedRange<UInt64>, jobs: Int) {
        precondition(jobs > 0, "a sweep needs a thread")
        self.seeds = seeds
        self.jobs = jobs
    }

    /// Runs `body` for each seed and gives the results as they come, in no particular order.
    ///
    /// Ending the iteration stops the sweep after the seeds that run now.
    ///
    /// - Parameter body: Called on several threads at once, without a current simulation.
    public func results<Value: Sendable>(
        _ body: @escaping @Sendable (UInt64) -> Value
    ) -> AsyncStream<(seed: UInt64, value: Value)> {
        let (stream, continuation) = AsyncStream<(seed: UInt64, value: Value)>.makeStream()
        let distance = seeds.upperBound - seeds.lowerBound  // one less than there are seeds
        let state = SweepState(seeds: seeds, threads: Int(min(UInt64(jobs) - 1, distance)) + 1)
        continuation.onTermination = { _ in state.stop() }
        for _ in 0..<state.threads {
            startThread {
                while let seed = state.takeSeed() { continuation.yield((seed, body(seed))) }
                if state.endThread() { continuation.finish() }
            }
        }
        return stream
    }
}

/// Which seed is next, and how many threads are left.
private final class SweepState: Sendable {
    let threads: Int
    private let seeds: ClosedRange<UInt64>
    private let progress: Mutex<(next: UInt64?, running: Int)>

    init(seeds: ClosedRange<UInt64>, threads: Int) {
        self.seeds = seeds
        self.threads = threads
        progress = Mutex((seeds.lowerBound, threads))
    }

    func takeSeed() -> UInt64? {
        progress.withLock { progress in
            guard let seed = progress.next else { return nil }
            progress.next = seed < seeds.upperBound ? seed + 1 : nil
            return seed
        }
    }

    func stop() { progress.withLock { $0.next = nil } }

    /// Returns whether it was the last.
    func endThread() -> Bool {
        progress.withLock { progress in
            progress.running -= 1
            return progress.running == 0
        }
    }
}
