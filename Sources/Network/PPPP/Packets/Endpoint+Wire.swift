package import Transport

extension Endpoint {
    /// How many bytes an address takes in packets.
    package static let wireByteCount = 16

    /// Reads an address: family 2, port in little-endian order, the four octets in reverse, eight bytes that mean nothing.
    package init?(wire bytes: some Collection<UInt8>) {
        var reader = WireReader(Array(bytes))
        guard bytes.count == Self.wireByteCount, reader.big16() == 2, let port = reader.little16(),
            let octets = reader.bytes(4), let address = IPAddress(bytes: octets.reversed())
        else { return nil }
        self.init(address, port: Int(port))
    }

    /// As in packets; an address that is not IPv4, which they cannot carry, becomes 0.0.0.0.
    package var wire: [UInt8] {
        var bytes: [UInt8] = [0, 2]
        bytes.append(little: UInt16(truncatingIfNeeded: port))
        let address = address.unmapped
        bytes += (address.version == .v4 ? address : .anyV4).bytes.reversed()
        bytes += repeatElement(0, count: 8)
        return bytes
    }
}
