import AsyncAlgorithms
import SimulationTesting
import Testing

@Suite struct AsyncZipField {
    private static func numbers() -> AsyncStream<Int> {
        AsyncStream { continuation in
            let task = Task {
                for number in 0..<5 {
                    try await Task.sleep(for: .milliseconds(.random(in: 0...2)))
                    continuation.yield(number)
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Iterates in a task that is cancelled sooner or later; it ends in any case.
    private static func iterate<Sequence: AsyncSequence & Sendable>(_ sequence: Sequence) async throws {
        let task = Task { for try await _ in sequence {} }
        try await Task.sleep(for: .milliseconds(.random(in: 0...10)))
        task.cancel()
        _ = await task.result
    }

    @Test(.simulated(seeds: 1...200))
    func `a task that merges may be cancelled at any time`() async throws {
        try await Self.iterate(merge(Self.numbers(), Self.numbers()))
    }

    @Test(.simulated(seeds: 1...200))
    func `a task that zips may be cancelled at any time`() async throws {
        try await Self.iterate(zip(Self.numbers(), Self.numbers()))
    }

    @Test(.simulated(seeds: 1...200))
    func `a task that combines the latest may be cancelled at any time`() async throws {
        try await Self.iterate(combineLatest(Self.numbers(), Self.numbers()))
    }

    @Test(.simulated(seeds: 1...200))
    func `a task that debounces may be cancelled at any time`() async throws {
        try await Self.iterate(Self.numbers().debounce(for: .milliseconds(1)))
    }
}
