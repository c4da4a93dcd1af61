import SimulatedTransport
import Simulation
import SimulationTesting
import TestSupport
import Testing
import Transport

@Suite("Datagrams on subnets", .simulated(seeds: 1...20, stalls: .none))
struct SubnetTests {
    private let network = SimulatedNetwork(defaults: LinkConditions(latency: .constant(.milliseconds(10))))
    private let home: SimulatedSubnet
    private let phone: SimulatedHost

    init() throws {
        home = network.subnet(
            "home",
            try #require(IPSubnet("192.168.1.0/24")),
            try #require(IPSubnet("fd01::/64"))
        )
        phone = network.host("phone", on: home)
    }

    private func bind(
        _ host: SimulatedHost,
        _ address: String = "0.0.0.0",
        port: Int = 0,
        options: DatagramOptions = DatagramOptions()
    ) async throws -> any DatagramSocket {
        try await host.bind(SocketAddress(host: address, port: port), options: options)
    }

    private func received(at sockets: [any DatagramSocket]) async -> [[Datagram]] {
        var all: [[Datagram]] = []
        try? await Task.sleep(for: .seconds(1))
        for socket in sockets {
            let box = Box([Datagram]())
            let reader = Task {
                while let datagram = try? await socket.receive() { box.append(datagram) }
            }
            try? await Task.sleep(for: .milliseconds(1))
            reader.cancel()
            await reader.value
            all.append(box.value)
        }
        return all
    }

