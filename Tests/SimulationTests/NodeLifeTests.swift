import Simulation
import SimulationTesting
import Testing

@Suite("Lives of nodes", .simulated(seeds: 1...20, stalls: .none))
struct NodeLifeTests {
    private let simulation: Simulation
    private let node: Node

    init() throws {
        simulation = try #require(Simulation.current)
        node = simulation.node("server")
    }

    @Test func `a supervisor leaves alone what somebody else has restarted meanwhile`() async throws {
        node.restartDelay = .seconds(2)
        node.crash()
        try await Task.sleep(for: .seconds(1))
        node.restart()
        try await Task.sleep(for: .seconds(5))
        #expect(node.isAlive)
        #expect(node.crashes == 1)
    }

    @Test func `a supervisor waits its whole delay after the last of several crashes`() async throws {
        node.restartDelay = .seconds(2)
        node.crash()
        try await Task.sleep(for: .seconds(1))
        node.restart()
        node.crash()
        try await Task.sleep(for: .milliseconds(1500))
        #expect(!node.isAlive)
        try await Task.sleep(for: .seconds(1))
        #expect(node.isAlive)
        #expect(node.crashes == 2)
    }

    @Test func `work that crashes its own node ends for its caller with that crash alone`() async throws {
        let node = node
        await #expect(throws: NodeCrashed.self) {
            try await node.run {
                node.crash()
                return "a result"
            }
        }
        #expect(!node.isAlive)
    }

    @Test func `resources end in the order in which they were registered, those of every life last`()
        async throws
    {
        let ended = Shared([String]())
        node.onEveryEnd { ended.withLock { $0.append("disk") } }
        for socket in ["first", "second", "third"] { node.onEnd { ended.withLock { $0.append(socket) } } }
        node.crash()
        #expect(ended.withLock { $0 } == ["first", "second", "third", "disk"])
        node.restart()
        node.crash()
        #expect(ended.withLock { $0 } == ["first", "second", "third", "disk", "disk"])
    }

    /// Lets three pieces of work of the node and a change of its state fall due in one moment, so that the seed decides their
    /// order.
    private func compete(_ change: @escaping @Sendable () -> Void) async throws -> Shared<[String]> {
        let events = Shared([String]())
        node.asCurrent {
            for _ in 0..<3 {
                simulation.schedule(after: .seconds(1)) { events.withLock { $0.append("work") } }
            }
        }
        simulation.schedule(after: .seconds(1)) {
            events.withLock { $0.append("change") }
            change()
        }
        try await Task.sleep(for: .seconds(2))
        return events
    }

    @Test func `what is ready on a node when it crashes does not happen`() async throws {
        let events = try await compete { [node] in node.crash() }
        #expect(events.withLock { $0.last } == "change")
        node.restart()
        try await Task.sleep(for: .seconds(1))
        #expect(events.withLock { $0.last } == "change")
    }

    @Test func `what is ready on a node when it is paused happens when it goes on`() async throws {
        let events = try await compete { [node] in node.pause() }
        #expect(events.withLock { $0.last } == "change")
        node.resume()
        try await Task.sleep(for: .seconds(1))
        #expect(events.withLock { $0.count { $0 == "work" } } == 3)
    }
}
