import SimulatedTransport
import Simulation
import Transport

/// A phone and a hub with one network, in the current simulation.
struct ZooNetwork {
    let network: SimulatedNetwork
    let phone: SimulatedHost
    let hub: SimulatedHost

    /// Makes the network; conditions are those of the way from the phone to the hub.
    init(_ conditions: (inout LinkConditions) -> Void = { _ in }) {
        network = SimulatedNetwork()
        phone = network.host("phone")
        hub = network.host("hub")
        conditions(&network["phone", "hub"].forth.conditions)
    }

    var address: SocketAddress { SocketAddress(host: "hub", port: 7000) }

    /// What the hub receives on its datagram port, until it is closed.
    static func receive(
        _ socket: any DatagramSocket,
        _ take: @escaping @Sendable ([UInt8], Endpoint) async -> Void
    ) -> Task<Void, Never> {
        Task {
            while let datagram = try? await socket.receive() { await take(datagram.bytes, datagram.source) }
        }
    }
}
