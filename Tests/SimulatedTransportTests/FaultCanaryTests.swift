import HTTPTypes
import SimulatedTransport
import Simulation
import SimulationTesting
import TestSupport
import Testing
import Transport

/// As `CanaryTests`, for the faults that chance decides message by message: caught over some seeds with the fault, over
/// none without.
@Suite("Canaries of the links' faults")
struct FaultCanaryTests {
    /// How many of forty seeds catch the system.
    private func catches(_ isCaught: @escaping @Sendable (SimulatedWorld) async throws -> Bool) throws -> Int
    {
        try (1...40 as ClosedRange<UInt64>).count { seed in
            try Simulation(seed: seed).run { try await isCaught(try await SimulatedWorld.start(.echo())) }
        }
    }

    @Test func `duplicates reveal who counts a datagram twice`() throws {
        for (probability, isFound) in [(0.1, true), (0, false)] {
            let count = try catches { world in
                world.link.forth.conditions.duplication = probability
                return try await FaultCanaryTests.receiveTen(world).count != 10
            }
            #expect((count > 0) == isFound)
        }
    }

    @Test func `reordering reveals who takes datagrams for a sequence, where latency alone does not`() throws
    {
        for (probability, isFound) in [(0.1, true), (0, false)] {
            let count = try catches { world in
                world.link.forth.conditions.reordering = probability
                let received = try await FaultCanaryTests.receiveTen(world)
                return received != received.sorted()
            }
            #expect((count > 0) == isFound)
        }
    }

    @Test func `a full queue loses what a burst sends too much`() throws {
        for (limit, isFound) in [(4, true), (nil, false)] as [(Int?, Bool)] {
            let count = try catches { world in
                world.link.forth.conditions.bandwidth = 100
                world.link.forth.conditions.queueBytes = limit
                return try await FaultCanaryTests.receiveTen(world).count != 10
            }
            #expect((count > 0) == isFound)
        }
    }

    @Test func `stalls of links reveal who takes slowness for death`() throws {
        for (probability, isFound) in [(0.2, true), (0, false)] {
            let count = try catches { world in
                let socket = try await world.connect()
                world.link.conditions.linkStalls = probability
                for _ in 0..<5 {
                    let late = await failure { () throws(TransportError) in
                        try await socket.ping(timeout: .milliseconds(500))
                    }
                    if late != nil { return true }
                }
                return false
            }
            #expect((count > 0) == isFound)
        }
    }

    @Test func `resets in mid-body reveal who does not look whether a body came to its end`() throws {
        for (probability, isFound) in [(0.05, true), (0, false)] {
            let count = try catches { world in
                let chunks = ByteStream.chunks(20)
                let server = ScriptedServer.answering { _, _ in .stream(chunks, length: nil) }
                let files = world.network.host("files")
                _ = try await files.listen(server, at: SocketAddress(host: "files", port: 443))
                world.network["phone", "files"].back.conditions.resets = probability
                guard let body = try? await world.send(to: "files").body else { return false }
                // The broken system takes what it got for the whole.
                var bytes = 0
                if case .stream(let stream, _) = body {
                    do { for try await chunk in stream { bytes += chunk.count } } catch {}
                }
                return bytes < 20
            }
            #expect((count > 0) == isFound)
        }
    }

    @Test func `stalls reveal who waits forever`() throws {
        for (probability, isFound) in [(0.05, true), (0, false)] {
            let count = try catches { world in
                let socket = try await world.connect()
                world.link.conditions.stalls = probability
                for number in 0..<5 {
                    try? await socket.send(text: "\(number)")
                    // Ten minutes stand forever: no answer, and no error either.
                    if await answers(of: socket, within: .seconds(600), count: 1).isEmpty { return true }
                }
                return false
            }
            #expect((count > 0) == isFound)
        }
    }

    @Test func `a forgotten connection reveals who only listens`() throws {
        for forgets in [true, false] {
            let count = try catches { world in
                let socket = try await world.connect()
                if forgets { world.network.forgetConnections(of: "gemini", to: "phone") }
                // Who only listens hears nothing, not even that nobody is there; who sends, learns it.
                let heard = await answers(of: socket, within: .seconds(3600))
                #expect(heard.isEmpty)
                try? await socket.send(text: "anybody?")
                return await answers(of: socket, within: .seconds(60)).first != .text("anybody?")
            }
            #expect((count == 40) == forgets)
            #expect((count == 0) == !forgets)
        }
    }

    @Test func `names that are not found reveal who never tries again`() throws {
        for (probability, isFound) in [(0.3, true), (0, false)] {
            let count = try catches { world in
                world.network.names.failure = probability
                let error = await failure { () throws(TransportError) in _ = try await world.connect() }
                return error?.code == .unreachable
            }
            #expect((count > 0) == isFound)
            #expect(count < 40)
        }
    }

    @Test func `a name that is gone is not found, and a slow name service costs time`() throws {
        try Simulation(seed: 1).run {
            let world = try await SimulatedWorld.start(.echo())
            world.network.names.latency = .constant(.seconds(2))
            let start = world.simulation.now
            _ = try await world.connect()
            #expect(world.simulation.now - start >= .seconds(2))
            world.network.names.missing = ["gemini"]
            let error = await failure { () throws(TransportError) in _ = try await world.connect() }
            #expect(error?.code == .unreachable)
            #expect(error?.description.contains("gemini") == true)
        }
    }

