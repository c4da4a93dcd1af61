import Clocks
import SimulationTesting
import Testing

@Suite struct ClocksField {
    /// A task that sleeps until a moment goes on when the clock has come there, whichever is first.
    @Test(.simulated(seeds: 1...200))
    func `a sleep ends when the clock has come to its deadline`() async throws {
        let clock = TestClock()
        let deadline = clock.now.advanced(by: .seconds(1))
        let sleeper = Task {
            try await Task.sleep(for: .milliseconds(.random(in: 0...3)))
            try await clock.sleep(until: deadline, tolerance: nil)
        }
        try await Task.sleep(for: .milliseconds(.random(in: 0...3)))
        await clock.advance(by: .seconds(1))
        try await sleeper.value
    }
}
