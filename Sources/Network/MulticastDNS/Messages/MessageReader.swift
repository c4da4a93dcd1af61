import Transport

extension DNSMessage {
    /// Reads what somebody on the network has sent.
    ///
    /// A record that cannot be read is left out; where it cannot be said either where it ends, so is what follows it. The same holds for
    /// questions. Records of other classes than the Internet's are left out.
    ///
    /// - Returns: `nil` for what has no whole header or is larger than a message may be, and for other operations and failures, which are to be
    ///   ignored (RFC 6762 sections 18.3 and 18.11).
    package init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.mostBytes else { return nil }
        var reader = MessageReader(bytes)
        guard let id = reader.number16(), let flags = reader.number16(),
            let questionCount = reader.number16(),
            let answerCount = reader.number16(), let authorityCount = reader.number16(),
            let additionalCount = reader.number16(), flags & 0x780F == 0
        else { return nil }
        self.init(isResponse: flags & 0x8000 != 0)
        self.id = id
        isTruncated = flags & 0x0200 != 0
        for _ in 0..<questionCount {
            guard let question = reader.question() else { return }
            if let known = question.known { questions.append(known) }
        }
        var records: [[ResourceRecord]] = [[], [], []]
        defer { (answers, authorities, additionals) = (records[0], records[1], records[2]) }
        for (section, count) in [answerCount, authorityCount, additionalCount].enumerated() {
            for _ in 0..<count {
                guard let record = reader.record() else { return }
                if let known = record.known { records[section].append(known) }
            }
        }
    }
}

/// Reads the parts of a message from its front.
private struct MessageReader {
    /// The class of the Internet.
    private static let internet: UInt16 = 1
    /// The bit of a class that says something else: that unicast is wanted, or that older records are to be flushed.
    private static let topBit: UInt16 = 0x8000

    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// What was read of known form, and whether reading can go on.
    struct Part<Value> {
        var known: Value?
    }

    mutating func number16() -> UInt16? {
        guard bytes.count - place >= 2 else { return nil }
        defer { place += 2 }
        return UInt16(bytes[place]) << 8 | UInt16(bytes[place + 1])
    }

    private mutating func number32() -> UInt32? {
        guard bytes.count - place >= 4, let high = number16(), let low = number16() else { return nil }
        return UInt32(high) << 16 | UInt32(low)
    }

    mutating func question() -> Part<DNSQuestion>? {
        guard let name = name(), let type = number16(), let kind = number16() else { return nil }
        let key = RecordKey(name, RecordType(rawValue: type))
        // A question for any class is one for ours (255 in RFC 1035 section 3.2.5).
        guard [Self.internet, 255].contains(kind & ~Self.topBit) else { return Part(known: nil) }
        return Part(known: DNSQuestion(key, wantsUnicast: kind & Self.topBit != 0))
    }

    mutating func record() -> Part<ResourceRecord>? {
        guard let name = name(), let type = number16(), let kind = number16(), let lifetime = number32(),
            let count = number16().map({ Int($0) }), bytes.count - place >= count
        else { return nil }
        let end = place + count
        defer { place = end }
        guard kind & ~Self.topBit == Self.internet, let data = data(RecordType(rawValue: type), end) else {
            return Part(known: nil)
        }
        let record = ResourceRecord(
            name,
            data,
            // A lifetime is at most 31 bits long (RFC 2181 section 8).
            timeToLive: lifetime > UInt32(Int32.max) ? 0 : lifetime,
            flushes: kind & Self.topBit != 0
        )
        return Part(known: record)
    }

    private mutating func data(_ type: RecordType, _ end: Int) -> RecordData? {
        let rest = bytes[place..<end]
        switch type {
        case .a where rest.count == 4, .aaaa where rest.count == 16:
            return IPAddress(bytes: rest).map { .address($0) }
        case .a, .aaaa: return nil
        case .pointer: return name(within: end).map { .pointer($0) }
        case .service:
            guard let priority = number16(), let weight = number16(), let port = number16(),
                let target = name(within: end)
            else { return nil }
            return .service(priority: priority, weight: weight, port: port, target: target)
        case .text: return Self.areStrings(rest) ? .text(Array(rest)) : nil
        case .next: return name(endsWithin: end).flatMap { next($0, end) }
        default: return .other(type, Array(rest))
        }
    }

    /// The bits of the first window, the only one that multicast DNS uses.
    private mutating func next(_ name: DomainName, _ end: Int) -> RecordData? {
        let rest = bytes[place..<end]
        guard !rest.isEmpty else { return .next(name, types: []) }
        guard rest.count >= 3, rest[place] == 0, (1...32).contains(rest[place + 1]),
            rest.count == 2 + Int(rest[place + 1])
        else { return nil }
        var types: [UInt8] = []
        for (index, byte) in rest.dropFirst(2).enumerated() {
            for bit in 0..<8 where byte & (0x80 >> UInt8(bit)) != 0 { types.append(UInt8(index * 8 + bit)) }
        }
        return .next(name, types: types)
    }

    /// Whether bytes are strings behind their lengths, at least one; no bytes at all count as one that is empty.
    private static func areStrings(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while let count = rest.popFirst() {
            guard rest.count >= count else { return false }
            rest = rest.dropFirst(Int(count))
        }
        return true
    }

    // MARK: Names

    /// A name that takes all bytes up to the end.
    private mutating func name(within end: Int) -> DomainName? {
        name(endsWithin: end).flatMap { place == end ? $0 : nil }
    }

    /// A name whose own bytes end before the end, or there.
    private mutating func name(endsWithin end: Int) -> DomainName? {
        name().flatMap { place <= end ? $0 : nil }
    }

    /// A name, whose end may stand further to the front.
    ///
    /// Each pointer leads before the place where the last one has led, so that there is an end; and a name has no more pointers than labels.
    private mutating func name() -> DomainName? {
        var labels: [[UInt8]] = []
        var count = 1
        var at = place
        var limit = place
        var end: Int?
        var pointers = 0
        while at < bytes.count {
            let length = Int(bytes[at])
            switch length {
            case 0:
                place = end ?? at + 1
                return DomainName(labels)
            case 1...DomainName.mostLabelBytes:
                count += 1 + length
                guard bytes.count - at > length, count <= DomainName.mostBytes else { return nil }
                labels.append(Array(bytes[at + 1...at + length]))
                at += 1 + length
            case 0xC0...:
                guard bytes.count - at >= 2 else { return nil }
                let target = (length & 0x3F) << 8 | Int(bytes[at + 1])
                pointers += 1
                guard target < limit, pointers <= DomainName.mostBytes / 2 else { return nil }
                end = end ?? at + 2
                (at, limit) = (target, target)
            default: return nil
            }
        }
        return nil
    }
}
