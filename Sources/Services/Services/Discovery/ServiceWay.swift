/// One address at which a service on the local network may be reached.
public struct ServiceWay: Sendable, Hashable {
    /// The interface of this device on which it was found, such as `eth0`; empty where the browser does not know it.
    public var interface: String
    /// A literal IPv4 or IPv6 address without brackets; link-local ones with their zone, as `fe80::1%eth0`.
    public var address: String
    /// The port, 1…65535.
    public var port: Int

    /// Makes a value of its parts.
    public init(interface: String, address: String, port: Int) {
        (self.interface, self.address, self.port) = (interface, address, port)
    }

    /// Whether the address is one of IPv6.
    public var isIPv6: Bool { address.utf8.contains(UInt8(ascii: ":")) }

    /// Whether the address has a meaning on its interface alone, which most URLs cannot say (RFC 6874).
    public var needsZone: Bool { address.utf8.contains(UInt8(ascii: "%")) }

    /// Address and port as in the authority of a URL; `nil` for an address that needs its zone.
    public var authority: String? {
        needsZone ? nil : isIPv6 ? "[\(address)]:\(port)" : "\(address):\(port)"
    }
}
