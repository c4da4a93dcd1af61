import HTTPTypes
import SimulatedTransport
import Simulation
import SimulationTesting
import TestSupport
import Testing
import Transport

@Suite("Hosts that change networks", .simulated(seeds: 1...20, stalls: .none))
struct RouteChangeTests {
    private func cellular(_ world: SimulatedWorld) throws -> SimulatedSubnet {
        world.network.subnet("cellular", try #require(IPSubnet("100.64.0.0/10")))
    }

    @Test func `a connection of an address that is gone stalls until the sender gives up`() async throws {
        var timing = StreamTiming()
        timing.userTimeout = .seconds(60)
        let world = try await SimulatedWorld.start(.echo(), timing: timing)
        let socket = try await world.connect()
        world.phone.move(to: try cellular(world), interface: "cell0")
        #expect(world.phone.addresses == [IPAddress(100, 64, 0, 1)])
        let start = world.simulation.now
        try await socket.send(text: "lost")
        guard case .closed(let close) = try await socket.receive() else {
            Issue.record("something came through")
            return
        }
        #expect(close == .abnormal)
        let time = world.simulation.now - start
        #expect(time >= .seconds(60) && time < .seconds(61))
        // The new way works.
        try await world.connect().ping(timeout: .seconds(1))
    }

    @Test func `a system that breaks connections does it at once, and the other side is not told`()
        async throws
    {
        let events = Box([WebSocketEvent]())
        let world = try await SimulatedWorld.start(.keeping(events))
        let socket = try await world.connect()
        let start = world.simulation.now
        world.phone.move(to: try cellular(world), interface: "cell0", .breaksConnections)
        #expect(try await socket.receive() == .closed(.abnormal))
        #expect(world.simulation.now == start)
        try await Task.sleep(for: .seconds(100))
        #expect(events.value.isEmpty, "a half-open connection is noticed only by who sends")
    }

    @Test func `a connection between addresses that stay is left alone`() async throws {
        let world = try await SimulatedWorld.start(.echo())
        let socket = try await world.connect()
        world.phone.attach("cell0", to: try cellular(world))
        try await socket.ping(timeout: .seconds(1))
        world.phone.detach("cell0", .breaksConnections)
        try await socket.ping(timeout: .seconds(1))
    }

    @Test func `airplane mode lets nothing through, and connections go on after it`() async throws {
        let world = try await SimulatedWorld.start(.echo())
        let socket = try await world.connect()
        let before = world.phone.addresses
        world.phone.setAirplaneMode(true)
        #expect(world.phone.addresses.isEmpty)
        let start = world.simulation.now
        let error = await failure { () throws(TransportError) in _ = try await world.send() }
        #expect(error?.code == .unreachable)
        #expect(world.simulation.now == start, "a host that is off line knows it")
        try await socket.send(text: "later")
        let datagrams = try await world.phone.bind(SocketAddress(host: "0.0.0.0", port: 0))
        let send = await failure { () throws(TransportError) in
            try await datagrams.send([1], to: Endpoint(IPAddress(10, 0, 0, 1), port: 1))
        }
        #expect(send?.code == .unreachable)
        try await datagrams.send([1], to: Endpoint(.loopbackV4, port: datagrams.localAddress.port))
        #expect(try await datagrams.receive().bytes == [1], "the host reaches itself")
        try await Task.sleep(for: .seconds(20))
        world.phone.setAirplaneMode(false)
        #expect(world.phone.addresses == before)
        #expect(try await socket.receive() == .text("later"))
        #expect(world.simulation.now - start >= .seconds(20))
    }

    @Test func `airplane mode may break connections`() async throws {
        let world = try await SimulatedWorld.start(.echo())
        let socket = try await world.connect()
        world.phone.setAirplaneMode(true, .breaksConnections)
        #expect(try await socket.receive() == .closed(.abnormal))
        world.phone.setAirplaneMode(false)
        try await world.connect().ping(timeout: .seconds(1))
    }

    @Test func `a name follows its host to a new address, and a stale record does not`() async throws {
        let world = try await SimulatedWorld.start(.echo())
        let all = SocketAddress(host: "0.0.0.0", port: 80)
        _ = try await world.gemini.listen(ScriptedServer.echo(), at: all)
        let old = world.gemini.addresses
        world.gemini.move(to: try cellular(world), interface: "eth0")
        try await world.connect("gemini:80").ping(timeout: .seconds(1))
        world.network.names.records["gemini"] = old
        let error = await failure { () throws(TransportError) in
            _ = try await world.connect("gemini:80", timeout: .seconds(10))
        }
        #expect(error?.code == .timedOut)
        // What was bound to the old address has none any more.
        world.network.names.records = [:]
        let bound = await failure { () throws(TransportError) in
            _ = try await world.connect("gemini:443", timeout: .seconds(10))
        }
        #expect(bound?.code == .refused)
    }
}
