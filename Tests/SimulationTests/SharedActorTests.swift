import CSimulation
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

@Suite("Actors that simulations share")
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

    @Test func `an actor that another simulation has made and still uses is refused by name`() throws {
        let borrowed = Shared<Counter?>(nil)
        let error = Shared<(any Error)?>(nil)
        let line = Shared(0)
        let (made, done) = (Baton(), Baton())
        startThread {
            made.wait()
            do {
                try Simulation(seed: 2).run {
                    guard let counter = borrowed.withLock({ $0 }) else { return }
                    await counter.add()
                }
            } catch let failure {
                error.withLock { $0 = failure }
            }
            done.pass()
        }
        try Simulation(seed: 1, configuration: patient).run {
            line.withLock { $0 = #line + 1 }
            let counter = Counter()
            await counter.add()
            borrowed.withLock { $0 = counter }
            made.pass()
            done.wait()
        }
        guard case .sharedActor(let actor, _) = error.withLock({ $0 }) as? SimulationError else {
            Issue.record("\(String(describing: error.withLock { $0 }))")
            return
        }
        #expect(actor.type.contains("Counter"))
        #expect(actor.place?.file?.hasSuffix("SharedActorTests.swift") == true, "\(actor)")
        #expect(actor.otherSeed == 1)
        #expect(actor.isRefused)
        #expect(actor.otherPlace?.file?.hasSuffix("SharedActorTests.swift") == true, "\(actor)")
        #expect(actor.otherPlace?.line == line.withLock { $0 }, "\(actor)")
    }

    /// A configuration in which threads may wait for each other.
    private var patient: Simulation.Configuration {
        var configuration = Simulation.Configuration()
        configuration.allowedEscapes = [.blockingWait]
        return configuration
    }

    @Test
    func `a simulation that had to wait for an actor of the process says for which, and where both were`()
        throws
    {
        let (entered, tried) = (Baton(), Baton())
        let reports = Shared<[SimulationReport]>([])
        let second = Baton()
        startThread {
            entered.wait()
            tried.pass()
            let run = try? Simulation(seed: 2).runReporting { _ = await Registry.visit(Simulation.current) }
            if let run { reports.withLock { $0.append(run.report) } }
            second.pass()
        }
        try Simulation(seed: 1, configuration: patient).run {
            _ = await Registry.visit(Simulation.current)
            entered.pass()
            tried.wait()
            while csim_waiting_world_count() == 0 {}
        }
        second.wait()
        let shared = try #require(reports.withLock { $0.first }).sharedActors
        #expect(shared.map(\.otherSeed) == [1])
        #expect(shared.first?.type.contains("Registry") == true)
        #expect(shared.first?.place?.file?.hasSuffix("SharedActorTests.swift") == true)
        #expect(shared.first?.otherPlace?.file?.hasSuffix("SharedActorTests.swift") == true)
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
