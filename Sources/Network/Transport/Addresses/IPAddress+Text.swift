extension IPAddress: LosslessStringConvertible {
    /// Reads `192.0.2.1`, or what RFC 4291 section 2.2 allows for IPv6, with a zone after `%` if there is one.
    ///
    /// IPv4 has four decimal numbers without leading zeros, which some systems take for octal.
    public init?(_ text: String) {
        // Most names end here.
        guard let first = text.utf8.first, first == UInt8(ascii: ":") || Self.isHexDigit(first) else {
            return nil
        }
        var address = text[...]
        var zone: String?
        if let percent = text.utf8.firstIndex(of: UInt8(ascii: "%")) {
            address = text[..<percent]
            let name = text[text.utf8.index(after: percent)...]
            guard !name.isEmpty, !name.contains("%"), name.utf8.count <= 64 else { return nil }
            zone = String(name)
        }
        if address.utf8.contains(UInt8(ascii: ":")) {
            guard let bits = Self.readV6(address) else { return nil }
            self.init(version: .v6, bits: bits, zone: zone)
        } else {
            guard zone == nil, let bits = Self.readV4(address) else { return nil }
            self.init(version: .v4, bits: UInt128(bits))
        }
    }

    /// IPv4 in decimal numbers; IPv6 as RFC 5952 recommends, with its zone.
    public var description: String {
        switch version {
        case .v4: Self.dotted(bits)
        case .v6: zone.map { "\(Self.compressed(bits))%\($0)" } ?? Self.compressed(bits)
        }
    }

    // MARK: Reading

    private static func readV4(_ text: Substring) -> UInt32? {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var bits: UInt32 = 0
        for part in parts {
            guard (1...3).contains(part.count), part.allSatisfy({ (0x30...0x39).contains($0) }),
                part.count == 1 || part.first != UInt8(ascii: "0"), let byte = UInt8(Substring(part))
            else { return nil }
            bits = bits << 8 | UInt32(byte)
        }
        return bits
    }

    private static func readV6(_ text: Substring) -> UInt128? {
        guard let gap = text.firstRange(of: "::") else {
            guard let groups = readGroups(text, mayEndInV4: true), groups.count == 8 else { return nil }
            return join(groups)
        }
        guard let head = readGroups(text[..<gap.lowerBound], mayEndInV4: false),
            let tail = readGroups(text[gap.upperBound...], mayEndInV4: true),
            // A gap stands for at least one group of zeros.
            head.count + tail.count <= 7
        else { return nil }
        return join(head + [UInt16](repeating: 0, count: 8 - head.count - tail.count) + tail)
    }

    /// Groups of hexadecimal digits; the last two may be written as an IPv4 address.
    private static func readGroups(_ text: Substring, mayEndInV4: Bool) -> [UInt16]? {
        if text.isEmpty { return [] }
        var groups: [UInt16] = []
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if mayEndInV4, index == parts.count - 1, part.contains(".") {
                guard let v4 = readV4(part) else { return nil }
                groups += [UInt16(v4 >> 16), UInt16(v4 & 0xFFFF)]
            } else {
                guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy(isHexDigit),
                    let group = UInt16(part, radix: 16)
                else { return nil }
                groups.append(group)
            }
        }
        return groups
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
        default: false
        }
    }

    private static func join(_ groups: [UInt16]) -> UInt128 {
        groups.reduce(0) { $0 << 16 | UInt128($1) }
    }

    // MARK: Printing

    private static func dotted(_ bits: UInt128) -> String {
        [24, 16, 8, 0].map { String(UInt8(truncatingIfNeeded: bits >> $0)) }.joined(separator: ".")
    }

    private static func compressed(_ bits: UInt128) -> String {
        // RFC 5952 section 5: mapped addresses end in an IPv4 one.
        if bits >> 32 == 0xFFFF { return "::ffff:\(dotted(bits))" }
        let groups = stride(from: 112, through: 0, by: -16).map { UInt16(truncatingIfNeeded: bits >> $0) }
        let gap = longestRunOfZeros(groups)
        func text(_ range: Range<Int>) -> String {
            groups[range].map { String($0, radix: 16) }.joined(separator: ":")
        }
        return gap.isEmpty ? text(0..<8) : "\(text(0..<gap.lowerBound))::\(text(gap.upperBound..<8))"
    }

    /// The first of the longest runs of at least two groups (RFC 5952 section 4.2).
    private static func longestRunOfZeros(_ groups: [UInt16]) -> Range<Int> {
        var longest = 0..<0
        var start: Int?
        for index in 0...groups.count {
            if index < groups.count, groups[index] == 0 {
                start = start ?? index
            } else if let first = start {
                if index - first > max(longest.count, 1) { longest = first..<index }
                start = nil
            }
        }
        return longest
    }
}
