import Basics
import SimulationTesting
import Synchronization
import Testing

@Suite struct AsyncOperationQueueField {
    /// How many operations run at this moment.
    private final class Gauge: Sendable {
        private let running = Mutex(0)

        func enter() -> Int {
            running.withLock {
                $0 += 1
                return $0
            }
        }

        func leave() { running.withLock { $0 -= 1 } }
    }

    @Test(.simulated(seeds: 1...200))
    func `no more operations run at once than allowed`() async throws {
        let limit = Int.random(in: 1...2)
        let queue = AsyncOperationQueue(concurrentTasks: limit)
        let gauge = Gauge()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    try await queue.withOperation {
                        let running = gauge.enter()
                        #expect(running <= limit, "\(running) operations are running")
                        try await Task.sleep(for: .milliseconds(.random(in: 0...3)))
                        gauge.leave()
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test(.simulated(seeds: 1...200))
    func `every operation runs in the end`() async throws {
        let queue = AsyncOperationQueue(concurrentTasks: 1)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { try await queue.withOperation { await Task.yield() } }
            }
            try await group.waitForAll()
        }
    }
}
