import Foundation
import Simulation
import Testing

@Suite(
    "Deadlocks of threads",
    .enabled(if: Threads.areSimulated, "this machine lets no program change its thread pointer"),
    .timeLimit(.minutes(5))
)
struct ThreadDeadlockTests {
    private static let line = #line + 4

    private static func lockInTwoOrders() async {
        let (first, second) = (NSLock(), NSLock())
        await withTaskGroup(of: Void.self) { group in
            group.addTask { first.withLock { second.withLock {} } }
            group.addTask { second.withLock { first.withLock {} } }
        }
    }

    @Test func `time does not pass for a wait that has ended before its limit`() throws {
        let error = #expect(throws: SimulationError.self) {
            try Simulation(seed: 3, configuration: Threads.configuration).run {
                let semaphore = DispatchSemaphore(value: 0)
                let thread = PosixThread { semaphore.wait(timeout: .now() + 1_000) == .success ? 1 : 0 }
                blockBriefly()
                semaphore.signal()
                #expect(thread.join() == 1)
                wait(for: semaphore)
            }
        }
        #expect("\(try #require(error))".contains("virtual 0.0"))
    }

    @Test func `two queues that sync into each other name the threads that are on them`() throws {
        var failures: [String] = []
        for seed in 1...200 as ClosedRange<UInt64> {
            do {
                try Simulation(seed: seed, configuration: Threads.configuration).run {
                    let queues = [DispatchQueue(label: "a"), DispatchQueue(label: "b")]
                    let threads = [(0, 1), (1, 0)].map { outer, inner in
                        PosixThread {
                            queues[outer].sync {
                                letOthersRun()
                                queues[inner].sync {}
                            }
                            return 0
                        }
                    }
                    for thread in threads { _ = thread.join() }
                }
            } catch { failures.append("\(error)") }
        }
        #expect((1..<200).contains(failures.count))
        let text = try #require(failures.first)
        #expect(text.contains("thread 2 waits for a queue that thread 3 is on"), "\(text)")
        #expect(text.contains("thread 3 waits for a queue that thread 2 is on"), "\(text)")
        #expect(text.contains("task 1 waits for the end of thread"), "\(text)")
    }

    @Test func `what a crashed node waited for is no part of a deadlock`() throws {
        let error = #expect(throws: SimulationError.self) {
            try Simulation(seed: 1, configuration: Threads.configuration).run {
                let node = try #require(Simulation.current).node("server")
                let semaphore = DispatchSemaphore(value: 0)
                try await node.run { Thread { semaphore.wait() }.start() }
                try await Task.sleep(for: .seconds(1))
                node.crash()
                wait(for: semaphore)
            }
        }
        #expect("\(try #require(error))".hasPrefix("nobody can go on, and 1 thread waits"))
    }

    @Test func `two tasks that lock in two orders, without any await, end blocked in some seeds`() throws {
        var failures: [String] = []
        for seed in 1...200 as ClosedRange<UInt64> {
            do {
                try Simulation(seed: seed, configuration: Threads.configuration).run {
                    await Self.lockInTwoOrders()
                }
            } catch { failures.append("\(error)") }
        }
        #expect((5...150).contains(failures.count), "\(failures.count)")
        let first = try #require(failures.first)
        #expect(first.hasPrefix("nobody can go on, and 2 threads wait"), "\(first)")
        #expect(
            first.contains(
                "ThreadDeadlockTests.swift:\(Self.line + 1): task 2 waits for a lock that task 3 holds\n"
            ),
            "\(first)"
        )
        #expect(
            first.contains(
                "ThreadDeadlockTests.swift:\(Self.line + 2): task 3 waits for a lock that task 2 holds\n"
            ),
            "\(first)"
        )
    }

    @Test func `a thread that waits for what nobody does is named with its line`() throws {
        let wait = #line + 4
        @Sendable func waitForNobody() {
            let semaphore = DispatchSemaphore(value: 0)
            _ = PosixThread {
                semaphore.wait()
                return 0
            }.join()
        }
        let error = #expect(throws: SimulationError.self) {
            try Simulation(seed: 1, configuration: Threads.configuration).run { waitForNobody() }
        }
        let text = "\(try #require(error))"
        #expect(text.contains("task 1 waits for the end of thread 2"), "\(text)")
        #expect(
            text.contains(
                "at ThreadDeadlockTests.swift:\(wait): thread 2 waits for what nobody does any more"
            ),
            "\(text)"
        )
    }
}
