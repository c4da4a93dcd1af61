import MulticastDNS
import Services
import SimulatedTransport
import Testing
import Transport

/// A host that says what it likes.
struct Stranger {
    let host: SimulatedHost
    let socket: any DatagramSocket
    let names = ServiceNames(Neighbourhood.type)

    /// - Parameter port: From which it speaks.
    init(_ name: String = "stranger", in network: SimulatedNetwork, port: Int = MulticastGroup.port)
        async throws
    {
        host = network.host(name)
        socket = try await host.bind(SocketAddress(host: "0.0.0.0", port: port), options: .multicastDNS())
        try await socket.join(MulticastGroup.v4)
    }

    func say(_ bytes: [UInt8], to destination: Endpoint = MulticastGroup.endpoint(.v4)) async throws {
        try await socket.send(bytes, to: destination)
    }

    func say(_ records: [ResourceRecord]) async throws {
        var message = DNSMessage(isResponse: true)
        message.answers = records
        try await say(message.encoded)
    }

    /// All records of a service.
    func records(
        _ name: String,
        host: String = "stranger",
        address: IPAddress = IPAddress(10, 0, 9, 9),
        port: UInt16 = 666,
        seconds: UInt32 = 4_500
    ) throws -> [ResourceRecord] {
        let instance = try #require(names.instance(name))
        let target = try #require(DomainName.local(host))
        return [
            ResourceRecord(names.type, .pointer(instance), timeToLive: seconds),
            ResourceRecord(
                instance,
                .service(priority: 0, weight: 0, port: port, target: target),
                timeToLive: min(seconds, 120),
                flushes: true
            ),
            ResourceRecord(instance, .text([0]), timeToLive: seconds, flushes: true),
            ResourceRecord(target, .address(address), timeToLive: min(seconds, 120), flushes: true),
        ]
    }

    /// What it has heard within a time.
    func hears(for time: Duration) async throws -> [DNSMessage] {
        let reader = Task { () -> [DNSMessage] in
            var all: [DNSMessage] = []
            while let datagram = try? await socket.receive() {
                if let message = DNSMessage(datagram.bytes) { all.append(message) }
            }
            return all
        }
        try await Task.sleep(for: time)
        reader.cancel()
        return await reader.value
    }
}
