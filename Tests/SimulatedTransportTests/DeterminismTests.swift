import HTTPTypes
import SimulatedTransport
import Simulation
import TestSupport
import Testing
import Transport

@Suite("Determinism of the network")
struct DeterminismTests {
    /// A bit of everything that the network does, with faults in between.
    @Sendable private static func everything() async throws -> String {
        let events = Box([WebSocketEvent]())
        var server = ScriptedServer.keeping(events)
        server.answer = { _, body in (HTTPResponse(status: .ok), body) }
        let world = try await SimulatedWorld.start(server)
        world.link.conditions = LinkConditions(latency: .exponential(mean: .milliseconds(20)), loss: 0.1)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask {
                    guard let socket = try? await world.connect() else { return }
                    for part in 0..<10 { try? await socket.send(text: "\(number).\(part)") }
                    await socket.close(.normal)
                }
                group.addTask {
                    let answer = try? await world.send(
                        .post,
                        body: slowBody(every: .milliseconds(7), count: 9)
                    )
                    _ = try? await answer?.body.collect(upTo: 1000)
                }
            }
            group.addTask {
                try? await Task.sleep(for: .milliseconds(150))
                world.network.partition(["phone"], ["gemini"])
                try? await Task.sleep(for: .milliseconds(300))
                world.network.heal()
                world.network.reset("phone", "gemini")
                try? await Task.sleep(for: .seconds(1))
                world.simulation.node("gemini").crash()
            }
        }
        return "\(events.value) \(world.network.statistics)"
    }

    @Test(arguments: 1...30 as ClosedRange<UInt64>)
    func `every step of a second run is the same`(seed: UInt64) throws {
        let (first, report) = try Simulation.checkDeterminism(seed: seed, Self.everything)
        let (second, again) = try Simulation(seed: seed).runReporting(Self.everything)
        #expect(first == second)
        #expect(report.hash == again.hash)
        let (_, other) = try Simulation(seed: seed + 1000).runReporting(Self.everything)
        #expect(report.hash != other.hash)
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `more traffic on one link does not shift the chance of another`(seed: UInt64) throws {
        func arrivals(noise: Int) throws -> [[Int64]] {
            try Simulation(seed: seed).run {
                let conditions = LinkConditions(latency: .exponential(mean: .seconds(1)), loss: 0.2)
                let network = SimulatedNetwork(defaults: conditions)
                let from = try await network.host("one").bind(SocketAddress(host: "one", port: 1))
                let to = try await network.host("two").bind(SocketAddress(host: "two", port: 1))
                let other = try await network.host("three").bind(SocketAddress(host: "three", port: 1))
                for _ in 0..<noise { try await from.send([0], to: other.localAddress) }
                for number in 0..<20 { try await from.send([UInt8(number)], to: to.localAddress) }
                let seen = Box([[Int64]]())
                let reader = Task {
                    while let datagram = try? await to.receive() {
                        seen.append([
                            Int64(datagram.bytes[0]),
                            (Simulation.current?.now ?? .zero).components.attoseconds,
                        ])
                    }
                }
                try await Task.sleep(for: .seconds(100))
                reader.cancel()
                await reader.value
                return seen.value
            }
        }
        #expect(try arrivals(noise: 0) == arrivals(noise: 33))
    }

    @Test func `messages and faults are in the trace, without their contents`() throws {
        let trace = Box([TraceEvent]())
        var configuration = Simulation.Configuration()
        configuration.onEvent = { trace.append($0) }
        try Simulation(seed: 1, configuration: configuration).run {
            let world = try await SimulatedWorld.start(.keeping(Box([])))
            let socket = try await world.connect()
            try await socket.send(text: "SECRET")
            try await Task.sleep(for: .seconds(1))
            world.network.partition(["phone"], ["gemini"])
            world.network.heal()
            world.network.reset("phone", "gemini")
        }
        let lines = trace.value.map { "\($0.node): \($0.kind) \($0.detail)" }
        #expect(lines.contains("gemini: message phone gemini text 6 10000000"))
        #expect(lines.contains("test: fault partition phone gemini"))
        #expect(lines.contains("test: fault heal gemini phone"))
        #expect(lines.contains("test: fault reset phone gemini"))
        #expect(!lines.contains { $0.contains("SECRET") })
    }
}
