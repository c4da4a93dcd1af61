import Simulation
import SimulationTesting
import Testing

@Suite("Nodes", .simulated(seeds: 1...30, stalls: .none))
struct NodeTests {
    private let simulation: Simulation

    init() throws { simulation = try #require(Simulation.current) }

    @Test func `a crash drops jobs and timers, and a restart runs the program again`() async throws {
        let ticks = Shared([Int]())
        let lives = Shared(0)
        let node = simulation.node("server")
        node.start {
            let life = lives.withLock { count in
                count += 1
                return count
            }
            while !Task.isCancelled {
                try? await Task.sleep(for: .seconds(1))
                ticks.withLock { $0.append(life) }
            }
        }
        try await Task.sleep(for: .milliseconds(3500))
        node.crash()
        #expect(!node.isAlive)
        try await Task.sleep(for: .seconds(10))
        #expect(ticks.withLock { $0 } == [1, 1, 1])
        node.restart()
        try await Task.sleep(for: .milliseconds(2500))
        #expect(ticks.withLock { $0 } == [1, 1, 1, 2, 2])
        #expect(node.crashes == 1)
    }

    @Test func `tasks made by a node's tasks belong to the node`() async throws {
        let reached = Shared(false)
        let node = simulation.node("server")
        node.start {
            let inner = { @MainActor @Sendable () async -> Void in
                try? await Task.sleep(for: .seconds(5))
                reached.withLock { $0 = true }
            }
            Task { Task.detached { await inner() } }
        }
        try await Task.sleep(for: .seconds(1))
        node.crash()
        try await Task.sleep(for: .seconds(60))
        #expect(!reached.withLock { $0 })
    }

    @Test func `a paused node stands still, and goes on where it stopped`() async throws {
        let times = Shared([Duration]())
        let node = simulation.node("server")
        let simulation = simulation
        node.start { @MainActor in
            for _ in 0..<3 {
                try? await Task.sleep(for: .seconds(1))
                times.withLock { $0.append(simulation.now) }
            }
        }
        try await Task.sleep(for: .milliseconds(1500))
        node.pause()
        try await Task.sleep(for: .seconds(10))
        #expect(times.withLock { $0 } == [.seconds(1)])
        node.resume()
        try await Task.sleep(for: .seconds(5))
        #expect(times.withLock { $0 } == [.seconds(1), .milliseconds(11_500), .milliseconds(12_500)])
    }

    @Test func `waiting for a node that crashes ends with an error`() async throws {
        let node = simulation.node("server")
        let simulation = simulation
        Task {
            try await Task.sleep(for: .seconds(1))
            simulation.node("server").crash()
        }
        await #expect(throws: NodeCrashed.self) {
            try await node.run { try await Task.sleep(for: .seconds(10)) }
        }
        await #expect(throws: NodeCrashed.self) { try await node.run {} }
    }

    @Test func `the power can go when a node has crashed already, and goes once until it is restarted`()
        async throws
    {
        let losses = Shared(0)
        let node = simulation.node("server")
        node.onPowerOff { losses.withLock { $0 += 1 } }
        node.crash()
        #expect(node.hasPower)
        node.powerOff()
        node.powerOff()
        #expect(!node.hasPower && !node.isAlive)
        #expect(losses.withLock { $0 } == 1)
        #expect(node.crashes == 1)
        node.restart()
        #expect(node.hasPower && node.isAlive)
        node.powerOff()
        #expect(losses.withLock { $0 } == 2)
        #expect(node.crashes == 2)
    }

    @Test func `a supervisor does not start a program on a machine that was switched off while it waited`()
        async throws
    {
        let node = simulation.node("server")
        node.restartDelay = .seconds(2)
        node.crash()
        try await Task.sleep(for: .seconds(1))
        node.powerOff()
        try await Task.sleep(for: .milliseconds(1500))
        #expect(!node.isAlive)
        try await Task.sleep(for: .seconds(1))
        #expect(node.isAlive)
    }

    @Test func `healing lets wall clocks run true again, from where they are`() async throws {
        let node = simulation.node("server")
        node.clock.drift = 100_000
        try await Task.sleep(for: .seconds(10))
        simulation.heal()
        #expect(node.clock.drift == 0)
        try await Task.sleep(for: .seconds(10))
        #expect(node.clock.error == .seconds(1))
    }

    @Test func `resources end with their node`() async throws {
        let ended = Shared([String]())
        let node = simulation.node("server")
        node.onEnd { ended.withLock { $0.append("socket") } }
        let file = node.onEnd { ended.withLock { $0.append("file") } }
        node.removeEnding(file)
        node.crash()
        #expect(ended.withLock { $0 } == ["socket"])
        node.restart()
        node.crash()
        #expect(ended.withLock { $0 } == ["socket"])
    }

    @Test func `healing lets paused nodes go on`() async throws {
        let ticks = Shared(0)
        let node = simulation.node("server")
        node.start {
            for _ in 0..<3 {
                try? await Task.sleep(for: .seconds(1))
                ticks.withLock { $0 += 1 }
            }
        }
        try await Task.sleep(for: .milliseconds(1500))
        node.pause()
        try await Task.sleep(for: .seconds(10))
        #expect(ticks.withLock { $0 } == 1)
        simulation.heal()
        #expect(!node.isPaused)
        try await Task.sleep(for: .seconds(10))
        #expect(ticks.withLock { $0 } == 3)
    }
}
