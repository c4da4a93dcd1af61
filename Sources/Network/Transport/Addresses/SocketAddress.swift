/// A host and a port, as a user would type them.
///
/// `host` is a name or a literal IPv4 or IPv6 address without brackets; `port` is 0…65535, where 0 asks a
/// listener to choose a free one.
public struct SocketAddress: Sendable, Hashable, CustomStringConvertible {
    /// A name or a literal address.
    public var host: String
    /// 0…65535.
    public var port: Int

    /// Makes a value of its parts.
    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// An address of this machine alone.
    public static func loopback(port: Int = 0) -> SocketAddress {
        SocketAddress(host: "127.0.0.1", port: port)
    }

    /// All of it, for people.
    public var description: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
