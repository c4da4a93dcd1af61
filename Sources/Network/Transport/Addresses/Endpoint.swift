/// An IP address and a port: where a socket is, as datagrams and connections say it.
///
/// What a user types, with a host's name that must be resolved, is a ``SocketAddress``.
public struct Endpoint: Sendable, Hashable {
    /// The host, or all addresses of one, or a group.
    public var address: IPAddress
    /// 0…65535.
    public var port: Int

    /// Makes a value of its parts.
    public init(_ address: IPAddress, port: Int) {
        self.address = address
        self.port = port
    }

    /// The same with the host as text.
    public var socketAddress: SocketAddress { SocketAddress(host: "\(address)", port: port) }
}

extension Endpoint: LosslessStringConvertible {
    /// Reads `192.0.2.1:80` or `[2001:db8::1]:80`.
    public init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        var host = text[..<colon]
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = Int(digits),
            (0...65_535).contains(port)
        else { return nil }
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        if isBracketed { host = host.dropFirst().dropLast() }
        guard let address = IPAddress(String(host)), isBracketed == (address.version == .v6) else {
            return nil
        }
        self.init(address, port: port)
    }

    /// As in the authority of a URL.
    public var description: String {
        address.version == .v6 ? "[\(address)]:\(port)" : "\(address):\(port)"
    }
}

extension Endpoint: Comparable {
    /// By address, then by port.
    public static func < (one: Self, other: Self) -> Bool {
        (one.address, one.port) < (other.address, other.port)
    }
}

extension SocketAddress {
    /// Makes a value whose host is a literal address.
    public init(_ endpoint: Endpoint) { self = endpoint.socketAddress }

    /// The same as an endpoint; `nil` when the host is a name, which must be resolved, or there is no such port.
    public var endpoint: Endpoint? {
        guard (0...65_535).contains(port) else { return nil }
        return IPAddress(host).map { Endpoint($0, port: port) }
    }
}
