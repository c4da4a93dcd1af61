/// An address of the Internet Protocol, version 4 or 6.
///
/// Two values are equal when they have the same version, the same bytes and the same zone. An IPv6 address that maps
/// an IPv4 one (`::ffff:10.0.0.1`) is not equal to it; ``unmapped`` makes it so.
public struct IPAddress: Sendable, Hashable {
    /// The versions of the Internet Protocol.
    public enum Version: Int, Sendable, Hashable, CaseIterable, Comparable {
        /// Four bytes.
        case v4 = 4
        /// Sixteen bytes.
        case v6 = 6

        /// How many bits an address has.
        public var bitCount: Int { self == .v4 ? 32 : 128 }

        /// IPv4 before IPv6.
        public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
    }

    /// Which version of the protocol it belongs to.
    public let version: Version
    /// All bits, the first of the address highest; of IPv4 the lowest 32.
    package let bits: UInt128
    /// The interface to which an IPv6 address of limited scope belongs, such as `eth0` (RFC 4007).
    public let zone: String?

    package init(version: Version, bits: UInt128, zone: String? = nil) {
        self.version = version
        self.bits = bits
        self.zone = zone
    }

    /// Makes an IPv4 address of its four bytes, in the order in which they are written.
    public init(_ first: UInt8, _ second: UInt8, _ third: UInt8, _ fourth: UInt8) {
        let bits = [first, second, third, fourth].reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        self.init(version: .v4, bits: bits)
    }

    /// Makes an address of four or sixteen bytes in network order.
    ///
    /// - Parameters:
    ///   - bytes: Four for IPv4, sixteen for IPv6.
    ///   - zone: For IPv6 alone, the interface to which the address belongs.
    /// - Returns: `nil` when there is any other number of bytes, or a zone for IPv4.
    public init?(bytes: some Collection<UInt8>, zone: String? = nil) {
        guard bytes.count == 16 || (bytes.count == 4 && zone == nil) else { return nil }
        let bits = bytes.reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        self.init(version: bytes.count == 4 ? .v4 : .v6, bits: bits, zone: zone)
    }

    /// The four or sixteen bytes, in network order.
    public var bytes: [UInt8] {
        stride(from: version.bitCount - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: bits >> $0) }
    }

    /// The same address in a zone, or in none.
    public func inZone(_ zone: String?) -> IPAddress {
        IPAddress(version: version, bits: bits, zone: version == .v6 ? zone : nil)
    }
}

// MARK: Known addresses

extension IPAddress {
    /// 0.0.0.0: every IPv4 address of a host, where a socket is bound.
    public static let anyV4 = IPAddress(version: .v4, bits: 0)
    /// 127.0.0.1: this host alone.
    public static let loopbackV4 = IPAddress(127, 0, 0, 1)
    /// `::1`: this host alone.
    public static let loopbackV6 = IPAddress(version: .v6, bits: 1)
    /// 255.255.255.255: every host on the same network.
    public static let broadcast = IPAddress(255, 255, 255, 255)

    /// Whether it stands for every address of a host.
    public var isUnspecified: Bool { bits == 0 }

    /// Whether only the same host is reached by it: 127.0.0.0/8 or `::1`.
    public var isLoopback: Bool { version == .v4 ? bits >> 24 == 127 : bits == 1 }

    /// Whether it names a group: 224.0.0.0/4 or ff00::/8.
    public var isMulticast: Bool { version == .v4 ? bits >> 28 == 0xE : bits >> 120 == 0xFF }

    /// Whether it is 255.255.255.255; broadcast addresses of subnets are known to ``IPSubnet`` alone.
    public var isLimitedBroadcast: Bool { self == .broadcast }

    /// Whether it is valid on one link alone: 169.254.0.0/16 or fe80::/10.
    public var isLinkLocal: Bool { version == .v4 ? bits >> 16 == 0xA9FE : bits >> 118 == 0x3FA }

    /// Whether it is meant for private networks: RFC 1918, or fc00::/7 (RFC 4193).
    public var isPrivate: Bool {
        switch version {
        case .v4: bits >> 24 == 10 || bits >> 20 == 0xAC1 || bits >> 16 == 0xC0A8
        case .v6: bits >> 121 == 0xFC >> 1
        }
    }

    /// The IPv4 address that an IPv6 one of the form `::ffff:a.b.c.d` stands for, else the address itself.
    public var unmapped: IPAddress {
        guard version == .v6, bits >> 32 == 0xFFFF else { return self }
        return IPAddress(version: .v4, bits: bits & 0xFFFF_FFFF)
    }

    /// The IPv6 address that stands for an IPv4 one on a socket of both versions (RFC 4291 section 2.5.5.2).
    public var mapped: IPAddress {
        version == .v6 ? self : IPAddress(version: .v6, bits: 0xFFFF << 32 | bits)
    }
}

extension IPAddress: Comparable {
    /// By version, then by bytes, then by zone.
    public static func < (one: Self, other: Self) -> Bool {
        (one.version, one.bits, one.zone ?? "") < (other.version, other.bits, other.zone ?? "")
    }
}
