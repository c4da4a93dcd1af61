import Simulation
import Transport

/// A datagram socket of the real world, for a program that runs in a simulation whose pace is real.
struct OutsideDatagramSocket: DatagramSocket {
    let base: any DatagramSocket
    var localAddress: Endpoint { base.localAddress }

    func send(_ bytes: [UInt8], to destination: Endpoint) async throws(TransportError) {
        try await Simulation.outside { () async throws(TransportError) in
            try await base.send(bytes, to: destination)
        }
    }

    func send(_ bytes: [UInt8], to destination: SocketAddress) async throws(TransportError) {
        try await Simulation.outside { () async throws(TransportError) in
            try await base.send(bytes, to: destination)
        }
    }

    func receive(atMost count: Int) async throws(TransportError) -> [Datagram] {
        try await Simulation.outside { () async throws(TransportError) -> [Datagram] in
            try await base.receive(atMost: count)
        }
    }

    func join(_ group: IPAddress, on interface: String?) async throws(TransportError) {
        try await Simulation.outside { () async throws(TransportError) in
            try await base.join(group, on: interface)
        }
    }

    func leave(_ group: IPAddress, on interface: String?) async throws(TransportError) {
        try await Simulation.outside { () async throws(TransportError) in
            try await base.leave(group, on: interface)
        }
    }

    func close() async {
        await Simulation.outside { await base.close() }
    }
}
