import Queue
import SimulationTesting
import Testing

@Suite struct QueueField {
    /// Some operations are cancelled while they wait or run; those after them run all the same.
    @Test(.simulated(seeds: 1...200), arguments: [false, true])
    func `every operation runs in the end`(concurrent: Bool) async throws {
        let queue = AsyncQueue(attributes: concurrent ? [.concurrent] : [])
        for _ in 0..<5 {
            let task = queue.addOperation(barrier: .random()) {
                try await Task.sleep(for: .milliseconds(.random(in: 0...3)))
            }
            if .random() {
                try await Task.sleep(for: .milliseconds(.random(in: 0...4)))
                task.cancel()
            }
        }
        let last = queue.addOperation(barrier: true) { 42 }
        #expect(await last.value == 42)
    }
}