    @Test(
        "a broadcast reaches every host of the subnet, the sender's own too, and no other",
        arguments: [
            "255.255.255.255", "192.168.1.255",
        ]
    )
    func broadcast(_ address: String) async throws {
        let camera = network.host("camera", on: home)
        let stranger = network.host("stranger")
        let group = Endpoint(try #require(IPAddress(address)), port: 32_108)
        let sockets = [
            try await bind(camera, port: 32_108), try await bind(phone, port: 32_108),
            try await bind(stranger, port: 32_108),
        ]
        let other = try await bind(camera, port: 32_109)
        let sender = try await bind(phone, options: DatagramOptions(allowsBroadcast: true))
        try await sender.send([0xF1, 0x30], to: group)
        let found = await received(at: sockets + [other])
        #expect(found.map(\.count) == [1, 1, 0, 0])
        #expect(found[0][0].source == Endpoint(phone.addresses[0], port: sender.localAddress.port))
        #expect(found[0][0].destination == group.address)
        let refused = try await bind(phone)
        let error = await failure { () throws(TransportError) in try await refused.send([1], to: group) }
        #expect(error?.code == .addressUnavailable)
    }

    @Test func `a socket of one address hears no broadcast, one of the broadcast address nothing else`()
        async throws
    {
        let camera = network.host("camera", on: home)
        let options = DatagramOptions(allowsBroadcast: true, sharesPort: true)
        let single = try await bind(camera, "192.168.1.2", port: 7, options: options)
        let all = try await bind(camera, "192.168.1.255", port: 7, options: options)
        let limited = try await bind(camera, "255.255.255.255", port: 7, options: options)
        let sender = try await bind(phone, options: options)
        try await sender.send([1], to: Endpoint(IPAddress(192, 168, 1, 255), port: 7))
        try await sender.send([2], to: Endpoint(IPAddress(192, 168, 1, 2), port: 7))
        try await sender.send([3], to: Endpoint(.broadcast, port: 7))
        let found = await received(at: [single, all, limited])
        #expect(found.map { $0.map(\.bytes) } == [[[2]], [[1]], [[3]]])
    }

    @Test func `a broadcast does not reach a host that goes off line before it`() async throws {
        let camera = network.host("camera", on: home)
        let socket = try await bind(camera, port: 7)
        let sender = try await bind(phone, options: DatagramOptions(allowsBroadcast: true))
        try await sender.send([1], to: Endpoint(.broadcast, port: 7))
        camera.setAirplaneMode(true)
        #expect(await received(at: [socket]) == [[]])
        #expect(network.statistics.lostDatagrams == 1)
    }

    @Test func `a datagram leaves by the interface of its subnet, with that one's address`() async throws {
        let office = network.subnet("office", try #require(IPSubnet("172.16.0.0/16")))
        let hub = network.host("hub", on: home)
        hub.attach("eth1", to: office)
        let desk = try await bind(network.host("desk", on: office), port: 7)
        try await bind(hub, options: DatagramOptions(timeToLive: 1))
            .send([1], to: Endpoint(IPAddress(172, 16, 0, 2), port: 7))
        #expect(await received(at: [desk])[0].map(\.source.address) == [IPAddress(172, 16, 0, 1)])
    }

    @Test func `an address that a host has given up belongs to who takes it next`() async throws {
        let camera = network.host("camera", on: home)
        let address = camera.addresses[0]
        camera.detach("eth0")
        let next = network.host("next", on: home, addresses: [address])
        let socket = try await bind(next, port: 7)
        try await bind(phone).send([1], to: Endpoint(address, port: 7))
        #expect(await received(at: [socket])[0].map(\.bytes) == [[1]])
    }

    @Test func `a group stays on its subnet and is joined on one interface`() async throws {
        let office = network.subnet("office", try #require(IPSubnet("172.16.0.0/16")))
        let hub = network.host("hub", on: home)
        hub.attach("eth1", to: office)
        let desk = network.host("desk", on: office)
        let group = Endpoint(IPAddress(224, 0, 0, 251), port: 5353)
        let onHome = try await bind(hub, port: 5353, options: .multicastDNS(interface: "eth0"))
        let onOffice = try await bind(hub, port: 5353, options: .multicastDNS(interface: "eth1"))
        let onDesk = try await bind(desk, port: 5353, options: .multicastDNS())
        for socket in [onHome, onOffice, onDesk] { try await socket.join(group.address) }
        try await bind(phone).send([1], to: group)
        try await bind(desk).send([2], to: group)
        let found = await received(at: [onHome, onOffice, onDesk])
        #expect(found.map { $0.map(\.bytes) } == [[[1]], [[2]], [[2]]])
        #expect(found.map { $0.first?.interface } == ["eth0", "eth1", "eth0"])
        try await onOffice.send([3], to: group)
        #expect(await received(at: [onHome, onOffice, onDesk]).map(\.count) == [0, 1, 1])
        let error = await failure { () throws(TransportError) in
            try await onHome.join(group.address, on: "wlan9")
        }
        #expect(error?.code == .addressUnavailable)
    }

    @Test func `IPv6 groups and addresses work as those of IPv4`() async throws {
        let camera = network.host("camera", on: home)
        let group = try #require(IPAddress("ff02::fb"))
        let member = try await bind(camera, "::", port: 5353)
        try await member.join(group)
        let sender = try await bind(phone, "fd01::1")
        try await sender.send([1], to: Endpoint(group, port: 5353))
        try await sender.send([2], to: Endpoint(try #require(IPAddress("fd01::2")), port: 5353))
        // A socket of both versions hears IPv4, and says so in its plain form.
        try await bind(phone).send([3], to: Endpoint(IPAddress(192, 168, 1, 2), port: 5353))
        let found = await received(at: [member])[0].sorted { $0.bytes[0] < $1.bytes[0] }
        #expect(found.map(\.bytes) == [[1], [2], [3]])
        #expect(found.map(\.source.address.description) == ["fd01::1", "fd01::1", "192.168.1.1"])
        #expect(found.map { $0.destination?.description } == ["ff02::fb", "fd01::2", "192.168.1.2"])
        let four = try await bind(phone)
        let error = await failure { () throws(TransportError) in
            try await four.send([1], to: Endpoint(.loopbackV6, port: 1))
        }
        #expect(error?.code == .unreachable)
    }

    @Test func `a datagram for one network does not pass a router`() async throws {
        let near = try await bind(network.host("near", on: home))
        let far = try await bind(network.host("far"))
        let sender = try await bind(phone, options: DatagramOptions(timeToLive: 1))
        for socket in [(near, "near"), (far, "far")] {
            try await sender.send([1], to: SocketAddress(host: socket.1, port: socket.0.localAddress.port))
        }
        #expect(await received(at: [near, far]).map(\.count) == [1, 0])
        try await bind(phone, options: DatagramOptions(timeToLive: 2))
            .send([1], to: SocketAddress(host: "far", port: far.localAddress.port))
        #expect(await received(at: [far])[0].count == 1)
    }

    @Test func `a large datagram is lost with any of its fragments`() async throws {
        let camera = network.host("camera", on: home)
        network["phone", "camera"].loss = 0.02
        func lost(bytes: Int, packets: Int = 1500) async throws -> Int {
            network["phone", "camera"].forth.conditions.packetBytes = packets
            let before = network.statistics.lostDatagrams
            let (sender, receiver) = (try await bind(phone), try await bind(camera))
            for _ in 0..<200 {
                try await sender.send(
                    [UInt8](repeating: 0, count: bytes),
                    to: Endpoint(camera.addresses[0], port: receiver.localAddress.port)
                )
                try await Task.sleep(for: .milliseconds(20))
                _ = try? await withDeadline(receiver)
            }
            return network.statistics.lostDatagrams - before
        }
        // 0.02 of 200 are 4; with 41 fragments 0.56 of 200 are 113, with 7 fragments 0.13 of 200 are 26.
        // Five standard deviations either way: 10, 35 and 24.
        #expect(try await lost(bytes: 1472) < 15)
        #expect((78...148).contains(try await lost(bytes: 60_000)))
        #expect((2...50).contains(try await lost(bytes: 60_000, packets: 9000)))
    }

    @Test func `a datagram to its own host is not fragmented`() async throws {
        network.link(from: "phone", to: "phone").conditions.loss = 0.02
        let (sender, receiver) = (try await bind(phone), try await bind(phone))
        for _ in 0..<200 {
            try await sender.send(
                [UInt8](repeating: 0, count: 60_000),
                to: Endpoint(.loopbackV4, port: receiver.localAddress.port)
            )
            try await Task.sleep(for: .milliseconds(1))
            _ = try? await withDeadline(receiver)
        }
        // As for one packet on a link: 0.02 of 200 are 4.
        #expect(network.statistics.lostDatagrams < 15)
    }

    /// Takes what is there.
    private func withDeadline(_ socket: any DatagramSocket) async throws {
        let reader = Task { try await socket.receive() }
        try await Task.sleep(for: .milliseconds(1))
        reader.cancel()
        _ = try await reader.value
    }

    @Test func `the receive buffer has the size that was asked for, within the system's bounds`() async throws
    {
        let camera = network.host("camera", on: home)
        for (asked, kept) in [(1, 1), (20_000, 15), (1_000_000, 169)] {
            let receiver = try await bind(camera, options: DatagramOptions(receiveBufferBytes: asked))
            let sender = try await bind(phone)
            for number in 0..<300 {
                try await sender.send(
                    [UInt8](repeating: UInt8(number & 0xFF), count: 1000),
                    to: Endpoint(camera.addresses[0], port: receiver.localAddress.port)
                )
                try await Task.sleep(for: .milliseconds(20))
            }
            let found = try await receiver.receive(atMost: 1000)
            #expect(found.map { $0.bytes[0] } == (0..<kept).map { UInt8($0 & 0xFF) }, "the oldest are kept")
        }
    }

    @Test func `the last of several sockets on a port gets what is for one`() async throws {
        let camera = network.host("camera", on: home)
        let shared = DatagramOptions(sharesPort: true)
        let sockets = [
            try await bind(camera, port: 7, options: shared),
            try await bind(camera, port: 7, options: shared),
        ]
        let sender = try await bind(phone)
        try await sender.send([1], to: Endpoint(camera.addresses[0], port: 7))
        #expect(await received(at: sockets).map(\.count) == [0, 1])
        // One that is bound to the address goes before those of all addresses.
        let exact = try await bind(camera, "192.168.1.2", port: 7, options: shared)
        let last = try await bind(camera, port: 7, options: shared)
        try await sender.send([2], to: Endpoint(camera.addresses[0], port: 7))
        #expect(await received(at: sockets + [exact, last]).map(\.count) == [0, 0, 1, 0])
        let error = await failure { () throws(TransportError) in
            _ = try await camera.bind(SocketAddress(host: "0.0.0.0", port: 7))
        }
        #expect(error?.code == .addressUnavailable)
    }
}
