import AsyncExtensions
import SimulationTesting
import Testing

@Suite struct AsyncExtensionsField {
    private static func numbers(_ count: Int) -> AsyncStream<Int> {
        AsyncStream { continuation in
            let task = Task {
                for number in 0..<count {
                    try await Task.sleep(for: .milliseconds(.random(in: 1...3)))
                    continuation.yield(number)
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// The inner sequences may never end; a cancelled task does.
    @Test(.simulated(seeds: 1...200))
    func `a task that follows the latest sequence ends when it is cancelled`() async throws {
        let task = Task {
            let latest = Self.numbers(3).map { _ in Self.numbers(1_000_000) }.switchToLatest()
            for try await _ in latest {}
        }
        try await Task.sleep(for: .milliseconds(.random(in: 0...10)))
        task.cancel()
        _ = await task.result
    }

    @Test(.simulated(seeds: 1...200))
    func `a client that leaves a shared sequence does not end it for another`() async throws {
        let shared = Self.numbers(10).share()
        let other = Task {
            var last = -1
            for try await number in shared { last = number }
            return last
        }
        let leaving = Task { for try await _ in shared {} }
        try await Task.sleep(for: .milliseconds(.random(in: 0...10)))
        leaving.cancel()
        _ = await leaving.result
        #expect(try await other.value == 9)
    }
}
