import CSimulation
import Simulation
import Synchronization
import Testing

private actor Account {
    var balance = 0
    func add(_ amount: Int) { balance += amount }
    func set(_ amount: Int) { balance = amount }
    func call(_ body: @Sendable () -> Void) { body() }
    func yield(_ times: Int) async { for _ in 0..<times { await Task.yield() } }
    /// Lets others in between reading and writing.
    func addSlowly(_ amount: Int) async {
        let seen = balance
        await Task.yield()
        balance = seen + amount
    }
}

/// How many of the seeds find the bug.
private func findings(
    _ schedule: Schedule,
    seeds: ClosedRange<UInt64> = 1...200,
    cancellation: CancellationPoint? = nil,
    _ body: @escaping @Sendable () async throws -> Bool
) -> Int {
    var configuration = Simulation.Configuration()
    configuration.schedule = schedule
    configuration.cancellation = cancellation
    configuration.forbidsLeftovers = true
    return seeds.count { seed in
        do { return try Simulation(seed: seed, configuration: configuration).run(body) } catch {
            Issue.record(error, "seed \(seed)")
            return false
        }
    }
}

private actor Queue {
    func visit() {}
}

@Suite("Strategies")
struct StrategyTests {
    /// Two updates that each read, hop, and write.
    @Sendable private static func lostUpdate() async -> Bool {
        let account = Account()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    let seen = await account.balance
                    await account.set(seen + 1)
                }
            }
        }
        return await account.balance != 2
    }

    @Test(arguments: [
        Schedule.random, .priorities(depth: 2), .priorities(depth: 3), .partialOrder, .reentrant,
        .sticky(decisions: 4),
    ])
    func `every strategy finds a lost update`(_ schedule: Schedule) {
        #expect(findings(schedule, Self.lostUpdate) > 0)
    }

    @Test func `without a strategy the order is the same whatever the seed`() {
        let count = findings(.firstInFirstOut, Self.lostUpdate)
        #expect(count == 0 || count == 200)
    }

    /// A bug of depth one: it shows when a late task runs before an early one with many steps.
    @Sendable private static func lateFirst() async -> Bool {
        let first = Shared<Int?>(nil)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask {
                    for _ in 0..<12 where number < 3 { await Task.yield() }
                    first.withLock { $0 = $0 ?? number }
                }
            }
            group.addTask {
                for _ in 0..<60 { await Task.yield() }
                first.withLock { $0 = $0 ?? 9 }
            }
        }
        return first.withLock { $0 } == 9
    }

    @Test func `priorities let one task run far ahead of all others, which chance never does`() {
        #expect(findings(.priorities(depth: 1), Self.lateFirst) > 10)
        #expect(findings(.random, Self.lateFirst) == 0)
    }

    @Test(arguments: 1...3)
    func `a task that yields until another has done its work does not keep it from that`(depth: Int) throws {
        var configuration = Simulation.Configuration()
        configuration.schedule = .priorities(depth: depth)
        configuration.maximumSteps = 10_000
        for seed in 1...30 as ClosedRange<UInt64> {
            try Simulation(seed: seed, configuration: configuration).run {
                let isDone = Shared(false)
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { while !isDone.withLock({ $0 }) { await Task.yield() } }
                    group.addTask {
                        for _ in 0..<20 { await Task.yield() }
                        isDone.withLock { $0 = true }
                    }
                }
            }
        }
    }

    @Test(arguments: [(false, false), (true, false), (false, true)])
    func `a partial order draws priorities again for what may touch the same`(onActors: (Bool, Bool)) {
        /// Whether the second of two tasks waits for all steps of the first.
        @Sendable func waits() async -> Bool {
            let order = Shared<[Int]>([])
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    if onActors.0 {
                        await Account().yield(15)
                    } else {
                        for _ in 0..<15 { await Task.yield() }
                    }
                    order.withLock { $0.append(1) }
                }
                group.addTask {
                    let append = { @Sendable in order.withLock { $0.append(2) } }
                    if onActors.1 { await Account().call(append) } else { append() }
                }
            }
            return order.withLock { $0 } == [1, 2]
        }
        // A priority that stays is the lowest of all in one run of some twenty.
        #expect(findings(.partialOrder, seeds: 1...500, waits) < 5)
        #expect(findings(.priorities(depth: 1), seeds: 1...500, waits) > 100)
    }

    @Test func `a sticky schedule lets one task run far ahead of all others too`() {
        #expect(findings(.sticky(decisions: 32), seeds: 1...1000, Self.lateFirst) > 3)
        #expect(findings(.random, seeds: 1...1000, Self.lateFirst) == 0)
    }

    @Test func `a depth of one never falls behind, so that two changes of place need a greater one`() {
        // Task A must be overtaken in its middle, which needs one change point.
        @Sendable func overtaken() async -> Bool {
            let log = Shared<[String]>([])
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    log.withLock { $0.append("a1") }
                    for _ in 0..<3 { await Task.yield() }
                    log.withLock { $0.append("a2") }
                }
                group.addTask {
                    log.withLock { $0.append("b1") }
                    for _ in 0..<3 { await Task.yield() }
                    log.withLock { $0.append("b2") }
                }
            }
            return log.withLock { $0 } == ["a1", "b1", "b2", "a2"]
        }
        #expect(findings(.priorities(depth: 1), overtaken) == 0)
        #expect(findings(.priorities(depth: 2), overtaken) > 0)
    }

    @Test
    func `a task that has fallen behind runs in the end, although a loop that never sleeps has work forever`()
        throws
    {
        for seed in 1...20 as ClosedRange<UInt64> {
            var configuration = Simulation.Configuration()
            configuration.schedule = .priorities(depth: 2)
            configuration.horizon = 8
            configuration.maximumSteps = 200_000
            try Simulation(seed: seed, configuration: configuration).run {
                let isOver = Shared(false)
                let queue = Queue()
                let loop = Task { while !isOver.withLock({ $0 }) { await queue.visit() } }
                for _ in 0..<20 { await queue.visit() }
                isOver.withLock { $0 = true }
                await loop.value
            }
        }
    }

    @Test func `the reentrant strategy enters an actor in the middle of a method more often than chance`() {
        @Sendable func reentered() async -> Bool {
            let account = Account()
            let others = (0..<6).map { _ in Account() }
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await account.addSlowly(1) }
                group.addTask {
                    for _ in 0..<2 { await Task.yield() }
                    await account.add(1)
                }
                for other in others {
                    group.addTask { for _ in 0..<8 { await other.add(1) } }
                }
            }
            return await account.balance != 2
        }
        let biased = findings(.reentrant, seeds: 1...400, reentered)
        let unbiased = findings(.random, seeds: 1...400, reentered)
        #expect(biased > unbiased)
    }

    @Test func `a drawn cancellation finds the resource that is not given back`() {
        @Sendable func leaks() async -> Bool {
            let held = Shared(0)
            let worker = Task {
                held.withLock { $0 += 1 }
                try await Task.sleep(for: .seconds(1))
                held.withLock { $0 -= 1 }  // not in a defer
            }
            try? await worker.value
            return held.withLock { $0 } != 0
        }
        #expect(findings(.random, cancellation: .drawn, leaks) > 0)
        #expect(findings(.random, leaks) == 0)
    }

    @Test func `a drawn cancellation spares the body itself, which is the test`() throws {
        var configuration = Simulation.Configuration()
        configuration.cancellation = .drawn
        for seed in 1...100 as ClosedRange<UInt64> {
            let wasCancelled = try Simulation(seed: seed, configuration: configuration).run {
                for _ in 0..<200 { await Task.yield() }
                return Task.isCancelled
            }
            #expect(!wasCancelled)
        }
    }

    @Test func `a cancellation hits the task and the suspension that are named`() throws {
        var configuration = Simulation.Configuration()
        configuration.cancellation = .after(task: 2, steps: 2)
        let (reached, report) = try Simulation(seed: 1, configuration: configuration).runReporting {
            let task = Task {
                var reached = 0
                for _ in 0..<5 {
                    guard (try? await Task.sleep(for: .seconds(1))) != nil else { return reached }
                    reached += 1
                }
                return reached
            }
            return await task.value
        }
        #expect(reached == 1)
        #expect(report.cancellations == 1)
    }

    @Test func `a replay follows a task that stands at another place, and says where it departed`() throws {
        @Sendable func body(extra: Bool) async -> [Int] {
            let log = Shared<[Int]>([])
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<4 {
                    group.addTask {
                        await Task.yield()
                        log.withLock { $0.append(number) }
                    }
                }
                if extra { group.addTask { await Task.yield() } }
            }
            return log.withLock { $0 }
        }
        var recording = Simulation.Configuration()
        recording.recordsDecisions = true
        var same = 0
        for seed in 1...40 as ClosedRange<UInt64> {
            let (order, report) = try Simulation(seed: seed, configuration: recording)
                .runReporting { await body(extra: false) }
            var replaying = Simulation.Configuration()
            replaying.schedule = .replaying(report.decisions)
            let (again, replayed) = try Simulation(seed: 1, configuration: replaying)
                .runReporting { await body(extra: true) }
            if order == again { same += 1 }
            if replayed.departures > 0 {
                let departure = try #require(replayed.firstDeparture)
                #expect(departure.decision < report.decisions.count + 8)
                #expect("\(departure)".contains("decision \(departure.decision)"))
            }
        }
        #expect(same >= 30)
    }

    @Test func `a chooser sees what is ready and decides`() throws {
        let seen = Shared<[[ReadyStep]]>([])
        var configuration = Simulation.Configuration()
        configuration.schedule = .chosen(
            StepChooser { ready in
                seen.withLock { $0.append(ready) }
                return ready.count - 1
            }
        )
        let order = try Simulation(seed: 1, configuration: configuration).run {
            let log = Shared<[Int]>([])
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<3 { group.addTask { log.withLock { $0.append(number) } } }
            }
            return log.withLock { $0 }
        }
        #expect(order == [2, 1, 0])
        #expect(seen.withLock { $0 }.contains { $0.count == 3 })
    }

    @MainActor private static func yieldOnMainActor() async { await Task.yield() }

    @Test func `a step on the main actor is seen as that of its task`() throws {
        let seen = Shared<Set<Int>>([])
        var configuration = Simulation.Configuration()
        configuration.schedule = .chosen(
            StepChooser { ready in
                seen.withLock { $0.formUnion(ready.filter { $0.kind == .mainActor }.map(\.task)) }
                return 0
            }
        )
        try Simulation(seed: 1, configuration: configuration).run {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<2 {
                    group.addTask { await Self.yieldOnMainActor() }
                    group.addTask { await Task.yield() }
                }
            }
        }
        #expect(seen.withLock { $0 }.isSuperset(of: [2, 4]))
        #expect(!seen.withLock { $0 }.contains(0))
    }

    @Test func `steps on one actor are known to touch the same, those on two are not`() throws {
        let pairs = Shared((same: 0, different: 0))
        var configuration = Simulation.Configuration()
        configuration.schedule = .chosen(
            StepChooser { ready in
                // Named after the actor that each of them is about to enter.
                for (index, one) in ready.enumerated() {
                    for other in ready[(index + 1)...] where one.actor != 0 && other.actor != 0 {
                        pairs.withLock {
                            if one.actor == other.actor { $0.same += 1 } else { $0.different += 1 }
                        }
                    }
                }
                return 0
            }
        )
        try Simulation(seed: 1, configuration: configuration).run {
            let one = Account()
            let other = Account()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<2 {
                    group.addTask { await one.add(1) }
                    group.addTask { await other.add(1) }
                    // Comes back to its actor from a sleep, through the actor's own queue.
                    group.addTask { await one.addSlowly(1) }
                }
            }
        }
        let (same, different) = pairs.withLock { $0 }
        #expect(same > 0)
        #expect(different > 0)
    }

    @Test func `an actor that is made in the memory of another has a number of its own`() throws {
        let world = unsafe csim_create(1, CSIM_CHOOSER, 0)
        let before = unsafe csim_set_current(world)
        defer {
            unsafe csim_set_current(before)
            unsafe csim_destroy(world)
        }
        var numbers: [UInt: Set<UInt32>] = [:]
        for _ in 0..<100 {
            let account = Account()
            let address = unsafe UInt(bitPattern: Unmanaged.passUnretained(account).toOpaque())
            let number = unsafe csim_actor_number(world, address)
            let again = unsafe csim_actor_number(world, address)
            #expect(again == number)
            #expect(numbers[address, default: []].insert(number).inserted)
        }
        #expect(numbers.count < 100, "no memory was used again")
    }

    @Test func `a task enters an actor in one step, and no queue of the actor is a step of its own`() throws {
        // The engine must know which actor a queue belongs to; where a toolchain keeps it elsewhere, queues show up.
        let queues = Shared(0)
        var configuration = Simulation.Configuration()
        configuration.schedule = .chosen(
            StepChooser { ready in
                queues.withLock { $0 += ready.count { $0.kind == .actor } }
                return ready.count / 2
            }
        )
        try Simulation(seed: 1, configuration: configuration).run {
            let account = Account()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask { await account.addSlowly(1) }
                    group.addTask { await account.add(1) }
                }
            }
        }
        #expect(queues.withLock { $0 } == 0)
    }
}
