import AsyncAlgorithms
import SimulationTesting
import Testing

@Suite struct AsyncShareField {
    @Test(.simulated(seeds: 1...200))
    func `everyone who shares a sequence sees it to its end`() async throws {
        let limit = Int.random(in: 0...2)
        let source = AsyncStream<Int> { continuation in
            for number in 0..<5 { continuation.yield(number) }
            continuation.finish()
        }
        let shared = source.share(bufferingPolicy: .bounded(limit))
        await withTaskGroup(of: [Int].self) { group in
            for _ in 0..<3 {
                group.addTask {
                    var seen: [Int] = []
                    for await number in shared {
                        seen.append(number)
                        if .random() { try? await Task.sleep(for: .milliseconds(.random(in: 0...3))) }
                    }
                    return seen
                }
            }
            // Whoever begins late may miss the first ones.
            for await seen in group { #expect(seen == Array((0..<5).suffix(seen.count))) }
        }
    }
}
