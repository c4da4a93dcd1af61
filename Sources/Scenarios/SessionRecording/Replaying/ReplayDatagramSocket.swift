import Synchronization
import Transport

/// A recorded datagram socket: each call returns the datagrams that it returned then.
final class ReplayDatagramSocket: DatagramSocket {
    let localAddress: Endpoint
    private let connection: ReplayConnection
    private let reader: any DatagramReader
    /// What came with one call, and found no room in the answer to a call that wants fewer.
    private let left = Mutex<[Datagram]>([])

    init(_ connection: ReplayConnection, _ reader: any DatagramReader, localAddress: Endpoint) {
        (self.connection, self.reader, self.localAddress) = (connection, reader, localAddress)
    }

    func send(_ bytes: [UInt8], to destination: Endpoint) async throws(TransportError) {
        try await replay(.datagram, RecordedDatagram.sent(reader.statement(of: bytes), to: "\(destination)"))
    }

    func send(_ bytes: [UInt8], to destination: SocketAddress) async throws(TransportError) {
        try await replay(.datagram, RecordedDatagram.sent(reader.statement(of: bytes), to: "\(destination)"))
    }

    func receive(atMost count: Int) async throws(TransportError) -> [Datagram] {
        var datagrams = left.withLock { $0 }
        var isWhole = !datagrams.isEmpty
        while !isWhole {
            let message = try await connection.receive()
            // Every recording was checked for it.
            guard let (datagram, isLast) = RecordedDatagram.received(message.bytes) else { continue }
            datagrams.append(datagram)
            isWhole = isLast
        }
        left.withLock { [datagrams] in $0 = Array(datagrams.dropFirst(count)) }
        return Array(datagrams.prefix(count))
    }

    func join(_ group: IPAddress, on interface: String?) async throws(TransportError) {
        try await replay(.head, RecordingDatagramSocket.membership("join", group, interface))
    }

    func leave(_ group: IPAddress, on interface: String?) async throws(TransportError) {
        try await replay(.head, RecordingDatagramSocket.membership("leave", group, interface))
    }

    func close() async { try? await replay(.close, []) }

    private func replay(_ kind: RecordedMessage.Kind, _ bytes: [UInt8]) async throws(TransportError) {
        try await connection.complete(connection.compare(kind, bytes))
    }
}
