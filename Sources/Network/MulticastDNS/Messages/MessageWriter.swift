extension DNSMessage {
    /// Its bytes, with names compressed; of a message that a whole packet cannot carry, more than ``mostBytes``.
    package var encoded: [UInt8] {
        var writer = MessageWriter()
        writer.write(id)
        // Responses are authoritative (RFC 6762 section 18.4).
        writer.write((isResponse ? 0x8400 : 0) | (isTruncated ? 0x0200 : 0))
        for count in [questions.count, answers.count, authorities.count, additionals.count] {
            writer.write(UInt16(clamping: count))
        }
        for question in questions {
            writer.write(question.key.name)
            writer.write(question.key.type.rawValue)
            writer.write(question.wantsUnicast ? 0x8001 : 1)
        }
        for record in answers + authorities + additionals { writer.write(record) }
        return writer.bytes
    }
}

/// Writes the parts of a message, and remembers where names stand.
private struct MessageWriter {
    /// How far from the front a pointer can lead (RFC 1035 section 4.1.4).
    private static let reach = 0x4000

    private(set) var bytes: [UInt8] = []
    /// Where each end of a name stands; with the case of its letters, which names keep.
    private var places: [[[UInt8]]: Int] = [:]

    mutating func write(_ value: UInt16) {
        bytes.append(UInt8(value >> 8))
        bytes.append(UInt8(truncatingIfNeeded: value))
    }

    mutating func write(_ name: DomainName) {
        var rest = name.labels
        while !rest.isEmpty {
            if let place = places[rest] { return write(0xC000 | UInt16(place)) }
            if bytes.count < Self.reach { places[rest] = bytes.count }
            let label = rest.removeFirst()
            bytes.append(UInt8(label.count))
            bytes += label
        }
        bytes.append(0)
    }

    mutating func write(_ record: ResourceRecord) {
        write(record.name)
        write(record.data.type.rawValue)
        write(record.flushes ? 0x8001 : 1)
        write(UInt16(record.timeToLive >> 16))
        write(UInt16(truncatingIfNeeded: record.timeToLive))
        let start = bytes.count
        write(UInt16(0))
        switch record.data {
        case .pointer(let name): write(name)
        case .service(let priority, let weight, let port, let target):
            write(priority)
            write(weight)
            write(port)
            write(target)
        case .next(let name, let types):
            write(name)
            bytes += RecordData.bitmap(types)
        case .address, .text, .other: bytes += record.data.canonicalBytes
        }
        let count = UInt16(clamping: bytes.count - start - 2)
        bytes[start] = UInt8(count >> 8)
        bytes[start + 1] = UInt8(truncatingIfNeeded: count)
    }
}
