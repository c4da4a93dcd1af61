public import HTTPTypes

extension HTTPFields {
    /// How long the server asks its client to wait before the next request, or `nil` if it does not say so legibly.
    ///
    /// Seconds or a date (RFC 9110 section 10.2.3). A date is compared with the answer's own `Date`, so that a wrong
    /// clock on this side does not matter, and with the wall clock where there is none. Times in the past are zero,
    /// and numbers too large for a `Duration` the largest that it holds.
    public var retryAfter: Duration? {
        guard let text = self[.retryAfter]?.trimmed, !text.isEmpty else { return nil }
        if text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            return .seconds(Int64(text) ?? .max)
        }
        guard let then = HTTPDate.seconds(text) else { return nil }
        let now = self[.date].flatMap { HTTPDate.seconds($0) } ?? HTTPDate.seconds(HTTPDate.now()) ?? then
        return .seconds(Swift.max(0, then - now))
    }
}

extension String {
    /// Without the optional white space around a field's value.
    fileprivate var trimmed: String {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        let start = drop { isSpace($0) }
        return String(start.reversed().drop { isSpace($0) }.reversed())
    }
}
