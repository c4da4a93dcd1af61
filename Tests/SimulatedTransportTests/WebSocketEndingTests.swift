import SimulatedTransport
import Simulation
import SimulationTesting
import TestSupport
import Testing
import Transport

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

@Suite("Keep-alive of WebSockets on the simulated network", .simulated(seeds: 1...20))
struct WebSocketKeepAliveTests {
    private static let limits = WebSocketLimits(
        keepAlive: WebSocketKeepAlive(interval: .seconds(10), silence: .seconds(30))
    )

    @Test func `a reader learns of a half-open connection within the silence limit`() async throws {
        let world = try await SimulatedWorld.start(.session { _ = try? await $0.receive() })
        let socket = try await world.connect(limits: Self.limits)
        world.link.isPartitioned = true
        let time = try await world.time {
            let end = try await socket.receive()
            #expect(end == .closed(.abnormal))
        }
        // A stall of the scheduler can add some milliseconds.
        #expect(time > .seconds(29) && time < .seconds(31))
        let error = await failure { () throws(TransportError) in try await socket.send(text: "late") }
        #expect(error?.code == .reset)
        #expect(error?.detail == "nothing came for 30.0 seconds")
    }

    @Test func `a server learns of a client that has gone without a word`() async throws {
        let ended = Box<Duration?>(nil)
        let server = ScriptedServer.session(limits: Self.limits) { socket in
            let event = try? await socket.receive()
            if event == .closed(.abnormal) { ended.set(Simulation.current?.now) }
        }
        let world = try await SimulatedWorld.start(server)
        let socket = try await world.connect()
        try await socket.ping(timeout: .seconds(10))
        let start = world.simulation.now
        world.link.isPartitioned = true
        try await Task.sleep(for: .seconds(60))
        #expect(try #require(ended.value) - start < .seconds(31))
        world.link.isPartitioned = false
        #expect(try await socket.receive() == .closed(.abnormal))
    }

    @Test func `a conversation in which nobody speaks stays open`() async throws {
        let world = try await SimulatedWorld.start(.echo(limits: Self.limits))
        let socket = try await world.connect(limits: Self.limits)
        try await Task.sleep(for: .seconds(3600))
        try await socket.send(text: "still here")
        #expect(try await socket.receive() == .text("still here"))
        await socket.close(.normal)
    }

    @Test func `a short partition does not end a conversation`() async throws {
        let world = try await SimulatedWorld.start(.echo())
        let socket = try await world.connect(limits: Self.limits)
        world.link.isPartitioned = true
        try await Task.sleep(for: .seconds(15))
        world.link.isPartitioned = false
        try await Task.sleep(for: .seconds(100))
        try await socket.send(text: "still here")
        #expect(try await socket.receive() == .text("still here"))
        await socket.close(.normal)
    }

    @Test func `a reader that does not read does not take its peer for silent`() async throws {
        let server = ScriptedServer.session { socket in
            for number in 0..<10 { try? await socket.send(text: "\(number)") }
            _ = try? await socket.receive()
        }
        let world = try await SimulatedWorld.start(server)
        var limits = Self.limits
        limits.bufferedMessages = 2
        let socket = try await world.connect(limits: limits)
        try await Task.sleep(for: .seconds(1000))
        for number in 0..<10 { #expect(try await socket.receive() == .text("\(number)")) }
        await socket.close(.normal)
    }
}
