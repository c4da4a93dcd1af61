package import Transport

/// One record of DNS, of the Internet class.
package struct ResourceRecord: Sendable, Hashable {
    /// What it is about.
    package var name: DomainName
    /// What it says.
    package var data: RecordData
    /// How long it may be kept, in seconds; 0 says that it is no longer true (RFC 6762 section 10.1).
    package var timeToLive: UInt32
    /// Whether it takes the place of all older records of its name and type (RFC 6762 section 10.2).
    package var flushes: Bool

    package init(_ name: DomainName, _ data: RecordData, timeToLive: UInt32, flushes: Bool = false) {
        (self.name, self.data, self.timeToLive, self.flushes) = (name, data, timeToLive, flushes)
    }

    /// Name and type.
    package var key: RecordKey { RecordKey(name, data.type) }
}

/// A name and a type: what a question asks for.
package struct RecordKey: Sendable, Hashable, Comparable {
    package var name: DomainName
    package var type: RecordType

    package init(_ name: DomainName, _ type: RecordType) { (self.name, self.type) = (name, type) }

    /// By name, then by type.
    package static func < (one: Self, other: Self) -> Bool {
        one.name == other.name ? one.type.rawValue < other.type.rawValue : one.name < other.name
    }
}

/// The type of a record (IANA, "DNS Parameters"); any number is one.
package struct RecordType: RawRepresentable, Sendable, Hashable {
    package var rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// An IPv4 address.
    package static let a = RecordType(rawValue: 1)
    /// Another name.
    package static let pointer = RecordType(rawValue: 12)
    /// Keys and values.
    package static let text = RecordType(rawValue: 16)
    /// An IPv6 address.
    package static let aaaa = RecordType(rawValue: 28)
    /// Host and port of a service (RFC 2782).
    package static let service = RecordType(rawValue: 33)
    /// The types that a name has (RFC 4034 section 4).
    package static let next = RecordType(rawValue: 47)
    /// All types; in questions alone.
    package static let any = RecordType(rawValue: 255)
}

/// What a record says.
package enum RecordData: Sendable, Hashable {
    /// An IPv4 or IPv6 address, without a zone.
    case address(IPAddress)
    case pointer(DomainName)
    case service(priority: UInt16, weight: UInt16, port: UInt16, target: DomainName)
    /// Strings, each behind its length; at least one.
    case text([UInt8])
    /// The types that a name has, in order; those above 255 cannot be said (RFC 6762 section 6.1).
    case next(DomainName, types: [UInt8])
    case other(RecordType, [UInt8])

    package var type: RecordType {
        switch self {
        case .address(let address): address.version == .v4 ? .a : .aaaa
        case .pointer: .pointer
        case .service: .service
        case .text: .text
        case .next: .next
        case .other(let type, _): type
        }
    }

    /// The bytes as they are compared by two that probe at once: without compression (RFC 6762 section 8.2).
    package var canonicalBytes: [UInt8] {
        switch self {
        case .address(let address): return address.bytes
        case .pointer(let name): return name.wire
        case .service(let priority, let weight, let port, let target):
            return [priority, weight, port].flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
                + target.wire
        case .text(let bytes): return bytes
        case .next(let name, let types): return name.wire + Self.bitmap(types)
        case .other(_, let bytes): return bytes
        }
    }

    /// The first window of types as bits, the highest of each byte first (RFC 4034 section 4.1.2).
    static func bitmap(_ types: [UInt8]) -> [UInt8] {
        var bits: [UInt8] = []
        for type in types {
            let place = Int(type) / 8
            while bits.count <= place { bits.append(0) }
            bits[place] |= 0x80 >> (type % 8)
        }
        return bits.isEmpty ? [] : [0, UInt8(bits.count)] + bits
    }
}
