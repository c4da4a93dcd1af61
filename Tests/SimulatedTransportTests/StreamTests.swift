import HTTPTypes
import SimulatedTransport
import Simulation
import SimulationTesting
import TestSupport
import Testing
import Transport

@Suite("Streams on the simulated network", .simulated(seeds: 1...50, stalls: .none))
struct StreamTests {
    @Test func `messages never overtake each other, whatever their latency`() async throws {
        let events = Box([WebSocketEvent]())
        let world = try await SimulatedWorld.start(.keeping(events))
        world.link.latency = .exponential(mean: .milliseconds(40))
        let socket = try await world.connect()
        for number in 0..<200 { try await socket.send(text: "\(number)") }
        await socket.close(.normal)
        #expect(events.value == (0..<200).map { .text("\($0)") } + [.closed(.normal)])
    }

    @Test func `a connection costs one round trip, an upgrade or an answer another`() async throws {
        let world = try await SimulatedWorld.start(.echo())
        #expect(try await world.time { _ = try await world.connect() } == .milliseconds(40))
        #expect(try await world.time { _ = try await world.send() } == .milliseconds(40))
        let socket = try await world.connect()
        #expect(try await world.time { try await socket.ping(timeout: .seconds(1)) } == .milliseconds(20))
        world.network.link(from: "gemini", to: "phone").latency = .constant(.milliseconds(70))
        #expect(try await world.time { try await socket.ping(timeout: .seconds(1)) } == .milliseconds(80))
    }

    @Test(
        arguments: [
            LatencyDistribution.constant(.milliseconds(40)),
            .uniform(.milliseconds(30)...(.milliseconds(50))),
            .exponential(mean: .milliseconds(40)),
            .normal(mean: .milliseconds(40), deviation: .milliseconds(5)),
        ]
    )
    func `latencies have the mean that was asked for`(latency: LatencyDistribution) async throws {
        let world = try await SimulatedWorld.start(.echo())
        let socket = try await world.connect()
        world.link.latency = latency
        let count = 300
        let time = try await world.time { () async throws in
            for _ in 0..<count { try await socket.ping(timeout: .seconds(100)) }
        }
        let mean = time / (2 * count)
        // The standard error of 600 draws is 1.6 ms for the widest of them.
        #expect(mean > .milliseconds(32) && mean < .milliseconds(48))
    }

    @Test func `bandwidth holds back what exceeds it`() async throws {
        let world = try await SimulatedWorld.start(
            .answering { _, body in
                _ = try? await body.collect(upTo: 1_000_000)
                return .empty
            }
        )
        let link = world.network.link(from: "phone", to: "gemini")
        #expect(link.backlog == .zero)
        link.bandwidth = 10_000
        let time = try await world.time {
            let sending = Task {
                try await world.send(.post, body: .bytes([UInt8](repeating: 0, count: 50_000)))
            }
            try await Task.sleep(for: .seconds(1))
            #expect(link.backlog > .milliseconds(3900) && link.backlog < .milliseconds(4100))
            _ = try await sending.value
        }
        #expect(time >= .seconds(5) && time < .milliseconds(5100))
        #expect(link.backlog == .zero)
    }

    @Test func `a lost segment comes later, and what follows waits for it`() async throws {
        let events = Box([WebSocketEvent]())
        let world = try await SimulatedWorld.start(.keeping(events))
        let socket = try await world.connect()
        world.link.loss = 0.3
        for number in 0..<100 { try await socket.send(text: "\(number)") }
        try await Task.sleep(for: .milliseconds(200))
        // The first loss holds back everything behind it for 200 ms.
        #expect(events.value.count < 100)
        try await Task.sleep(for: .seconds(800))
        #expect(events.value == (0..<100).map { .text("\($0)") })
        #expect(world.link.statistics.retransmissions > 0)
    }

    @Test func `a stream breaks when retransmission does not help`() async throws {
        let world = try await SimulatedWorld.start(.echo())
        let socket = try await world.connect()
        world.link.loss = 1
        let time = try await world.time { () async throws in
            try await socket.send(text: "into the void")
            #expect(try await socket.receive() == .closed(.abnormal))
        }
        #expect(time == .milliseconds(924_600))
        let late = await failure { () throws(TransportError) in try await socket.send(text: "late") }
        #expect(late?.code == .reset)
    }

    @Test func `a slow reader holds back the writer at the limit that it set`() async throws {
        let read = Box(0)
        let server = ScriptedServer.session(limits: WebSocketLimits(bufferedMessages: 8)) { socket in
            try? await Task.sleep(for: .seconds(10))
            while case .text? = try? await socket.receive() { read.increment() }
        }
        let world = try await SimulatedWorld.start(server)
        let socket = try await world.connect()
        let sent = Box(0)
        let sender = Task {
            for _ in 0..<50 {
                try await socket.send(text: "x")
                sent.increment()
            }
        }
        try await Task.sleep(for: .seconds(9))
        #expect(sent.value == 8)
        try await sender.value
        await socket.close(.normal)
        #expect(read.value == 50)
    }

