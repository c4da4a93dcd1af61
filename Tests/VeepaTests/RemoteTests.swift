import PPPP
import Services
import SimulatedTransport
import Simulation
import SimulationTesting
import TestSupport
import Testing
import Transport
import VeepaCamera
import VeepaCameraSimulator

@Suite("Veepa camera: from afar", .simulated(seeds: 1...8))
struct RemoteTests {
    @Test(arguments: [NATBehaviour.fullCone, .restrictedCone, .portRestrictedCone])
    func `both sides reach each other through their routers, and no relay is used`(
        behaviour: NATBehaviour
    ) async throws {
        let world = try await RemoteWorld(phone: behaviour, home: behaviour, loss: 0.1)
        let running = try await world.simulator.start(on: world.home)
        let camera = world.client()
        try await camera.connect()
        let frames = await camera.frames(20)
        #expect(frames.count == 20 && frames.allSatisfy { TestFrame.number(of: $0) != nil })
        #expect(await world.directory.relayedDatagrams == 0)
        await camera.disconnect()
        await running.stop()
        await world.directory.stop()
    }

    @Test(arguments: [0, 0.15])
    func `where routers let nothing through, a relay passes it on`(loss: Double) async throws {
        let world = try await RemoteWorld(phone: .symmetric, home: .symmetric, loss: loss)
        let running = try await world.simulator.start(on: world.home)
        let camera = world.client()
        try await camera.connect()
        let frames = await camera.frames(20)
        #expect(frames.count == 20 && frames.allSatisfy { TestFrame.number(of: $0) != nil })
        // Three pieces a picture.
        #expect(await world.directory.relayedDatagrams >= 60)
        await camera.disconnect()
        await running.stop()
        await world.directory.stop()
    }

    @Test func `a camera that is off is reported as such`() async throws {
        let world = try await RemoteWorld(phone: .fullCone, home: .fullCone)
        let running = try await world.simulator.start(on: world.home)
        try await Task.sleep(for: .seconds(5))
        await running.stop()
        try await Task.sleep(for: .seconds(40))
        let failure = await world.client().connectionFailure()
        #expect(failure?.code == .notFound && failure?.detail.contains("offline") == true)
        await world.directory.stop()
    }

    @Test func `a router that forgets everybody is got over`() async throws {
        let world = try await RemoteWorld(phone: .portRestrictedCone, home: .portRestrictedCone)
        let running = try await world.simulator.start(on: world.home)
        let camera = world.client()
        try await camera.connect()
        _ = await camera.frames(3)
        for router in world.routers { router.forgetMappings() }
        #expect(await camera.reaches { if case .reconnecting = $0 { true } else { false } })
        #expect(await camera.reaches { $0 == .connected })
        #expect(await camera.frames(5).count == 5)
        await camera.disconnect()
        await running.stop()
        await world.directory.stop()
    }

    @Test func `a relay gives out so many ports at a time, and takes those back at which nobody is any more`()
        async throws
    {
        let network = SimulatedNetwork()
        let (server, client) = (network.host("server"), network.host("client"))
        let directory = try await VeepaDirectory().start(on: server)
        let address = directory.address
        let asker = try await client.bind(SocketAddress(host: "0.0.0.0", port: 0))
        let directoryAddress = try #require(
            try await client.resolve(SocketAddress(host: "server", port: address.port)).first
        )
        try await asker.send(Packet.relayListRequest(VeepaWorld.id).datagram, to: directoryAddress)
        guard case .relayList(let relays)? = Packet(datagram: try await asker.receive().bytes),
            let relay = relays.first
        else { throw NoAnswer() }
        /// Asks for a port from an address of its own.
        func isGiven() async throws -> (socket: any DatagramSocket, place: Endpoint, token: UInt32)? {
            let socket = try await client.bind(SocketAddress(host: "0.0.0.0", port: 0))
            try await socket.send(Packet.relayPort.datagram, to: relay)
            let answer = await withTaskGroup(of: Datagram?.self) { group in
                group.addTask { try? await socket.receive() }
                group.addTask {
                    try? await Task.sleep(for: .seconds(1))
                    return nil
                }
                defer { group.cancelAll() }
                return await group.next() ?? nil
            }
            guard let answer, case .relayPortAck(let token, let port)? = Packet(datagram: answer.bytes) else {
                return nil
            }
            return (socket, Endpoint(relay.address, port: Int(port)), token)
        }
        let first = try #require(try await isGiven())
        for _ in 1..<64 { #expect(try await isGiven() != nil) }
        #expect(try await isGiven() == nil, "the 65th")
        // One of them is in use.
        for _ in 0..<20 {
            let packet = Packet.relayPacket(token: first.token, VeepaWorld.id, isDevice: false)
            try await first.socket.send(packet.datagram, to: first.place)
            try await Task.sleep(for: .seconds(3))
        }
        #expect(await directory.openMeetings == 1)
        #expect(try await isGiven() != nil)
        try await Task.sleep(for: .seconds(60))
        #expect(await directory.openMeetings == 0)
        await directory.stop()
    }

    private struct NoAnswer: Error {}
}
