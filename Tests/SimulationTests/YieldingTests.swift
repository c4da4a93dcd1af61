import Simulation
import Testing

private actor Door {
    private(set) var isOpen = false
    func open() { isOpen = true }
}

@Suite("Tasks that only yield")
struct YieldingTests {
    private static let strategies: [Strategy] = [.fifo, .random, .pct]

    private func simulation(_ strategy: Strategy) -> Simulation {
        Simulation(seed: 3, configuration: Recipe(seed: 3, strategy: strategy).configuration)
    }

    @Test(arguments: strategies)
    func `time passes for a task that yields until a sleeper has set a flag`(strategy: Strategy) throws {
        let (_, report) = try simulation(strategy).runReporting {
            let isOpen = Shared(false)
            Task {
                try await Task.sleep(for: .seconds(30))
                isOpen.withLock { $0 = true }
            }
            while !isOpen.withLock({ $0 }) { await Task.yield() }
        }
        #expect(report.time >= .seconds(30))
        #expect(report.steps < 2_000_000)
    }

    @Test(arguments: strategies)
    func `time passes too where each turn of the loop asks an actor`(strategy: Strategy) throws {
        let (_, report) = try simulation(strategy).runReporting {
            let door = Door()
            Task {
                try await Task.sleep(for: .seconds(1))
                await door.open()
            }
            while await !door.isOpen { await Task.yield() }
        }
        #expect(report.time >= .seconds(1))
        #expect(report.steps < 4_000_000)
    }

    @Test func `a loop that yields forever is reported, with its task`() throws {
        do {
            try simulation(.random).run { while true { await Task.yield() } }
        } catch SimulationError.waitLimit(let report, _), SimulationError.timeLimit(let report) {
            #expect(report.position.step < 5_000_000)
            #expect(report.waiting.first?.waitsAt.first?.file?.hasSuffix("YieldingTests.swift") == true)
        }
    }

    @Test func `tasks that work between their yields see no more time pass than outside`() throws {
        let (_, report) = try simulation(.fifo).runReporting {
            let (numbers, continuation) = AsyncStream<Int>.makeStream()
            Task {
                for number in 0..<150_000 {
                    continuation.yield(number)
                    await Task.yield()
                }
                continuation.finish()
            }
            for await _ in numbers { await Task.yield() }
        }
        // A microsecond for each yield.
        #expect(report.time < .milliseconds(300))
    }
}
