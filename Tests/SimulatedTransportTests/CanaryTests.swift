import HTTPTypes
import SimulatedTransport
import Simulation
import SimulationTesting
import TestSupport
import Testing
import Transport

/// For every fault a small system that is broken in the way that the fault reveals: it must fail under the fault and
/// pass without it, so that a fault that does nothing cannot hide.
@Suite("Canaries of the network's faults", .simulated(seeds: 1...20))
struct CanaryTests {
    @Test(arguments: [false, true])
    func `latency reveals who takes datagrams for a sequence`(fault: Bool) async throws {
        let received = try await datagrams { if fault { $0.latency = .exponential(mean: .seconds(1)) } }
        #expect((received == (0..<40).map { UInt8($0) }) == !fault)
    }

    @Test(arguments: [false, true])
    func `loss reveals who counts on datagrams`(fault: Bool) async throws {
        let received = try await datagrams { if fault { $0.loss = 0.5 } }
        #expect((received.count == 40) == !fault)
    }

    @Test(arguments: [false, true])
    func `loss reveals who takes a late answer for none`(fault: Bool) async throws {
        let world = try await SimulatedWorld.start(.echo())
        let socket = try await world.connect()
        if fault { world.link.loss = 0.5 }
        var isLost = false
        for _ in 0..<20 {
            let late = await failure { () throws(TransportError) in
                try await socket.ping(timeout: .milliseconds(100))
            }
            isLost = isLost || late != nil
        }
        #expect(isLost == fault)
    }

    @Test(arguments: [false, true])
    func `bandwidth reveals who gives an upload a second`(fault: Bool) async throws {
        let world = try await SimulatedWorld.start(
            .answering { _, body in
                _ = try? await body.collect(upTo: 1 << 20)
                return .empty
            }
        )
        if fault { world.link.bandwidth = 20_000 }
        let error = await failure { () throws(TransportError) in
            _ = try await world.send(
                .post,
                body: .bytes([UInt8](repeating: 0, count: 100_000)),
                timeout: .seconds(1)
            )
        }
        #expect((error?.code == .timedOut) == fault)
    }

    @Test(arguments: [false, true])
    func `a partition reveals who believes that silence is health`(fault: Bool) async throws {
        let world = try await SimulatedWorld.start(.echo())
        let socket = try await world.connect()
        if fault { world.network.partition(["phone"], ["gemini"]) }
        try await socket.send(text: "alarm")
        // The broken system looks only at whether sending worked.
        #expect(await answers(of: socket, within: .seconds(60)) == (fault ? [] : [.text("alarm")]))
    }

    @Test(arguments: [false, true])
    func `a reset reveals who never sends twice`(fault: Bool) async throws {
        let events = Box([WebSocketEvent]())
        let world = try await SimulatedWorld.start(.keeping(events))
        let socket = try await world.connect()
        for number in 0..<10 {
            try? await socket.send(text: "\(number)")
            if fault, number == 5 { world.network.reset("phone", "gemini") }
            try await Task.sleep(for: .milliseconds(1))
        }
        try await Task.sleep(for: .seconds(1))
        #expect((events.value == (0..<10).map { .text("\($0)") }) == !fault)
    }

    @Test(arguments: [false, true])
    func `a crash reveals who connects only once`(fault: Bool) async throws {
        let world = try await SimulatedWorld.start(.echo())
        let socket = try await world.connect()
        if fault { world.simulation.node("gemini").crash() }
        try? await socket.send(text: "still there?")
        #expect(try await (socket.receive() == .text("still there?")) == !fault)
    }

    @Test(arguments: [CrashKind.process, .machine])
    func `a machine that is switched off reveals who only listens`(kind: CrashKind) async throws {
        let world = try await SimulatedWorld.start(.echo())
        let socket = try await world.connect()
        world.gemini.crashKind = kind
        world.simulation.node("gemini").crash()
        let learned = await answers(of: socket, within: .seconds(3600))
        #expect(learned == (kind == .machine ? [] : [.closed(.abnormal)]))
    }

    @Test(arguments: [false, true])
    func `a pause reveals who takes a slow peer for a dead one`(fault: Bool) async throws {
        let world = try await SimulatedWorld.start(.echo())
        let socket = try await world.connect()
        if fault { world.simulation.node("gemini").pause() }
        let error = await failure { () throws(TransportError) in try await socket.ping(timeout: .seconds(5)) }
        #expect((error?.code == .timedOut) == fault)
    }

    // MARK: Set-up

    /// The first bytes of 40 datagrams, sent 10 ms apart, as they arrived.
    private func datagrams(_ disturb: (SimulatedLinkPair) -> Void) async throws -> [UInt8] {
        let network = SimulatedNetwork()
        let here = try await network.host("phone").bind(SocketAddress(host: "phone", port: 0))
        let there = try await network.host("gemini").bind(SocketAddress(host: "gemini", port: 0))
        disturb(network["phone", "gemini"])
        let received = Box([UInt8]())
        let reader = Task {
            while let datagram = try? await there.receive() { received.append(datagram.bytes[0]) }
        }
        for number in 0..<40 {
            try await here.send([UInt8(number)], to: there.localAddress)
            try await Task.sleep(for: .milliseconds(10))
        }
        try await Task.sleep(for: .seconds(60))
        reader.cancel()
        await reader.value
        return received.value
    }

    private func answers(of socket: any WebSocket, within time: Duration) async -> [WebSocketEvent] {
        let events = Box([WebSocketEvent]())
        let reader = Task {
            while let event = try? await socket.receive() {
                events.append(event)
                if case .closed = event { return }
            }
        }
        try? await Task.sleep(for: time)
        reader.cancel()
        await reader.value
        return events.value
    }
}
