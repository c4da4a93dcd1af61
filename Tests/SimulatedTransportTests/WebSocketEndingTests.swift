import SimulatedTransport
import Simulation
import SimulationTesting
import Testing
import Transport
import TransportConformance

@Suite("How WebSockets on the simulated network end", .simulated(seeds: 1...20))
struct WebSocketEndingTests {
    @Test func `an abnormal close is a cut, also when nothing gets through`() async throws {
        let events = Box<[WebSocketEvent]>([])
        let world = try await SimulatedWorld.start(.keeping(events))
        let socket = try await world.connect()
        try await socket.send(text: "one")
        try await socket.ping(timeout: .seconds(10))
        world.link.isPartitioned = true
        let time = try await world.time { await socket.close(.abnormal) }
        #expect(time == .zero)
        #expect(try await socket.receive() == .closed(.abnormal))
        world.link.isPartitioned = false
        try await Task.sleep(for: .seconds(300))
        #expect(events.value == [.text("one"), .closed(.abnormal)])
    }
}
