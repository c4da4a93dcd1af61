import NIOCore
import NIOPosix
import Transport

import struct Transport.SocketAddress

extension NIOCore.SocketAddress {
    /// Resolves a host name off the event loops, or reads a literal address at once.
    static func resolve(
        _ address: SocketAddress,
        operation: String
    ) async throws(TransportError) -> NIOCore.SocketAddress {
        guard (0...65_535).contains(address.port) else {
            throw TransportError(
                .addressUnavailable,
                operation: operation,
                peer: "\(address)",
                detail: "no such port"
            )
        }
        if let literal = address.endpoint { return literal.system(for: literal.address.version) }
        do {
            return try await NIOThreadPool.singleton.runIfActive {
                try NIOCore.SocketAddress.makeAddressResolvingHost(address.host, port: address.port)
            }
        } catch {
            throw TransportError(cause: error, operation: operation, peer: "\(address)")
        }
    }
}

extension SocketAddress {
    /// The endpoints to which a name leads, or the one that is written.
    func resolved() async throws(TransportError) -> [Endpoint] {
        // The system's resolver puts the preferred address first (RFC 6724), and NIO takes that one alone.
        let found = try await NIOCore.SocketAddress.resolve(self, operation: "resolve name")
        return Endpoint(found).map { [$0] } ?? []
    }
}
