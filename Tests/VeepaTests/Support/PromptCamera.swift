import PPPP
import Transport
import VeepaCamera

/// A camera that answers each search within no time, before its client takes another step, and says nothing else.
///
/// On a simulated network an answer takes a timer, and by then the client waits for it.
struct PromptCamera: DatagramNetwork {
    func bind(
        _ address: SocketAddress,
        options: DatagramOptions
    ) async throws(TransportError) -> any DatagramSocket {
        Socket()
    }

    func resolve(_ address: SocketAddress) async throws(TransportError) -> [Endpoint] { [] }
    func interfaces() async throws(TransportError) -> [NetworkInterface] { [] }

    private final class Socket: DatagramSocket {
        private static let camera = Endpoint(IPAddress(192, 168, 1, 20), port: VeepaOptions.searchPort)
        private let arrivals = AsyncStream.makeStream(of: Datagram.self)
        private let seal = PacketSeal(PacketCipher(prefix: VeepaWorld.id.prefix))

        let localAddress = Endpoint(IPAddress(192, 168, 1, 2), port: 50_000)

        func send(_ bytes: [UInt8], to destination: Endpoint) async throws(TransportError) {
            var seal = seal
            guard seal.open(bytes) == .lanSearch else { return }
            for packet in [Packet.punch(VeepaWorld.id), .ready(VeepaWorld.id)] {
                arrivals.continuation.yield(Datagram(bytes: seal.close(packet), source: Self.camera))
            }
        }

        func receive(atMost count: Int) async throws(TransportError) -> [Datagram] {
            for await datagram in arrivals.stream { return [datagram] }
            throw TransportError(.cancelled, operation: "receive datagram", peer: "\(Self.camera)")
        }

        func send(_ bytes: [UInt8], to destination: SocketAddress) async throws(TransportError) {}
        func join(_ group: IPAddress, on interface: String?) async throws(TransportError) {}
        func leave(_ group: IPAddress, on interface: String?) async throws(TransportError) {}
        func close() async { arrivals.continuation.finish() }
    }
}
