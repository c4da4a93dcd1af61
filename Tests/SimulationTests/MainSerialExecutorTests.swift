import Foundation
import Simulation
import SimulationTesting
import Testing

/// What swift-concurrency-extras does in `withMainSerialExecutor`, on which tests of many packages are built.
@MainActor private func withMainSerialExecutor(_ operation: @isolated(any) () async throws -> Void)
    async throws
{
    typealias Original = @convention(thin) (UnownedJob) -> Void
    typealias Hook = @convention(thin) (UnownedJob, Original) -> Void
    let symbol = unsafe try #require(dlsym(dlopen(nil, 0), "swift_task_enqueueGlobal_hook"))
    let hook = unsafe symbol.assumingMemoryBound(to: Hook?.self)
    unsafe hook.pointee = { job, _ in MainActor.shared.enqueue(job) }
    defer { unsafe hook.pointee = nil }
    try await operation()
}

private actor List {
    private(set) var numbers: [Int] = []
    func append(_ number: Int) { numbers.append(number) }
}

@Suite("Main serial executors", .simulated(seeds: 1...50))
struct MainSerialExecutorTests {
    @Test func `tasks run in the order in which they were made`() async throws {
        let numbers = Shared<[Int]>([])
        try await withMainSerialExecutor {
            await withTaskGroup { group in
                for number in 0..<50 { group.addTask { numbers.withLock { $0.append(number) } } }
            }
        }
        #expect(numbers.withLock { $0 } == Array(0..<50))
    }

    @Test func `hops to an actor keep their order`() async throws {
        let list = List()
        try await withMainSerialExecutor {
            await withTaskGroup { group in
                for number in 0..<50 { group.addTask { await list.append(number) } }
            }
        }
        #expect(await list.numbers == Array(0..<50))
    }

    @Test func `a task that yields goes behind the others`() async throws {
        let numbers = Shared<[Int]>([])
        try await withMainSerialExecutor {
            await withTaskGroup { group in
                for number in 1...50 {
                    group.addTask {
                        if number.isMultiple(of: 2) { await Task.yield() }
                        numbers.withLock { $0.append(number) }
                    }
                }
            }
        }
        #expect(numbers.withLock { $0 } == (0..<25).map { 2 * $0 + 1 } + (1...25).map { 2 * $0 })
    }

    @Test func `sleeps end in virtual time, in their order`() async throws {
        let order = Shared<[Int]>([])
        try await withMainSerialExecutor {
            await withTaskGroup { group in
                for number in [3, 1, 2] {
                    group.addTask {
                        try? await Task.sleep(for: .seconds(number))
                        order.withLock { $0.append(number) }
                    }
                }
            }
        }
        #expect(order.withLock { $0 } == [1, 2, 3])
    }
}
