import SimulatedTransport
import Simulation
import SimulationTesting
import TestSupport
import Testing
import Transport

@Suite("Pongs on the simulated network", .simulated(seeds: 1...20))
struct PongTests {
    @Test func `of many pings to a side whose messages wait for room, the latest is answered`() async throws {
        let count = 20
        let server = ScriptedServer.session { socket in
            await withDiscardingTaskGroup { group in
                group.addTask { for number in 0..<count { try? await socket.send(text: "\(number)") } }
                // A session that waits for its senders would not take pings otherwise.
                group.addTask { _ = try? await socket.receive() }
            }
        }
        let world = try await SimulatedWorld.start(server)
        let before = world.link.back.statistics.messages
        let socket = try await world.connect(limits: WebSocketLimits(bufferedMessages: 4))
        for _ in 0..<100 {
            let error = await failure { () throws(TransportError) in
                try await socket.ping(timeout: .milliseconds(1))
            }
            #expect(error?.code == .timedOut)
        }
        async let answered: Void = socket.ping(timeout: .seconds(100))
        for number in 0..<count { #expect(try await socket.receive() == .text("\(number)")) }
        try await answered
        // The answer to the handshake, the messages, and a few pongs.
        #expect(world.link.back.statistics.messages - before < count + 40)
        await socket.close(.normal)
    }
}
