import Semaphore
import SimulationTesting
import Testing

@Suite struct SemaphoreField {
    /// Whoever cancels a task that waits, sooner or later, leaves the semaphore as if the task had never been.
    @Test(.simulated(seeds: 1...200))
    func `a cancelled task takes no permit with it`() async throws {
        let semaphore = AsyncSemaphore(value: 1)
        let job = Task {
            try await semaphore.waitUnlessCancelled()
            semaphore.signal()
        }
        try await Task.sleep(for: .milliseconds(.random(in: 0...10)))
        job.cancel()
        _ = await job.result
        await semaphore.wait()
        semaphore.signal()
    }
}
