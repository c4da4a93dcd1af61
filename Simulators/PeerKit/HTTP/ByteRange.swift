/// One range of bytes, as a `Range` header asks for it (RFC 9110 section 14.1.2).
public enum ByteRange {
    /// The offsets meant, cut to the content.
    ///
    /// - Returns: `nil` when it cannot be satisfied: several ranges, no range, past the end, an empty content.
    public static func parse(_ header: String, size: Int) -> Range<Int>? {
        guard header.hasPrefix("bytes=") else { return nil }
        let sides = header.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard sides.count == 2, size > 0 else { return nil }
        func number(_ text: Substring) -> Int? {
            text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
        }
        if sides[0].isEmpty {
            guard let length = number(sides[1]), length > 0 else { return nil }
            return max(0, size - length)..<size
        }
        guard let first = number(sides[0]), first < size else { return nil }
        if sides[1].isEmpty { return first..<size }
        guard let last = number(sides[1]), last >= first else { return nil }
        return first..<(min(last, size - 1) + 1)
    }
}
