import HTTPTypes
import SimulatedTransport
import Simulation
import SimulationTesting
import TestSupport
import Testing
import Transport

@Suite("Network address translation", .simulated(seeds: 1...20, stalls: .none))
struct NATTests {
    private let network = SimulatedNetwork(defaults: LinkConditions(latency: .constant(.milliseconds(10))))

    /// A host alone behind a NAT, all of them with the same private address.
    private func host(_ name: String, behind behaviour: NATBehaviour) throws -> (SimulatedHost, SimulatedNAT)
    {
        let subnet = network.subnet(name, try #require(IPSubnet("192.168.1.0/24")), behind: behaviour)
        return (network.host(name, on: subnet), try #require(subnet.nat))
    }

    private func bind(_ host: SimulatedHost, port: Int = 0) async throws -> any DatagramSocket {
        try await host.bind(SocketAddress(host: "0.0.0.0", port: port))
    }

    private func bytes(at socket: any DatagramSocket, within time: Duration = .seconds(1)) async -> [[UInt8]]
    {
        let received = Box([[UInt8]]())
        let reader = Task {
            while let datagram = try? await socket.receive() { received.append(datagram.bytes) }
        }
        try? await Task.sleep(for: time)
        reader.cancel()
        await reader.value
        return received.value
    }

    @Test func `the outside sees the router's address, and its answers come back`() async throws {
        let (phone, nat) = try host("phone", behind: .portRestrictedCone)
        let inside = try await bind(phone, port: 5000)
        let server = try await bind(network.host("server"), port: 9)
        try await inside.send([1], to: Endpoint(IPAddress(10, 0, 0, 1), port: 9))
        let seen = try await server.receive()
        #expect(seen.source == Endpoint(nat.publicAddress, port: 40_000))
        try await server.send([2], to: seen.source)
        let answer = try await inside.receive()
        #expect(answer.bytes == [2])
        #expect(answer.source == Endpoint(IPAddress(10, 0, 0, 1), port: 9))
        #expect(answer.destination == IPAddress(192, 168, 1, 1))
    }

    @Test func `only IPv4 is translated`() async throws {
        let prefixes = [try #require(IPSubnet("192.168.1.0/24")), try #require(IPSubnet("fd01::/64"))]
        let home = network.subnet("home", prefixes[0], prefixes[1], behind: .portRestrictedCone)
        let inside = try await network.host("phone", on: home).bind(SocketAddress(host: "::", port: 5000))
        let server = try await network.host("server").bind(SocketAddress(host: "::", port: 9))
        for address in ["fd00::1", "10.0.0.1"] {
            try await inside.send([1], to: Endpoint(try #require(IPAddress(address)), port: 9))
        }
        let found = try await [server.receive(), server.receive()].map(\.source.description)
        #expect(Set(found) == ["[fd01::1]:5000", "198.18.0.1:40000"])
    }

    @Test func `a private address is not reached from outside`() async throws {
        let (phone, _) = try host("phone", behind: .fullCone)
        let inside = try await bind(phone, port: 5000)
        let server = try await bind(network.host("server"))
        try await server.send([1], to: Endpoint(IPAddress(192, 168, 1, 1), port: 5000))
        #expect(await bytes(at: inside).isEmpty)
        #expect(network.statistics.lostDatagrams == 1)
    }

    @Test(
        "whose datagrams are let in depends on the filter",
        arguments: [
            (NATBehaviour.fullCone, [true, true]), (.restrictedCone, [true, false]),
            (.portRestrictedCone, [false, false]), (.symmetric, [false, false]),
        ]
    )
    func filtering(_ behaviour: NATBehaviour, _ isLetIn: [Bool]) async throws {
        let (phone, _) = try host("phone", behind: behaviour)
        let inside = try await bind(phone)
        let (server, stranger) = (network.host("server"), network.host("stranger"))
        let known = try await bind(server, port: 9)
        try await inside.send([0], to: Endpoint(server.addresses[0], port: 9))
        let outside = try await known.receive().source
        try await bind(server).send([1], to: outside)
        try await bind(stranger).send([2], to: outside)
        let received = await bytes(at: inside).sorted { $0[0] < $1[0] }
        #expect(received == [[1], [2]].enumerated().filter { isLetIn[$0.offset] }.map(\.element))
    }

    @Test(
        "a cone keeps its port for all peers, a symmetric one has one for each",
        arguments: [
            (NATBehaviour.portRestrictedCone, 1), (.symmetric, 2),
        ]
    )
    func mapping(_ behaviour: NATBehaviour, _ ports: Int) async throws {
        let (phone, _) = try host("phone", behind: behaviour)
        let inside = try await bind(phone)
        var sources: Set<Endpoint> = []
        for name in ["one", "two"] {
            let server = network.host(name)
            let socket = try await bind(server, port: 9)
            for _ in 0..<2 {
                try await inside.send([1], to: Endpoint(server.addresses[0], port: 9))
                sources.insert(try await socket.receive().source)
            }
        }
        #expect(sources.count == ports)
    }

    /// Both hosts tell a server their public endpoints by sending to it, and then send to each other's.
    private func punch(_ one: NATBehaviour, _ other: NATBehaviour) async throws -> Bool {
        let server = network.host("server")
        let meeting = try await bind(server, port: 9)
        let place = Endpoint(server.addresses[0], port: 9)
        let peers = [
            try await bind(try host("one", behind: one).0), try await bind(try host("two", behind: other).0),
        ]
        var outside: [Endpoint] = []
        for peer in peers {
            try await peer.send([0], to: place)
            outside.append(try await meeting.receive().source)
        }
        for _ in 0..<3 {
            try await peers[0].send([1], to: outside[1])
            try await peers[1].send([2], to: outside[0])
            try await Task.sleep(for: .milliseconds(100))
        }
        async let first = bytes(at: peers[0])
        async let second = bytes(at: peers[1])
        let (heardFirst, heardSecond) = await (first, second)
        return heardFirst.contains([2]) && heardSecond.contains([1])
    }

    @Test func `two cones are opened from both sides`() async throws {
        #expect(try await punch(.portRestrictedCone, .portRestrictedCone))
    }

    @Test func `a symmetric NAT is not opened to a port-restricted one, which needs a relay`() async throws {
        #expect(try await !punch(.symmetric, .portRestrictedCone))
    }

    @Test func `a mapping ends when nothing has gone out for its time`() async throws {
        var behaviour = NATBehaviour.fullCone
        behaviour.mappingTimeout = .seconds(30)
        let (phone, _) = try host("phone", behind: behaviour)
        let inside = try await bind(phone)
        let server = network.host("server")
        let socket = try await bind(server, port: 9)
        let place = Endpoint(server.addresses[0], port: 9)
        try await inside.send([0], to: place)
        let first = try await socket.receive().source
        // What goes out renews it, what comes in does not.
        try await Task.sleep(for: .seconds(20))
        try await inside.send([0], to: place)
        #expect(try await socket.receive().source == first)
        try await Task.sleep(for: .seconds(20))
        try await socket.send([1], to: first)
        #expect(await bytes(at: inside) == [[1]])
        try await Task.sleep(for: .seconds(10))
        try await socket.send([2], to: first)
        #expect(await bytes(at: inside).isEmpty)
        try await inside.send([0], to: place)
        #expect(try await socket.receive().source != first)
    }

    @Test func `what is sent to a mapping that has ended gets no further than the router`() async throws {
        let (phone, nat) = try host("phone", behind: .fullCone)
        let inside = try await bind(phone)
        let server = network.host("server")
        let socket = try await bind(server, port: 9)
        try await inside.send([0], to: Endpoint(server.addresses[0], port: 9))
        let source = try await socket.receive().source
        try await socket.send([1], to: source)
        #expect(try await inside.receive().bytes == [1])
        try await Task.sleep(for: nat.behaviour.mappingTimeout)
        try await socket.send([2], to: source)
        #expect(await bytes(at: inside).isEmpty)
        #expect(network.link(from: "server", to: "phone").statistics.messages == 1)
        #expect(network.statistics.lostDatagrams == 1)
    }

    @Test func `a mapping that ends while a datagram is on its way does not let it in`() async throws {
        let (phone, nat) = try host("phone", behind: .fullCone)
        let inside = try await bind(phone)
        let server = network.host("server")
        let socket = try await bind(server, port: 9)
        try await inside.send([0], to: Endpoint(server.addresses[0], port: 9))
        let source = try await socket.receive().source
        // The mapping is as old as that datagram, which was on its way for 10 ms.
        try await Task.sleep(for: nat.behaviour.mappingTimeout - .milliseconds(15))
        try await socket.send([1], to: source)
        #expect(await bytes(at: inside).isEmpty)
        #expect(network.statistics.lostDatagrams == 1)
    }

    @Test func `a router that has restarted has forgotten its mappings`() async throws {
        let (phone, nat) = try host("phone", behind: .fullCone)
        let inside = try await bind(phone)
        let server = network.host("server")
        let socket = try await bind(server, port: 9)
        try await inside.send([0], to: Endpoint(server.addresses[0], port: 9))
        let source = try await socket.receive().source
        nat.forgetMappings()
        try await socket.send([1], to: source)
        #expect(await bytes(at: inside).isEmpty)
    }

    @Test(
        "two hosts behind one router reach each other by its address when it hairpins",
        arguments: [false, true]
    )
    func hairpin(_ isHairpinning: Bool) async throws {
        var behaviour = NATBehaviour.fullCone
        behaviour.isHairpinning = isHairpinning
        let home = network.subnet("home", try #require(IPSubnet("192.168.1.0/24")), behind: behaviour)
        let one = try await bind(network.host("one", on: home))
        let two = try await bind(network.host("two", on: home), port: 7)
        let server = network.host("server")
        let socket = try await bind(server, port: 9)
        try await two.send([0], to: Endpoint(server.addresses[0], port: 9))
        let outside = try await socket.receive().source
        try await one.send([1], to: outside)
        #expect(await bytes(at: two) == (isHairpinning ? [[1]] : []))
        // Their own addresses need no router.
        try await one.send([2], to: Endpoint(IPAddress(192, 168, 1, 2), port: 7))
        #expect(await bytes(at: two) == [[2]])
    }

    @Test func `streams leave, and come in only by a port that is forwarded`() async throws {
        let (phone, nat) = try host("phone", behind: .portRestrictedCone)
        let server = network.host("server")
        let everywhere = SocketAddress(host: "0.0.0.0", port: 80)
        _ = try await server.listen(ScriptedServer.echo(), at: everywhere)
        _ = try await phone.listen(ScriptedServer.echo(), at: everywhere)
        func code(_ host: SimulatedHost, _ authority: String) async -> TransportError.Code? {
            let request = HTTPRequest(method: .get, scheme: "http", authority: authority, path: "/")
            return await failure { () throws(TransportError) in
                _ = try await host.send(request, body: .empty, timeout: .seconds(10))
            }?.code
        }
        #expect(await code(phone, "server") == nil)
        #expect(await code(server, "phone") == .timedOut)
        #expect(await code(server, "\(nat.publicAddress)") == .timedOut)
        nat.forward(port: 8080, to: Endpoint(IPAddress(192, 168, 1, 1), port: 80))
        #expect(await code(server, "\(nat.publicAddress):8080") == nil)
        nat.forward(port: 8080, to: nil)
        // No connection is kept any more.
        try await Task.sleep(for: .seconds(20))
        #expect(await code(server, "\(nat.publicAddress):8080") == .timedOut)
    }

    @Test func `a port that is forwarded is no mapping's`() async throws {
        let (phone, nat) = try host("phone", behind: .fullCone)
        let inside = try await bind(phone)
        let server = network.host("server")
        let socket = try await bind(server, port: 9)
        // The first that would be given.
        nat.forward(port: 40_000, to: Endpoint(IPAddress(192, 168, 1, 1), port: 80))
        try await inside.send([0], to: Endpoint(server.addresses[0], port: 9))
        let source = try await socket.receive().source
        #expect(source == Endpoint(nat.publicAddress, port: 40_001))
        try await socket.send([1], to: source)
        #expect(await bytes(at: inside) == [[1]])
    }

    // One seed: it sends 64,512 datagrams, and the order of nothing else matters.
    @Test(.simulated(seeds: 1...1))
    func `a datagram is lost when all public ports are taken, and ports of old mappings are taken again`()
        async throws
    {
        let (phone, _) = try host("phone", behind: .symmetric)
        let inside = try await bind(phone)
        let server = try await bind(network.host("server"), port: 9)
        let target = Endpoint(IPAddress(10, 0, 0, 1), port: 9)
        // A symmetric router needs a port for each peer, and has 64,512.
        for number in 0..<64_512 {
            let (high, low) = (UInt8(number / 256), UInt8(number % 256))
            try await inside.send([0], to: Endpoint(IPAddress(10, 9, high, low), port: 1))
        }
        try await inside.send([1], to: target)
        #expect(await bytes(at: server).isEmpty)
        try await Task.sleep(for: NATBehaviour.symmetric.mappingTimeout)
        try await inside.send([2], to: target)
        #expect(await bytes(at: server) == [[2]])
    }
}
