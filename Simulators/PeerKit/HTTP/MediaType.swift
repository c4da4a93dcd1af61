/// A media type, as a `Content-Type` says it.
public struct MediaType: Sendable, Hashable {
    /// As it came.
    public let text: String
    /// `type/subtype`, in small letters.
    public let essence: String

    /// Reads a media type, or returns `nil` when the text is none.
    public init?(_ text: String) {
        guard text.utf8.count <= 255 else { return nil }
        let essence = text.prefix { $0 != ";" }.lowercased()
        let parts = essence.split(separator: "/", omittingEmptySubsequences: false)
            .map { $0.drop { $0 == " " } }
        guard parts.count == 2 else { return nil }
        var trimmed = parts.map { String($0) }
        while trimmed[1].last == " " { trimmed[1].removeLast() }
        guard trimmed.allSatisfy({ Self.isToken($0) }) else { return nil }
        self.text = text
        self.essence = trimmed.joined(separator: "/")
    }

    /// Whether a list admits it; an entry is `type/subtype`, `type/*` or `*/*`.
    ///
    /// A list that is absent or empty admits all.
    public func isAdmitted(by patterns: [String]?) -> Bool {
        guard let patterns, !patterns.isEmpty else { return true }
        return patterns.contains { pattern in
            let pattern = pattern.lowercased()
            return pattern == essence || pattern == "*/*"
                || (pattern.hasSuffix("/*") && essence.hasPrefix(pattern.dropLast()))
        }
    }

    /// RFC 9110 section 5.6.2.
    private static func isToken(_ text: String) -> Bool {
        let marks = Set("!#$%&'*+-.^_`|~".utf8)
        return !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: marks.contains(byte)
                }
            }
    }
}
