import Simulation
import Testing

@Suite("What nodes and tasks leave behind")
struct NodeMemoryTests {
    @Test func `a node that stands still for no time does what it would have done`() throws {
        func decisions(pausing: Bool) throws -> [Decision] {
            var configuration = Simulation.Configuration()
            configuration.recordsDecisions = true
            configuration.schedule = .firstInFirstOut
            return try Simulation(seed: 1, configuration: configuration).runReporting {
                guard let simulation = Simulation.current else { return }
                let node = simulation.node("phone")
                node.start {
                    for _ in 0..<3 { Task { @MainActor in await Task.yield() } }
                    if pausing {
                        node.pause()
                        node.resume()
                    }
                    await Task.yield()
                }
                try await Task.sleep(for: .seconds(1))
            }.report.decisions
        }
        #expect(try decisions(pausing: true) == decisions(pausing: false))
    }

    @Test func `what is to happen at a restart is released with the run`() throws {
        weak var simulation: Simulation?
        do {
            let used = Simulation(seed: 1)
            simulation = used
            let node = used.node("phone")
            node.onRestart { _ = used.now }
            try used.run { node.restart() }
        }
        #expect(simulation == nil)
    }

    private actor Counter {
        private(set) var count = 0
        func spawn(_ objects: Int, alive: Shared<Int>) {
            for _ in 0..<objects {
                let canary = Canary(alive)
                Task {
                    count += 1
                    _ = canary
                }
            }
        }
    }

    private final class Canary: Sendable {
        let alive: Shared<Int>
        init(_ alive: Shared<Int>) {
            self.alive = alive
            alive.withLock { $0 += 1 }
        }
        deinit { alive.withLock { $0 -= 1 } }
    }

    @Test func `tasks that end while others queue on their actor are released soon`() throws {
        try Simulation(seed: 1).run {
            let counter = Counter()
            let alive = Shared(0)
            for round in 1...200 {
                await counter.spawn(5, alive: alive)
                while await counter.count < 5 * round { await Task.yield() }
            }
            for _ in 0..<200 { _ = await counter.count }
            #expect(alive.withLock { $0 } < 50)
        }
    }
}
