/// The addresses that have their first bits in common, such as 192.168.1.0/24.
public struct IPSubnet: Sendable, Hashable {
    /// The first address, whose bits after the prefix are zero.
    public let first: IPAddress
    /// How many bits all addresses have in common.
    public let prefixLength: Int

    /// Makes the subnet to which an address belongs.
    ///
    /// - Returns: `nil` when the address has fewer bits than the prefix.
    public init?(_ address: IPAddress, prefixLength: Int) {
        guard (0...address.version.bitCount).contains(prefixLength) else { return nil }
        self.prefixLength = prefixLength
        let hostBits = Self.hostMask(address.version, prefixLength)
        first = IPAddress(version: address.version, bits: address.bits & ~hostBits)
    }

    /// Whether an address is one of it; zones are not looked at.
    public func contains(_ address: IPAddress) -> Bool {
        address.version == first.version && address.bits & ~hostMask == first.bits
    }

    /// The address that reaches every host: the last one of IPv4, none of IPv6 or of fewer than four addresses.
    public var broadcast: IPAddress? {
        guard first.version == .v4, prefixLength <= 30 else { return nil }
        return IPAddress(version: .v4, bits: first.bits | hostMask)
    }

    /// The address that is this many after the first.
    ///
    /// - Returns: `nil` when the subnet has not so many.
    public func address(at offset: Int) -> IPAddress? {
        guard offset >= 0, UInt128(offset) <= hostMask else { return nil }
        return IPAddress(version: first.version, bits: first.bits + UInt128(offset))
    }

    private var hostMask: UInt128 { Self.hostMask(first.version, prefixLength) }

    private static func hostMask(_ version: IPAddress.Version, _ prefixLength: Int) -> UInt128 {
        let count = version.bitCount - prefixLength
        return count == 128 ? .max : (1 << UInt128(count)) - 1
    }
}

extension IPSubnet: LosslessStringConvertible {
    /// Reads `192.168.1.0/24`; bits after the prefix must be zero.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let address = IPAddress(String(parts[0])), address.zone == nil,
            parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let length = Int(parts[1]),
            let subnet = IPSubnet(address, prefixLength: length), subnet.first == address
        else { return nil }
        self = subnet
    }

    /// The first address and the length of the prefix.
    public var description: String { "\(first)/\(prefixLength)" }
}
