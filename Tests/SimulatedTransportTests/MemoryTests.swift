import SimulatedTransport
import Simulation
import Synchronization
import Testing
import Transport

@Suite("Memory of the simulated network")
struct MemoryTests {
    private struct Seen: Sendable {
        weak var network: SimulatedNetwork?
        weak var phone: SimulatedHost?
    }

    @Test
    func `a network and its hosts are freed at the end of the run, also with sockets that nobody has closed`()
        throws
    {
        let seen = Mutex(Seen())
        try Simulation(seed: 1).run {
            let network = SimulatedNetwork()
            let (phone, hub) = (network.host("phone"), network.host("hub"))
            seen.withLock { $0 = Seen(network: network, phone: phone) }
            let receiver = try await hub.bind(SocketAddress(host: "hub", port: 7000))
            let sender = try await phone.bind(SocketAddress(host: "phone", port: 0))
            try await sender.send([1], to: receiver.localAddress)
            _ = try await receiver.receive()
            // On its way when the run ends.
            try await sender.send([2], to: receiver.localAddress)
        }
        #expect(seen.withLock { $0.network == nil })
        #expect(seen.withLock { $0.phone == nil })
    }
}
