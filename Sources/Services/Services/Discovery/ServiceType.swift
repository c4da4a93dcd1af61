/// The kind of a service on the local network, such as `_http._tcp` (RFC 6763 section 7).
public struct ServiceType: Sendable, Hashable {
    /// What a service is spoken to over.
    public enum Carrier: String, Sendable, Hashable, CaseIterable {
        /// Connections.
        case tcp
        /// Datagrams, and anything that is not TCP.
        case udp
    }

    /// The protocol, such as `http`: 1 to 15 letters, digits and hyphens, at least one a letter (RFC 6335 section 5.1).
    public let name: String
    /// What it is spoken over.
    public let carrier: Carrier
}

extension ServiceType: LosslessStringConvertible {
    /// Reads `_http._tcp`, in any case; `nil` for anything else.
    public init?(_ text: String) {
        let parts = text.lowercased().split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.hasPrefix("_") }),
            let carrier = Carrier(rawValue: String(parts[1].dropFirst()))
        else { return nil }
        let name = parts[0].dropFirst()
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let hyphen = UInt8(ascii: "-")
        guard (1...15).contains(name.utf8.count), name.utf8.contains(where: letters.contains),
            name.utf8.allSatisfy({ letters.contains($0) || digits.contains($0) || $0 == hyphen }),
            name.utf8.first != hyphen, name.utf8.last != hyphen, !name.contains("--")
        else { return nil }
        self.name = String(name)
        self.carrier = carrier
    }

    /// As it is written: `_http._tcp`.
    public var description: String { "_\(name)._\(carrier.rawValue)" }
}
