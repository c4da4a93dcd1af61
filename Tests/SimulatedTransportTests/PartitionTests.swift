import HTTPTypes
import SimulatedTransport
import Simulation
import SimulationTesting
import TestSupport
import Testing
import Transport

@Suite("Partitions and resets", .simulated(seeds: 1...50, stalls: .none))
struct PartitionTests {
    @Test func `a stream stalls in a partition and goes on after it`() async throws {
        let world = try await SimulatedWorld.start(.echo())
        let socket = try await world.connect()
        world.network.partition(["phone"], ["gemini"])
        try await socket.send(text: "patience")
        let simulation = world.simulation
        let start = simulation.now
        Task {
            try await Task.sleep(for: .seconds(30))
            world.network.heal()
        }
        #expect(try await socket.receive() == .text("patience"))
        // Sent again 0.2, 0.6, 1.4 … 25.4, 51 seconds after the first time.
        #expect(simulation.now - start == .milliseconds(51_020))
    }

    @Test func `what is on its way when the partition comes arrives once, after it`() async throws {
        let events = Box([WebSocketEvent]())
        let world = try await SimulatedWorld.start(.keeping(events))
        let socket = try await world.connect()
        for number in 0..<20 {
            try await socket.send(text: "\(number)")
            if number == 10 { world.link.isPartitioned = true }
            try await Task.sleep(for: .milliseconds(1))
        }
        try await Task.sleep(for: .seconds(2))
        #expect(events.value.count < 20)
        world.link.isPartitioned = false
        try await Task.sleep(for: .seconds(10))
        #expect(events.value == (0..<20).map { .text("\($0)") })
    }

    @Test func `a stream breaks when the partition outlasts the user timeout`() async throws {
        let events = Box([WebSocketEvent]())
        let world = try await SimulatedWorld.start(.keeping(events))
        let socket = try await world.connect()
        world.link.isPartitioned = true
        let time = try await world.time { () async throws in
            try await socket.send(text: "nobody gets this")
            #expect(try await socket.receive() == .closed(.abnormal))
        }
        #expect(time == .milliseconds(924_600))
        // The server, which sent nothing, still believes in the connection.
        #expect(events.value.isEmpty)
        #expect(world.network.statistics.droppedInFlight == 1)
    }

    @Test func `whoever was left in a half-open connection learns of it when he sends`() async throws {
        let ended = Box<Duration?>(nil)
        let simulation = try #require(Simulation.current)
        let server = ScriptedServer.session { socket in
            try? await Task.sleep(for: .seconds(2000))
            let start = simulation.now
            try? await socket.send(text: "are you there?")
            if case .closed(.abnormal)? = try? await socket.receive() { ended.set(simulation.now - start) }
        }
        let world = try await SimulatedWorld.start(server)
        let socket = try await world.connect()
        world.link.isPartitioned = true
        try await socket.send(text: "nobody gets this")
        #expect(try await socket.receive() == .closed(.abnormal))
        world.link.isPartitioned = false
        try await Task.sleep(for: .seconds(3000))
        #expect(ended.value == .milliseconds(20))
    }

    @Test func `connections through a partition time out, by the caller or by the system`() async throws {
        let world = try await SimulatedWorld.start(.echo())
        world.link.isPartitioned = true
        let short = try await world.time { () async throws in
            let error = await failure { () throws(TransportError) in
                _ = try await world.connect(timeout: .seconds(5))
            }
            #expect(error?.code == .timedOut)
        }
        #expect(short == .seconds(5))
        let long = try await world.time { () async throws in
            let error = await failure { () throws(TransportError) in
                _ = try await world.send(timeout: .seconds(500))
            }
            #expect(error?.code == .timedOut)
        }
        #expect(long == .seconds(127))
    }

    @Test func `a connection attempt survives a short partition`() async throws {
        let world = try await SimulatedWorld.start(.echo())
        world.link.isPartitioned = true
        Task {
            try await Task.sleep(for: .milliseconds(2500))
            world.network.heal()
        }
        // Asked again after 1, 3 seconds, each 10 ms on its way before it was lost; then as usual.
        #expect(try await world.time { _ = try await world.connect() } == .milliseconds(3060))
    }

    @Test func `a partition of one direction lets the other pass`() async throws {
        let events = Box([WebSocketEvent]())
        let world = try await SimulatedWorld.start(.keeping(events))
        let socket = try await world.connect()
        world.network.link(from: "gemini", to: "phone").isPartitioned = true
        try await socket.send(text: "one way")
        let error = await failure { () throws(TransportError) in try await socket.ping(timeout: .seconds(5)) }
        #expect(error?.code == .timedOut)
        #expect(events.value == [.text("one way")])
    }

    @Test func `a partition spares other hosts`() async throws {
        let world = try await SimulatedWorld.start(.echo())
        let tablet = world.network.host("tablet")
        world.network.partition(["phone"], ["gemini"])
        let request = HTTPRequest(method: .get, scheme: "ws", authority: "gemini:443", path: "/")
        let socket = try await tablet.connect(request, limits: WebSocketLimits(), timeout: .seconds(1))
        try await socket.ping(timeout: .seconds(1))
    }

    @Test func `a reset breaks both ends at once, within a body and within a conversation`() async throws {
        let events = Box([WebSocketEvent]())
        var server = ScriptedServer.keeping(events)
        server.answer = { _, _ in (HTTPResponse(status: .ok), slowBody(every: .seconds(1))) }
        let world = try await SimulatedWorld.start(server)
        let socket = try await world.connect()
        let (_, body) = try await world.send()
        guard case .stream(let stream, _) = body else {
            Issue.record("the body does not stream")
            return
        }
        var chunks = stream.makeAsyncIterator()
        #expect(try await chunks.next() == [1, 2, 3])
        try await socket.send(text: "on its way")
        world.network.reset("gemini", "phone")
        let error = await failure { () throws(TransportError) in _ = try await chunks.next() }
        #expect(error?.code == .reset)
        #expect(try await socket.receive() == .closed(.abnormal))
        #expect(try await socket.receive() == .closed(.abnormal))
        try await Task.sleep(for: .seconds(1))
        #expect(events.value == [.closed(.abnormal)])
        #expect(world.network.statistics.droppedInFlight == 1)
        // New connections are not concerned.
        try await world.connect().ping(timeout: .seconds(1))
    }

    @Test func `a reset during an upload ends the request on both sides`() async throws {
        let seen = Box<TransportError.Code?>(nil)
        let world = try await SimulatedWorld.start(
            .answering { _, body in
                seen.set(
                    await failure { () throws(TransportError) in _ = try await body.collect(upTo: 1 << 20) }?
                        .code
                )
                return .empty
            }
        )
        Task {
            try await Task.sleep(for: .seconds(5))
            world.network.reset("phone", "gemini")
        }
        let error = await failure { () throws(TransportError) in
            _ = try await world.send(.post, body: slowBody(every: .milliseconds(100)), timeout: .seconds(60))
        }
        #expect(error?.code == .reset)
        try await Task.sleep(for: .seconds(1))
        // Its task was cancelled, and whichever came first is what it was told.
        #expect(seen.value == .reset || seen.value == .cancelled)
    }
}