    @Test func `a client that does not read holds back the server, by bytes too`() async throws {
        let sent = Box(0)
        var timing = StreamTiming()
        timing.windowBytes = 10_000
        let server = ScriptedServer.answering { _, _ in
            .stream(
                ByteStream { () async throws(TransportError) in
                    sent.increment()
                    return sent.value > 100 ? nil : [UInt8](repeating: 1, count: 1000)
                },
                length: nil
            )
        }
        let world = try await SimulatedWorld.start(server, timing: timing)
        let (_, body) = try await world.send()
        try await Task.sleep(for: .seconds(10))
        // Ten fill the window, and one more waits for room.
        #expect(sent.value == 11)
        #expect(try await body.collect(upTo: 1_000_000).count == 100_000)
    }

    @Test func `a large message does not wait forever behind small ones`() async throws {
        var timing = StreamTiming()
        timing.windowBytes = 1000
        let world = try await SimulatedWorld.start(.echo(), timing: timing)
        let socket = try await world.connect()
        for size in [300, 900, 5000, 1, 999, 1001] {
            try await socket.send(binary: [UInt8](repeating: 7, count: size))
            #expect(try await socket.receive().byteCount == size)
        }
    }

    @Test func `statistics and the trace tell of every message`() async throws {
        let events = Box([WebSocketEvent]())
        let world = try await SimulatedWorld.start(.keeping(events))
        let socket = try await world.connect()
        let before = world.network.link(from: "phone", to: "gemini").statistics
        try await socket.send(text: "12345")
        try await socket.send(binary: [1, 2])
        try await socket.ping(timeout: .seconds(1))
        let after = world.network.link(from: "phone", to: "gemini").statistics
        #expect(after.messages - before.messages == 3)
        #expect(after.bytes - before.bytes == 7)
        #expect(after.delivered - before.delivered == 3)
        #expect(world.network.statistics.messages == world.link.statistics.messages)
    }

    @Test func `a server that reads a body on after its answer gets an error when the client has gone`()
        async throws
    {
        let seen = Box<TransportError.Code?>(nil)
        let world = try await SimulatedWorld.start(
            .answering { _, body in
                Task {
                    let error = await failure { () throws(TransportError) in
                        _ = try await body.collect(upTo: 1 << 20)
                    }
                    seen.set(error?.code)
                }
                return .empty
            }
        )
        let (_, answer) = try await world.send(.post, body: slowBody(every: .milliseconds(100)))
        _ = try await answer.collect(upTo: 10)
        try await Task.sleep(for: .seconds(5))
        #expect(seen.value == .reset)
    }

    @Test func `a server makes no more of a body whose client has gone`() async throws {
        let made = Box(0)
        let endless = ByteStream { () async throws(TransportError) in
            try? await Task.sleep(for: .milliseconds(100))
            made.increment()
            return [1]
        }
        let world = try await SimulatedWorld.start(.answering { _, _ in .stream(endless, length: nil) })
        var answer: HTTPBody? = try await world.send().body
        #expect(answer != nil)
        try await Task.sleep(for: .seconds(1))
        answer = nil
        try await Task.sleep(for: .seconds(1))
        let count = made.value
        #expect(count > 5)
        try await Task.sleep(for: .seconds(5))
        #expect(made.value == count)
    }

    @Test func `an upload asks for no more of its body when its connection has broken`() async throws {
        let made = Box(0)
        let endless = ByteStream { () async throws(TransportError) in
            try? await Task.sleep(for: .milliseconds(100))
            made.increment()
            return [1]
        }
        let world = try await SimulatedWorld.start(.answering { _, _ in slowBody(every: .seconds(1)) })
        let (_, answer) = try await world.send(.post, body: .stream(endless, length: nil))
        try await Task.sleep(for: .seconds(1))
        world.network.reset("phone", "gemini")
        let count = made.value
        #expect(count > 5)
        try await Task.sleep(for: .seconds(5))
        // The one that was being made, which had nowhere to go.
        #expect(made.value == count + 1)
        let error = await failure { () throws(TransportError) in _ = try await answer.collect(upTo: 1000) }
        #expect(error?.code == .reset)
    }

    @Test func `what is lost is sent again after waits that double up to the longest`() async throws {
        let world = try await SimulatedWorld.start(.echo())
        let socket = try await world.connect()
        world.link.loss = 1
        try await socket.send(text: "lost")
        // Linux: 15 repetitions after 0.2, 0.6, 1.4 … seconds, at most 120 apart, and the end after 924.6 (tcp(7)).
        #expect(world.network.statistics.retransmissions == 16)
    }

    @Test func `healing ends a stall of a link at once`() async throws {
        let world = try await SimulatedWorld.start(.echo())
        let socket = try await world.connect()
        world.network.stall(from: "phone", to: "gemini", for: .seconds(3600))
        world.network.heal()
        let time = try await world.time { () async throws in
            try await socket.send(text: "through")
            #expect(try await socket.receive() == .text("through"))
        }
        #expect(time == .milliseconds(20))
    }

    @Test func `a name that cannot be found is refused only when the answer has come`() async throws {
        let world = try await SimulatedWorld.start(.echo())
        world.network.names.latency = .constant(.milliseconds(300))
        for change in [{ $0.failure = 1 }, { $0.missing = ["gemini"] }]
            as [(inout NameServiceConditions) -> Void]
        {
            change(&world.network.names)
            let time = try await world.time { () async throws in
                let error = await failure { () throws(TransportError) in _ = try await world.connect() }
                #expect(error?.code == .unreachable)
            }
            #expect(time == .milliseconds(300))
            world.network.names.failure = 0
        }
    }
}
