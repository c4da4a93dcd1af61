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
        let threads = Int(min(UInt64(jobs) - 1, distance)) + 1
        let left = SeedsLeft(seeds)
        continuation.onTermination = { _ in left.forget() }
        startThreads(threads) {
            while let seed = left.take() { continuation.yield((seed, body(seed))) }
        } end: {
            continuation.finish()
        }
        return stream
    }
}

/// Which seed is next.
private final class SeedsLeft: Sendable {
    private let last: UInt64
    private let next: Mutex<UInt64?>

    init(_ seeds: ClosedRange<UInt64>) {
        last = seeds.upperBound
        next = Mutex(seeds.lowerBound)
    }

    func take() -> UInt64? {
        next.withLock { next in
            guard let seed = next else { return nil }
            next = seed < last ? seed + 1 : nil
            return seed
        }
    }

    func forget() { next.withLock { $0 = nil } }
}
