import Asynchrone
import SimulationTesting
import Synchronization
import Testing

@Suite struct AsynchroneField {
    /// Whoever stops iterating ends the work that makes the elements.
    @Test(.simulated(seeds: 1...200))
    func `a stream that nobody reads any more makes no more elements`() async throws {
        let made = Made()
        let reader = Task {
            let stream = AsyncStream<Int>(bufferingPolicy: .unbounded) { continuation in
                for number in 0..<100 {
                    guard (try? await Task.sleep(for: .milliseconds(10))) != nil else { break }
                    made.count.withLock { $0 += 1 }
                    continuation.yield(number)
                }
                continuation.finish()
            }
            for await _ in stream {}
        }
        try await Task.sleep(for: .milliseconds(.random(in: 0...50)))
        reader.cancel()
        await reader.value
        try await Task.sleep(for: .seconds(5))
        let count = made.count.withLock { $0 }
        #expect(count < 100, "\(count) elements were made for nobody")
    }

    private final class Made: Sendable {
        let count = Mutex(0)
    }
}
