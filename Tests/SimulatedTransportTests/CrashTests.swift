import HTTPTypes
import SimulatedTransport
import Simulation
import SimulationTesting
import TestSupport
import Testing
import Transport

@Suite("Crashes and pauses on the network", .simulated(seeds: 1...50, stalls: .none))
struct CrashTests {
    @Test func `a crashed server process ends its connections after one latency`() async throws {
        let world = try await SimulatedWorld.start(.echo())
        let socket = try await world.connect()
        let time = try await world.time { () async throws in
            world.simulation.node("gemini").crash()
            #expect(try await socket.receive() == .closed(.abnormal))
        }
        #expect(time == .milliseconds(10))
        let error = await failure { () throws(TransportError) in _ = try await world.connect() }
        #expect(error?.code == .refused)
        // Nobody has to wait for what was lost with the node.
        await world.listener.stop()
    }

    @Test func `a crash in the middle of a body is a reset`() async throws {
        let world = try await SimulatedWorld.start(.answering { _, _ in slowBody(every: .seconds(1)) })
        let (_, body) = try await world.send()
        Task {
            try await Task.sleep(for: .milliseconds(2500))
            world.simulation.node("gemini").crash()
        }
        let error = await failure { () throws(TransportError) in _ = try await body.collect(upTo: 1000) }
        #expect(error?.code == .reset)
    }

    @Test func `a crashed client ends the server's session, and what it sent before arrives`() async throws {
        let events = Box([WebSocketEvent]())
        let world = try await SimulatedWorld.start(.keeping(events))
        let node = world.simulation.node("phone")
        node.start {
            guard let socket = try? await world.connect() else { return }
            try? await socket.send(text: "last words")
            _ = try? await socket.receive()
        }
        try await Task.sleep(for: .milliseconds(41))
        node.crash()
        try await Task.sleep(for: .seconds(1))
        #expect(events.value == [.text("last words"), .closed(.abnormal)])
    }

    @Test func `a crashed client cancels the server's answer`() async throws {
        let steps = Box([String]())
        let world = try await SimulatedWorld.start(
            .answering { _, _ in
                steps.append("begun")
                do { try await Task.sleep(for: .seconds(100)) } catch { steps.append("cancelled") }
                return .empty
            }
        )
        let node = world.simulation.node("phone")
        node.start { _ = try? await world.send(timeout: .seconds(1000)) }
        try await Task.sleep(for: .seconds(1))
        node.crash()
        try await Task.sleep(for: .seconds(1))
        #expect(steps.value == ["begun", "cancelled"])
    }

    @Test func `a machine that is switched off says nothing, and resets when it is back`() async throws {
        let world = try await SimulatedWorld.start(.echo())
        world.gemini.crashKind = .machine
        let socket = try await world.connect()
        world.simulation.node("gemini").crash()
        let silent = await failure { () throws(TransportError) in try await socket.ping(timeout: .seconds(5))
        }
        #expect(silent?.code == .timedOut)
        let connecting = await failure { () throws(TransportError) in
            _ = try await world.connect(timeout: .seconds(5))
        }
        #expect(connecting?.code == .timedOut)
        world.simulation.node("gemini").restart()
        let start = world.simulation.now
        #expect(try await socket.receive() == .closed(.abnormal))
        // The ping is sent again 0.2, 0.6, 1.4, 3, 6.2, 12.6 seconds after it stalled.
        #expect(world.simulation.now - start < .seconds(7))
    }

    @Test func `a machine that loses its power says nothing, whatever a crash of its process would say`()
        async throws
    {
        let world = try await SimulatedWorld.start(.echo())
        let socket = try await world.connect()
        world.simulation.node("gemini").powerOff()
        let silent = await failure { () throws(TransportError) in try await socket.ping(timeout: .seconds(5))
        }
        #expect(silent?.code == .timedOut)
        let connecting = await failure { () throws(TransportError) in
            _ = try await world.connect(timeout: .seconds(5))
        }
        #expect(connecting?.code == .timedOut)
        world.simulation.node("gemini").restart()
        #expect(try await socket.receive() == .closed(.abnormal))
    }

    @Test func `a machine whose process has crashed refuses, until its power goes too`() async throws {
        let world = try await SimulatedWorld.start(.echo())
        world.simulation.node("gemini").crash()
        let refused = await failure { () throws(TransportError) in _ = try await world.connect() }
        #expect(refused?.code == .refused)
        world.simulation.node("gemini").powerOff()
        let silent = await failure { () throws(TransportError) in
            _ = try await world.connect(timeout: .seconds(5))
        }
        #expect(silent?.code == .timedOut)
    }

    @Test func `who has sent to a machine just before it went off times out`() async throws {
        let world = try await SimulatedWorld.start(.echo())
        world.gemini.crashKind = .machine
        let socket = try await world.connect()
        try await socket.send(text: "on its way")
        try await Task.sleep(for: .milliseconds(5))
        world.simulation.node("gemini").crash()
        let time = try await world.time { () async throws in
            #expect(try await socket.receive() == .closed(.abnormal))
        }
        #expect(time == .milliseconds(924_605))
    }

    @Test func `who only listens to a machine that is off learns nothing`() async throws {
        let world = try await SimulatedWorld.start(.echo())
        world.gemini.crashKind = .machine
        let socket = try await world.connect()
        world.simulation.node("gemini").crash()
        let ended = Box(false)
        let reader = Task {
            _ = try? await socket.receive()
            ended.set(true)
        }
        try await Task.sleep(for: .seconds(7200))
        #expect(!ended.value)
        reader.cancel()
        await reader.value
    }

    @Test func `a restarted server listens again and knows nothing of before`() async throws {
        let simulation = try #require(Simulation.current)
        let network = SimulatedNetwork()
        let (phone, gemini) = (network.host("phone"), network.host("gemini"))
        let node = simulation.node("gemini")
        let lives = Box(0)
        node.start {
            lives.increment()
            let life = lives.value
            let server = ScriptedServer.session { socket in
                try? await socket.send(text: "life \(life)")
                _ = try? await socket.receive()
            }
            _ = try? await gemini.listen(server, at: SocketAddress(host: "gemini", port: 80))
        }
        try await Task.sleep(for: .seconds(1))
        let request = HTTPRequest(method: .get, scheme: "ws", authority: "gemini", path: "/")
        for life in 1...3 {
            let socket = try await phone.connect(request, limits: WebSocketLimits(), timeout: .seconds(1))
            #expect(try await socket.receive() == .text("life \(life)"))
            node.restart()
            #expect(try await socket.receive() == .closed(.abnormal))
            try await Task.sleep(for: .seconds(1))
        }
    }

    @Test func `a paused server answers when it goes on`() async throws {
        let world = try await SimulatedWorld.start(.echo())
        let socket = try await world.connect()
        world.simulation.node("gemini").pause()
        try await socket.send(text: "hello")
        Task {
            try await Task.sleep(for: .seconds(60))
            world.simulation.node("gemini").resume()
        }
        let time = try await world.time { () async throws in
            #expect(try await socket.receive() == .text("hello"))
        }
        #expect(time == .milliseconds(60_010))
    }

    @Test func `a crash during a partition is learned after it`() async throws {
        let world = try await SimulatedWorld.start(.echo())
        let socket = try await world.connect()
        world.link.isPartitioned = true
        world.simulation.node("gemini").crash()
        Task {
            try await Task.sleep(for: .seconds(10))
            world.network.heal()
        }
        let time = try await world.time { () async throws in
            #expect(try await socket.receive() == .closed(.abnormal))
        }
        #expect(time > .seconds(10) && time < .seconds(20))
    }
}
