import AsyncObjects
import SimulationTesting
import Testing

@Suite struct AsyncObjectsField {
    @Test(.simulated(seeds: 1...200))
    func `a task that waits for an event ends when it is cancelled`() async throws {
        let event = AsyncEvent(signaledInitially: false)
        let waiter = Task { _ = try? await event.wait() }
        try await Task.sleep(for: .milliseconds(.random(in: 0...3)))
        waiter.cancel()
        await waiter.value
    }

    @Test(.simulated(seeds: 1...200))
    func `a task that waits for a permit ends when it is cancelled`() async throws {
        let semaphore = AsyncSemaphore(value: 1)
        _ = try? await semaphore.wait()
        let waiters = (0..<3).map { _ in Task { _ = try? await semaphore.wait() } }
        try await Task.sleep(for: .milliseconds(.random(in: 0...3)))
        for waiter in waiters { waiter.cancel() }
        for waiter in waiters { await waiter.value }
    }
}
