package import Glibc
import NIOCore
import NIOPosix
package import Transport

package import struct Transport.SocketAddress

extension NIOCore.SocketAddress {
    /// Resolves a host name off the event loops, or reads a literal address at once; of several addresses, the preferred one.
    static func resolve(
        _ address: SocketAddress,
        operation: String
    ) async throws(TransportError) -> NIOCore.SocketAddress {
        guard let first = try await address.resolved(operation: operation).first else {
            throw TransportError(.unreachable, operation: operation, peer: "\(address)")
        }
        return first.system(for: first.address.version)
    }
}

extension SocketAddress {
    /// The endpoints to which a name leads, the preferred one first, or the one that is written.
    package func resolved(operation: String = "resolve name") async throws(TransportError) -> [Endpoint] {
        guard (0...65_535).contains(port) else {
            throw TransportError(
                .addressUnavailable,
                operation: operation,
                peer: "\(self)",
                detail: "no such port"
            )
        }
        if let literal = endpoint { return [literal] }
        do {
            return try await NIOThreadPool.singleton.runIfActive { try NameLookup.endpoints(self, operation) }
        } catch {
            throw TransportError(cause: error, operation: operation, peer: "\(self)")
        }
    }
}

/// The system's resolver.
package enum NameLookup {
    /// All addresses of both versions, in the system's order of preference (RFC 6724).
    static func endpoints(_ address: SocketAddress, _ operation: String) throws -> [Endpoint] {
        var hints = unsafe addrinfo()
        // One entry for each address, instead of one for each kind of socket as well.
        unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(address.host, nil, &hints, &first) == 0, let list = unsafe first else {
            throw TransportError(
                .unreachable,
                operation: operation,
                peer: "\(address)",
                detail: "the host name could not be resolved"
            )
        }
        defer { unsafe freeaddrinfo(list) }
        return unsafe endpoints(in: list, port: address.port)
    }

    /// The addresses of the resolver's answer, in its order, each once.
    @unsafe package static func endpoints(in list: UnsafeMutablePointer<addrinfo>, port: Int) -> [Endpoint] {
        var found: [Endpoint] = []
        var next = unsafe Optional(list)
        while let entry = unsafe next {
            unsafe next = entry.pointee.ai_next
            guard let known = unsafe endpoint(entry.pointee) else { continue }
            let endpoint = Endpoint(known.address, port: port)
            if !found.contains(endpoint) { found.append(endpoint) }
        }
        return found
    }

    private static func endpoint(_ entry: addrinfo) -> Endpoint? {
        guard let raw = unsafe UnsafeRawPointer(entry.ai_addr) else { return nil }
        switch unsafe entry.ai_family {
        case AF_INET:
            return Endpoint(NIOCore.SocketAddress(unsafe raw.loadUnaligned(as: sockaddr_in.self)))
        case AF_INET6:
            return Endpoint(NIOCore.SocketAddress(unsafe raw.loadUnaligned(as: sockaddr_in6.self)))
        default: return nil
        }
    }
}

extension [Endpoint] {
    /// The first one that a datagram socket of a version can send to, or the first at all.
    ///
    /// A name may lead to an IPv6 address before the IPv4 one, of which an IPv4 socket can use only the second.
    package func destination(of version: IPAddress.Version) -> Endpoint? {
        first { version == .v6 || $0.address.unmapped.version == .v4 } ?? first
    }
}
