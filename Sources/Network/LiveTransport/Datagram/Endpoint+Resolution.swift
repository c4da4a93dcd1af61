import NIOCore
import NIOPosix
import Transport

extension Endpoint {
    /// Whether only this machine can reach the address.
    func isLoopback(for operation: String) async throws(TransportError) -> Bool {
        try await NIOCore.SocketAddress.resolve(self, operation: operation).isLoopback
    }
}

extension NIOCore.SocketAddress {
    /// Resolves a host name off the event loops, or reads a literal address at once.
    static func resolve(
        _ endpoint: Endpoint,
        operation: String
    ) async throws(TransportError) -> NIOCore.SocketAddress {
        guard (0...65_535).contains(endpoint.port) else {
            throw TransportError(
                .addressUnavailable,
                operation: operation,
                peer: "\(endpoint)",
                detail: "no such port"
            )
        }
        if let literal = try? NIOCore.SocketAddress(ipAddress: endpoint.host, port: endpoint.port) {
            return literal
        }
        do {
            return try await NIOThreadPool.singleton.runIfActive {
                try NIOCore.SocketAddress.makeAddressResolvingHost(endpoint.host, port: endpoint.port)
            }
        } catch {
            throw TransportError(cause: error, operation: operation, peer: "\(endpoint)")
        }
    }

    /// The same address as users write it; `nil` for addresses without a port.
    var endpoint: Endpoint? {
        guard let ipAddress, let port else { return nil }
        return Endpoint(host: ipAddress, port: port)
    }

    /// The four bytes of an IPv4 address as they lie in memory for the system, in network order.
    var ipv4Number: UInt32? {
        guard case .v4 = self, let ipAddress else { return nil }
        let bytes = ipAddress.split(separator: ".").compactMap { UInt8($0) }
        return bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }.bigEndian
    }

    /// Whether only this machine can reach it: 127.0.0.0/8 or ::1.
    var isLoopback: Bool {
        switch self {
        case .v4: ipAddress?.hasPrefix("127.") ?? false
        case .v6: ipAddress == "::1"
        case .unixDomainSocket: false
        }
    }
}