    @Test func `one-way cuts reveal who believes that being heard means hearing`() throws {
        for cuts in [true, false] {
            let count = try catches { world in
                let socket = try await world.connect()
                world.network.link(from: "gemini", to: "phone").isPartitioned = cuts
                try await socket.send(text: "hello")
                return await answers(of: socket, within: .seconds(60)).isEmpty
            }
            #expect(count == (cuts ? 40 : 0))
        }
    }

    @Test
    func `partitions have the shapes that they are named for, and healing ends them and stalls of links`()
        throws
    {
        try Simulation(seed: 3).run {
            let network = SimulatedNetwork()
            let names = ["a", "b", "c", "d"]
            for name in names { network.host(name) }
            func cuts() -> Int {
                names.reduce(0) { sum, from in
                    sum + names.count { to in from != to && network.link(from: from, to: to).isPartitioned }
                }
            }
            network.isolate("a")
            #expect(cuts() == 6)
            #expect(!network["b", "c"].isPartitioned)
            network.heal()
            #expect(cuts() == 0)
            network.partitionHalves()
            #expect(cuts() == 8)
            network.heal()
            network.partitionRandomly(probability: 0.5)
            #expect((1...11).contains(cuts()))
            network.stall(from: "a", to: "b", for: .seconds(100))
            Simulation.current?.heal()
            #expect(cuts() == 0)
        }
    }

    @Test func `cuts that chance chooses happen again from their firings, and not without them`() throws {
        @Sendable func body() async throws -> [String] {
            let network = SimulatedNetwork()
            let names = ["a", "b", "c", "d"]
            for name in names { network.host(name) }
            func cuts() -> [String] {
                names.flatMap { from in names.map { (from, $0) } }
                    .filter { $0 != $1 && network.link(from: $0, to: $1).isPartitioned }.map { "\($0)\($1)" }
            }
            network.partitionHalves()
            let halves = cuts()
            network.heal()
            network.partitionRandomly(probability: 0.5)
            return halves + ["|"] + cuts()
        }
        var seen: Set<[String]> = []
        for seed in 1...20 as ClosedRange<UInt64> {
            let (cuts, report) = try Simulation(seed: seed).runReporting(body)
            seen.insert(cuts)
            #expect(report.firings.contains { $0.source == "halves" })
            var replaying = Simulation.Configuration()
            replaying.faults = .only(Set(report.firings))
            #expect(try Simulation(seed: seed, configuration: replaying).run(body) == cuts)
            replaying.faults = .only([Firing(source: "random cut b a", decision: 0)])
            #expect(try Simulation(seed: seed, configuration: replaying).run(body) == ["|", "ba"])
        }
        #expect(seen.count > 15)
    }

    @Test func `a run's faults happen again one by one, and none when all are left out`() throws {
        @Sendable func body() async throws -> [UInt8] {
            let world = try await SimulatedWorld.start(.echo())
            world.link.forth.conditions.duplication = 0.3
            world.link.forth.conditions.reordering = 0.3
            world.link.loss = 0.2
            return try await FaultCanaryTests.receiveTen(world)
        }
        for seed in 1...20 as ClosedRange<UInt64> {
            let (received, report) = try Simulation(seed: seed).runReporting(body)
            var replaying = Simulation.Configuration()
            replaying.faults = .only(Set(report.firings))
            let (again, replayed) = try Simulation(seed: seed, configuration: replaying).runReporting(body)
            #expect(again == received)
            #expect(replayed.firings == report.firings)
            replaying.faults = .none
            #expect(try Simulation(seed: seed, configuration: replaying).run(body) == Array(0..<10))
        }
    }

    @Test func `a stream that nobody reads is named`() throws {
        try Simulation(seed: 1).run {
            let world = try await SimulatedWorld.start(.echo())
            let socket = try await world.connect()
            try await socket.send(text: "one")
            try await Task.sleep(for: .seconds(1))
            #expect(world.network.unreadStreams.map(\.host) == ["phone"])
            _ = try await socket.receive()
            #expect(world.network.unreadStreams.isEmpty)
        }
    }

    /// Ten datagrams, one every millisecond, as they arrive within a second.
    @Sendable private static func receiveTen(_ world: SimulatedWorld) async throws -> [UInt8] {
        let target = SocketAddress(host: "gemini", port: 5000)
        let receiver = try await world.gemini.bind(target)
        let sender = try await world.phone.bind(SocketAddress(host: "phone", port: 0))
        let received = Box([UInt8]())
        let reading = Task {
            while let datagram = try? await receiver.receive() { received.append(datagram.bytes[0]) }
        }
        for number in 0..<10 as Range<UInt8> {
            try await sender.send([number], to: target)
            try await Task.sleep(for: .milliseconds(1))
        }
        try await Task.sleep(for: .seconds(1))
        reading.cancel()
        await receiver.close()
        await reading.value
        return received.value
    }
}

extension ByteStream {
    /// So many chunks of one byte.
    fileprivate static func chunks(_ count: Int) -> ByteStream {
        let made = Box(0)
        return ByteStream { () async throws(TransportError) in
            made.increment()
            return made.value <= count ? [7] : nil
        }
    }
}

/// What comes on a socket within a time; at most so many.
private func answers(of socket: any WebSocket, within time: Duration, count: Int = 1) async
    -> [WebSocketEvent]
{
    let received = Box([WebSocketEvent]())
    let reading = Task {
        for _ in 0..<count {
            guard let event = try? await socket.receive() else { return }
            received.append(event)
        }
    }
    let clock = Task {
        try? await Task.sleep(for: time)
        reading.cancel()
    }
    await reading.value
    clock.cancel()
    return received.value
}
