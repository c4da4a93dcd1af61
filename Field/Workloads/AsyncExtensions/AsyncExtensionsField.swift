import AsyncExtensions
import SimulationTesting
import Testing

@Suite struct AsyncExtensionsField {
    /// Makes elements of numbers, one every few milliseconds; ends when its task is cancelled.
    private struct Ticks<Element: Sendable>: AsyncSequence, Sendable {
        var count: Int
        var element: @Sendable (Int) -> Element

        struct Iterator: AsyncIteratorProtocol, Sendable {
            var count: Int
            var element: @Sendable (Int) -> Element
            var made = 0

            mutating func next() async -> Element? {
                guard made < count, (try? await Task.sleep(for: .milliseconds(.random(in: 1...3)))) != nil
                else {
                    return nil
                }
                made += 1
                return element(made)
            }
        }

        func makeAsyncIterator() -> Iterator { Iterator(count: count, element: element) }
    }

    /// The inner sequences do not end for a long time; a cancelled task does.
    @Test(.simulated(seeds: 1...200))
    func `a task that follows the latest sequence ends when it is cancelled`() async throws {
        let clock = ContinuousClock()
        let task = Task {
            let sequences = Ticks(count: 3) { _ in Ticks(count: 10_000) { $0 } }
            for try await _ in sequences.switchToLatest() {}
        }
        try await Task.sleep(for: .milliseconds(.random(in: 0...10)))
        task.cancel()
        let start = clock.now
        _ = await task.result
        let took = clock.now - start
        #expect(took < .seconds(5), "the task went on for \(took)")
    }
}
