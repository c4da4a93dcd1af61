import Simulation
import Testing

@globalActor private actor Registry {
    static let shared = Registry()
    /// Sees whose code runs on it.
    @Registry static func visit(_ simulation: Simulation?) async -> Bool {
        await Task.yield()
        return Simulation.current === simulation
    }
}

private actor Counter {
    var count = 0
    func add() { count += 1 }
    /// Is in the middle of a method for a while.
    func addSlowly() async {
        count += 1
        try? await Task.sleep(for: .milliseconds(5))
        count += 1
    }
}

@Suite("What simulations of one process share")
struct SharedActorTests {
    private static func runs(_ seeds: ClosedRange<UInt64>) -> [String] {
        seeds.compactMap { seed in
            do {
                try Simulation(seed: seed).run {
                    guard let simulation = Simulation.current else { return }
                    let node = simulation.node("server")
                    node.start {
                        while !Task.isCancelled {
                            _ = await Registry.visit(simulation)
                            try? await Task.sleep(for: .milliseconds(1))
                        }
                    }
                    // In the middle of whatever the node does, with jobs of it that are ready.
                    for _ in 0..<Int.random(in: 0..<20) { await Task.yield() }
                    node.crash()
                    #expect(await Registry.visit(simulation))
                    try await Task.sleep(for: .milliseconds(2))
                    #expect(await Registry.visit(simulation))
                }
                return nil
            } catch {
                return "\(error)"
            }
        }
    }

    @Test func `a crash leaves no global actor locked for later seeds`() {
        #expect(Self.runs(1...500) == [])
    }

    @Test func `a run that ends at a limit leaves none locked either`() throws {
        var configuration = Simulation.Configuration()
        configuration.maximumSteps = 40
        for seed in 1...20 as ClosedRange<UInt64> {
            #expect(throws: SimulationError.self) {
                try Simulation(seed: seed, configuration: configuration).run {
                    let simulation = Simulation.current
                    for _ in 0..<4 { Task { while true { _ = await Registry.visit(simulation) } } }
                    try await Task.sleep(for: .seconds(1))
                }
            }
            try Simulation(seed: seed).run { _ = await Registry.visit(Simulation.current) }
        }
    }

    @Test func `what is isolated to a global actor runs in its own simulation, on all threads`() async {
        let failures = await withTaskGroup(of: [String].self) { group in
            for _ in 0..<4 { group.addTask { Self.runs(1...150) } }
            return await group.reduce(into: [String]()) { $0 += $1 }
        }
        #expect(failures == [])
    }

    @Test func `tasks that begin on a global actor stay in their simulation too`() async throws {
        let (strangers, visits) = (Shared(0), Shared(0))
        await withTaskGroup(of: Void.self) { group in
            for seed in 1...4 as ClosedRange<UInt64> {
                group.addTask {
                    for round in 0..<100 {
                        do {
                            try Simulation(seed: seed &* 1000 + UInt64(round)).run {
                                let simulation = Simulation.current
                                let task = Task { @Registry in
                                    if Simulation.current !== simulation { strangers.withLock { $0 += 1 } }
                                    await Task.yield()
                                    if Simulation.current !== simulation { strangers.withLock { $0 += 1 } }
                                    visits.withLock { $0 += 1 }
                                }
                                await task.value
                            }
                        } catch {
                            Issue.record(error, "seed \(seed), round \(round)")
                        }
                    }
                }
            }
        }
        #expect(strangers.withLock { $0 } == 0)
        #expect(visits.withLock { $0 } == 400)
    }

    @Test func `simulations of several threads run one after the other`() async {
        let (running, most, runs) = (Shared(0), Shared(0), Shared(0))
        await withTaskGroup(of: Void.self) { group in
            for seed in 1...8 as ClosedRange<UInt64> {
                group.addTask {
                    for round in 0..<50 {
                        let run: Void? = try? Simulation(seed: seed &* 1000 + UInt64(round)).run {
                            let now = running.withLock {
                                $0 += 1; return $0
                            }
                            most.withLock { $0 = max($0, now) }
                            for _ in 0..<20 { await Task.yield() }
                            running.withLock { $0 -= 1 }
                        }
                        if run != nil { runs.withLock { $0 += 1 } }
                    }
                }
            }
        }
        #expect(most.withLock { $0 } == 1)
        #expect(runs.withLock { $0 } == 400)
    }

    @Test func `the turn comes to others after a run that has blocked its thread`() throws {
        for seed in 1...3 as ClosedRange<UInt64> {
            #expect(throws: SimulationError.self) {
                try Simulation(seed: seed).run { Baton().wait() }
            }
        }
        #expect(try Simulation(seed: 4).run { true })
    }

    @MainActor private enum Store {
        static var items: [String: [Int]] = [:]
        static func add(_ number: Int) async {
            items["all", default: []].append(number)
            await Task.yield()
            if items["all", default: []].count > 100 { items = [:] }
        }
    }

    @Test func `a variable of the main actor is used by one simulation at a time`() async {
        let failures = await withTaskGroup(of: Int.self) { group in
            for worker in 0..<4 as Range<UInt64> {
                group.addTask {
                    (0..<400 as Range<UInt64>).count { round in
                        let run: Void? = try? Simulation(seed: worker << 32 | round).run {
                            await withTaskGroup(of: Void.self) { group in
                                for number in 0..<5 { group.addTask { await Store.add(number) } }
                            }
                        }
                        return run == nil
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(failures == 0)
    }

    @Test func `code of a crashed node does not go on when an actor that nodes share resumes it`() throws {
        for seed in 1...30 as ClosedRange<UInt64> {
            try Simulation(seed: seed).run {
                guard let simulation = Simulation.current else { return }
                let counter = Counter()
                let node = simulation.node("server")
                node.start { await counter.addSlowly() }
                try await Task.sleep(for: .milliseconds(1))
                node.crash()
                try await Task.sleep(for: .milliseconds(50))
                let counted = await counter.count
                #expect(counted == 1)
                await counter.add()
                #expect(await counter.count == 2)
            }
        }
    }

    @Test func `a job that is ready when its node crashes does not run`() throws {
        for seed in 1...50 as ClosedRange<UInt64> {
            try Simulation(seed: seed).run {
                guard let simulation = Simulation.current else { return }
                let steps = Shared(0)
                let node = simulation.node("server")
                node.start { while true { steps.withLock { $0 += 1 }; await Task.yield() } }
                for _ in 0..<5 { await Task.yield() }
                node.crash()
                let then = steps.withLock { $0 }
                for _ in 0..<20 { await Task.yield() }
                #expect(steps.withLock { $0 } == then)
            }
        }
    }
}
