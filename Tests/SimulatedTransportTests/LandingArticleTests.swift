import SimulatedTransport
import SimulationTesting
import Testing
import Transport

// What the landing article of SimulatedTransport shows, word for word; a house rule compares them.

@Test(.simulated(seeds: 1...20))
func `a datagram arrives when the partition is over, if it is sent again`() async throws {
    let network = SimulatedNetwork()
    let (phone, server) = (network.host("phone"), network.host("server"))
    network["phone", "server"].latency = .exponential(mean: .milliseconds(40))
    let socket = try await server.bind(SocketAddress(host: "server", port: 5000))
    let sender = try await phone.bind(SocketAddress(host: "phone", port: 0))
    network.partition(["phone"], ["server"])
    let receiving = Task { try await socket.receive().bytes }
    let sending = Task {
        while !Task.isCancelled {
            try await sender.send([1, 2, 3], to: socket.localAddress)
            try await Task.sleep(for: .seconds(1))
        }
    }
    try await Task.sleep(for: .seconds(3))
    network.heal()
    #expect(try await receiving.value == [1, 2, 3])
    sending.cancel()
}
