import SimulatedTransport
import Simulation
import SimulationTesting
import TestSupport
import Testing
import Transport

@Suite("Datagrams on the simulated network", .simulated(seeds: 1...50, stalls: .none))
struct DatagramTests {
    private let network: SimulatedNetwork
    private let phone: SimulatedHost
    private let gemini: SimulatedHost

    init() throws {
        network = SimulatedNetwork(defaults: LinkConditions(latency: .constant(.milliseconds(10))))
        phone = network.host("phone")
        gemini = network.host("gemini")
    }

    private func receive(_ count: Int, from socket: any DatagramSocket, within time: Duration) async
        -> [[UInt8]]
    {
        let received = Box([[UInt8]]())
        let reader = Task {
            while received.value.count < count, let datagram = try? await socket.receive() {
                received.append(datagram.bytes)
            }
        }
        try? await Task.sleep(for: time)
        reader.cancel()
        await reader.value
        return received.value
    }

    @Test func `a datagram arrives after one latency, with its source`() async throws {
        let here = try await phone.bind(SocketAddress(host: "phone", port: 5000))
        let there = try await gemini.bind(SocketAddress(host: "gemini", port: 0))
        let simulation = try #require(Simulation.current)
        let start = simulation.now
        try await here.send([1, 2, 3], to: there.localAddress)
        let datagram = try await there.receive()
        #expect(simulation.now - start == .milliseconds(10))
        #expect(datagram.bytes == [1, 2, 3])
        #expect(datagram.source == Endpoint("10.0.0.1:5000"))
        #expect(datagram.destination == IPAddress("10.0.0.2"))
        #expect(datagram.interface == "eth0")
        try await there.send([4], to: datagram.source)
        #expect(try await here.receive().bytes == [4])
    }

    @Test func `datagrams are lost as often as was asked for`() async throws {
        let here = try await phone.bind(SocketAddress(host: "phone", port: 0))
        let there = try await gemini.bind(SocketAddress(host: "gemini", port: 0))
        network["phone", "gemini"].loss = 0.25
        for number in 0..<400 { try await here.send([UInt8(number & 255)], to: there.localAddress) }
        let received = await receive(400, from: there, within: .seconds(1))
        // Four standard deviations of 8.7 around 300.
        #expect(received.count > 265 && received.count < 335)
        #expect(network.statistics.lostDatagrams == 400 - received.count)
    }

    @Test func `a datagram that is on its way when the partition comes is lost`() async throws {
        // Far longer than the pool may be late.
        network["phone", "gemini"].latency = .constant(.milliseconds(800))
        let here = try await phone.bind(SocketAddress(host: "phone", port: 0))
        let there = try await gemini.bind(SocketAddress(host: "gemini", port: 0))
        try await here.send([1], to: there.localAddress)
        try await Task.sleep(for: .milliseconds(5))
        network.partition(["phone"], ["gemini"])
        #expect(await receive(1, from: there, within: .seconds(1)).isEmpty)
        #expect(network.statistics.lostDatagrams == 1)
        network.heal()
        try await here.send([2], to: there.localAddress)
        #expect(await receive(1, from: there, within: .seconds(1)) == [[2]])
    }

    @Test func `datagrams overtake each other`() async throws {
        let here = try await phone.bind(SocketAddress(host: "phone", port: 0))
        let there = try await gemini.bind(SocketAddress(host: "gemini", port: 0))
        network["phone", "gemini"].latency = .uniform(.zero ... .milliseconds(100))
        for number in 0..<50 { try await here.send([UInt8(number)], to: there.localAddress) }
        let received = await receive(50, from: there, within: .seconds(1))
        #expect(received.sorted { $0[0] < $1[0] } == (0..<50).map { [UInt8($0)] })
        #expect(received != (0..<50).map { [UInt8($0)] })
    }

