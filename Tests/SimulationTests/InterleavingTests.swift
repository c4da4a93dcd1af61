import Simulation
import Testing

private actor Account {
    var balance: Int
    init(_ balance: Int) { self.balance = balance }
    func add(_ amount: Int) { balance += amount }
}

@Suite("Interleavings")
struct InterleavingTests {
    /// The outcomes that a body reaches over many seeds.
    private func outcomes<Value: Hashable & Sendable>(
        seeds: ClosedRange<UInt64> = 1...300,
        _ body: @escaping @Sendable () async throws -> Value
    ) throws -> Set<Value> {
        try Set(seeds.map { seed in try Simulation(seed: seed).run(body) })
    }

    @Test func `others get between leaving one actor and entering the next`() throws {
        let sums = try outcomes {
            let a = Account(100)
            let b = Account(0)
            async let move: Void = {
                await a.add(-40); await b.add(40)
            }()
            async let audit = { await a.balance + b.balance }()
            return await (move, audit).1
        }
        // 100 is the sum before or after; 60 was read with the money in flight, 140 in the other order of reading.
        #expect(sums.contains(100))
        #expect(sums.contains(60))
    }

    @Test func `an update is lost across an await in some orders and not in others`() throws {
        let totals = try outcomes {
            let account = Account(0)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        let seen = await account.balance
                        await account.add(seen + 1 - account.balance)
                    }
                }
            }
            return await account.balance
        }
        #expect(totals == [1, 2])
    }

    @Test func `a preferred executor runs what its task does within the scope, and nothing outside it`()
        throws
    {
        let places = try Simulation(seed: 1).run {
            let executor = MarkingExecutor()
            var places = [executor.isRunning]
            await withTaskExecutorPreference(executor) {
                places.append(executor.isRunning)
                await hop()
                places.append(executor.isRunning)
                await Task.yield()
                places.append(executor.isRunning)
            }
            places.append(executor.isRunning)
            await hop()
            places.append(executor.isRunning)
            return places
        }
        #expect(places == [false, true, true, true, false, false])
    }

    @Test func `unstructured tasks start in every order`() throws {
        let orders = try outcomes {
            let order = Order()
            let tasks = (0..<3).map { number in Task { await order.append(number) } }
            for task in tasks { await task.value }
            return await order.numbers
        }
        #expect(orders.count == 6)
    }

    @Test func `the main actor takes its jobs in order of arrival`() throws {
        let orders = try outcomes {
            let order = Order()
            let tasks = await MainActor.run {
                (0..<4).map { number in Task { @MainActor in await order.append(number) } }
            }
            for task in tasks { await task.value }
            return await order.numbers.sorted()
        }
        #expect(orders == [[0, 1, 2, 3]])
        let starts = try outcomes { () -> [Int] in
            let starts = Starts()
            let tasks = await MainActor.run {
                (0..<4).map { number in Task { @MainActor in starts.numbers.append(number) } }
            }
            for task in tasks { await task.value }
            return await starts.numbers
        }
        #expect(starts == [[0, 1, 2, 3]])
    }

    @Test func `first in, first out takes one order only`() throws {
        var configuration = Simulation.Configuration()
        configuration.schedule = .firstInFirstOut
        let orders = try Set(
            (1...50).map { seed in
                try Simulation(seed: seed, configuration: configuration).run {
                    let order = Order()
                    let tasks = (0..<5).map { number in Task { await order.append(number) } }
                    for task in tasks { await task.value }
                    return await order.numbers
                }
            }
        )
        #expect(orders == [[0, 1, 2, 3, 4]])
    }

    @Test func `recorded decisions replay the run under another seed`() throws {
        @Sendable func body() async -> [Int] {
            let order = Order()
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<6 {
                    group.addTask {
                        await Task.yield()
                        await order.append(number)
                    }
                }
            }
            return await order.numbers
        }
        var recording = Simulation.Configuration()
        recording.recordsDecisions = true
        for seed in 1...20 as ClosedRange<UInt64> {
            let (order, report) = try Simulation(seed: seed, configuration: recording).runReporting(body)
            var replaying = Simulation.Configuration()
            replaying.schedule = .replaying(report.decisions)
            let (again, replayed) = try Simulation(seed: seed, configuration: replaying).runReporting(body)
            #expect(order == again)
            #expect(replayed.hash == report.hash)
            #expect(replayed.departures == 0)
            // Behind the last one the oldest is taken.
            replaying.schedule = .replaying(Array(report.decisions.prefix(2)))
            replaying.recordsDecisions = true
            let (_, cut) = try Simulation(seed: seed, configuration: replaying).runReporting(body)
            #expect(cut.decisions.prefix(2) == report.decisions.prefix(2))
            #expect(cut.decisions.dropFirst(2).allSatisfy { $0.index == 0 })
            #expect(cut.mismatches.isEmpty)
            replaying.schedule = .replaying([Decision(index: 99)])
            let (_, departed) = try Simulation(seed: seed, configuration: replaying).runReporting(body)
            #expect(departed.departures == 1)
        }
    }
}

/// Runs at once what it is given.
private final class MarkingExecutor: TaskExecutor {
    private let depth = Shared(0)
    /// Whether something that it was given is running.
    var isRunning: Bool { depth.withLock { $0 > 0 } }

    func enqueue(_ job: consuming ExecutorJob) {
        depth.withLock { $0 += 1 }
        unsafe UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
        depth.withLock { $0 -= 1 }
    }
}

private func hop() async {}

private actor Order {
    var numbers: [Int] = []
    func append(_ number: Int) { numbers.append(number) }
}

@MainActor private final class Starts {
    var numbers: [Int] = []
}
