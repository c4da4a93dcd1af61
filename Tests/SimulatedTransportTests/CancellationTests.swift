import HTTPTypes
import SimulatedTransport
import Simulation
import SimulationTesting
import TestSupport
import Testing
import Transport

@Suite("Cancellation on the simulated network", .simulated(seeds: 1...50, stalls: .none))
struct CancellationTests {
    @Test func `a call can be cancelled at any moment, and leaves nothing behind`() async throws {
        let world = try await SimulatedWorld.start(.echo())
        // From before the connection is asked for to after the echo has come, half a millisecond apart.
        for step in 0..<140 {
            let task = Task { () async -> TransportError.Code? in
                await failure { () throws(TransportError) in
                    let socket = try await world.connect()
                    try await socket.send(text: "hello")
                    let event = try await socket.receive()
                    #expect(event == .text("hello"))
                    await socket.close(.normal)
                }?.code
            }
            try await Task.sleep(for: .microseconds(step * 500))
            task.cancel()
            let code = await task.value
            #expect(code == .cancelled || step * 500 >= 60_000)
        }
        try await Task.sleep(for: .seconds(30))
        // Everything has ended, so stopping has nothing to wait for.
        #expect(try await world.time { await world.listener.stop() } == .zero)
    }

    @Test func `a request can be cancelled at any moment`() async throws {
        let world = try await SimulatedWorld.start(
            .answering { _, body in .bytes((try? await body.collect(upTo: 1 << 20)) ?? []) }
        )
        for step in 0..<100 {
            let task = Task { () async -> TransportError.Code? in
                await failure { () throws(TransportError) in
                    let body = slowBody(every: .milliseconds(2), count: 5)
                    let answer = try await world.send(.post, body: body)
                    #expect(try await answer.body.collect(upTo: 100).count == 15)
                }?.code
            }
            try await Task.sleep(for: .milliseconds(step))
            task.cancel()
            let code = await task.value
            #expect(code == .cancelled || step >= 50)
        }
        try await Task.sleep(for: .seconds(30))
        #expect(try await world.time { await world.listener.stop() } == .zero)
    }

    @Test func `a send that waits for room can be cancelled, and its message never comes`() async throws {
        let events = Box([WebSocketEvent]())
        let server = ScriptedServer.session(limits: WebSocketLimits(bufferedMessages: 2)) { socket in
            try? await Task.sleep(for: .seconds(10))
            while let event = try? await socket.receive() {
                events.append(event)
                if case .closed = event { return }
            }
        }
        let world = try await SimulatedWorld.start(server)
        let socket = try await world.connect()
        try await socket.send(text: "1")
        try await socket.send(text: "2")
        let waiting = Task { () async -> TransportError.Code? in
            await failure { () throws(TransportError) in try await socket.send(text: "cancelled") }?.code
        }
        let behind = Task { try await socket.send(text: "3") }
        try await Task.sleep(for: .seconds(1))
        waiting.cancel()
        #expect(await waiting.value == .cancelled)
        try await behind.value
        await socket.close(.normal)
        try await Task.sleep(for: .seconds(1))
        #expect(events.value == [.text("1"), .text("2"), .text("3"), .closed(.normal)])
    }

    @Test func `a ping and a datagram wait can be cancelled`() async throws {
        let world = try await SimulatedWorld.start(.echo())
        let socket = try await world.connect()
        let datagrams = try await world.phone.bind(SocketAddress(host: "phone", port: 0))
        let ping = Task { () async -> TransportError.Code? in
            await failure { () throws(TransportError) in try await socket.ping(timeout: .seconds(100)) }?.code
        }
        let receive = Task { () async -> TransportError.Code? in
            await failure { () throws(TransportError) in _ = try await datagrams.receive() }?.code
        }
        try await Task.sleep(for: .milliseconds(5))
        ping.cancel()
        receive.cancel()
        #expect(await ping.value == .cancelled)
        #expect(await receive.value == .cancelled)
        try await socket.ping(timeout: .seconds(1))
    }

    @Test func `a response that is let go of ends the server's stream`() async throws {
        let ended = Box(false)
        let world = try await SimulatedWorld.start(
            .answering { _, _ in
                let stream = ByteStream { () async throws(TransportError) in
                    do {
                        try await Task.sleep(for: .seconds(1))
                    } catch {
                        ended.set(true)
                        return nil
                    }
                    return [1]
                }
                return .stream(stream, length: nil)
            }
        )
        do { _ = try await world.send() }
        try await Task.sleep(for: .seconds(2))
        #expect(ended.value)
    }
}