    @Test func `a group's datagram reaches every member on that port, on its own link`() async throws {
        let tablet = network.host("tablet")
        let group = IPAddress(224, 0, 0, 251)
        let sender = try await phone.bind(SocketAddress(host: "phone", port: 0))
        var members: [any DatagramSocket] = []
        for host in [gemini, tablet, phone] {
            let member = try await host.bind(SocketAddress(host: "0.0.0.0", port: 5353))
            try await member.join(group)
            try await member.join(group)
            members.append(member)
        }
        let stranger = try await gemini.bind(SocketAddress(host: "0.0.0.0", port: 5354))
        try await stranger.join(group)
        network["phone", "tablet"].isPartitioned = true
        try await sender.send([7], to: SocketAddress(host: "224.0.0.251", port: 5353))
        #expect(await receive(2, from: members[0], within: .seconds(1)) == [[7]])
        #expect(await receive(2, from: members[1], within: .seconds(1)).isEmpty)
        #expect(await receive(2, from: members[2], within: .seconds(1)) == [[7]])
        #expect(await receive(1, from: stranger, within: .seconds(1)).isEmpty)
        let refusal = await failure { () throws(TransportError) in
            try await sender.join(IPAddress(10, 0, 0, 1))
        }
        #expect(refusal?.code == .addressUnavailable)
    }

    @Test func `a receive buffer is bounded, and a crash closes the socket`() async throws {
        let here = try await phone.bind(SocketAddress(host: "phone", port: 0))
        let there = try await gemini.bind(SocketAddress(host: "gemini", port: 0))
        for _ in 0..<100 { try await here.send([UInt8](repeating: 1, count: 60_000), to: there.localAddress) }
        try await Task.sleep(for: .seconds(1))
        #expect(network.statistics.lostDatagrams == 97)
        Simulation.current?.node("gemini").crash()
        let closed = await failure { () throws(TransportError) in _ = try await there.receive() }
        #expect(closed?.code == .closed)
        try await here.send([1], to: there.localAddress)
        let unknown = await failure { () throws(TransportError) in
            try await here.send([1], to: SocketAddress(host: "nobody", port: 1))
        }
        #expect(unknown?.code == .unreachable)
    }

    @Test func `the largest datagram that UDP carries is sent, and one byte more is not`() async throws {
        let here = try await phone.bind(SocketAddress(host: "phone", port: 0))
        let there = try await gemini.bind(SocketAddress(host: "gemini", port: 0))
        try await here.send([UInt8](repeating: 1, count: 65_507), to: there.localAddress)
        #expect(try await there.receive().bytes.count == 65_507)
        let error = await failure { () throws(TransportError) in
            try await here.send([UInt8](repeating: 1, count: 65_508), to: there.localAddress)
        }
        #expect(error?.code == .tooLarge)
    }

    @Test func `what was read makes room for more`() async throws {
        let here = try await phone.bind(SocketAddress(host: "phone", port: 0))
        let there = try await gemini.bind(SocketAddress(host: "gemini", port: 0))
        for _ in 0..<10 {
            for _ in 0..<3 {
                try await here.send([UInt8](repeating: 1, count: 60_000), to: there.localAddress)
            }
            #expect(await receive(3, from: there, within: .seconds(1)).count == 3)
        }
        #expect(network.statistics.lostDatagrams == 0)
    }

    @Test func `a socket of the loopback address hears its own host alone`() async throws {
        let inside = try await gemini.bind(SocketAddress(host: "127.0.0.1", port: 5000))
        let here = try await phone.bind(SocketAddress(host: "phone", port: 0))
        let there = try await gemini.bind(SocketAddress(host: "gemini", port: 0))
        try await here.send([1], to: SocketAddress(host: "gemini", port: 5000))
        try await there.send([2], to: SocketAddress(host: "127.0.0.1", port: 5000))
        #expect(await receive(2, from: inside, within: .seconds(1)) == [[2]])
        // Its answers would not find the way back.
        let error = await failure { () throws(TransportError) in
            try await inside.send([3], to: here.localAddress)
        }
        #expect(error?.code == .unreachable)
    }

    @Test func `a closed socket has left its groups`() async throws {
        let sender = try await phone.bind(SocketAddress(host: "phone", port: 0))
        let member = try await gemini.bind(SocketAddress(host: "0.0.0.0", port: 5353))
        try await member.join(IPAddress(224, 0, 0, 251))
        await member.close()
        let before = network.statistics.messages
        try await sender.send([7], to: SocketAddress(host: "224.0.0.251", port: 5353))
        #expect(network.statistics.messages == before, "nobody is sent anything")
    }
}
