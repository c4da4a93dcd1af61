extension Duration {
    /// Reads seconds with up to nine decimals and an `s`: `50s`, `1.5s` (protobuf's JSON form of a duration).
    ///
    /// The bound of 315,576,000,000 s is protobuf's own.
    package init?(protobufJSON text: String) {
        guard text.last == "s" else { return nil }
        let parts = text.dropLast().split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, let seconds = Self.digits(whole), seconds <= 315_576_000_000 else {
            return nil
        }
        var nanoseconds = 0
        if parts.count == 2 {
            guard parts[1].count <= 9, let fraction = Self.digits(parts[1]) else { return nil }
            nanoseconds = (parts[1].count..<9).reduce(fraction) { value, _ in value * 10 }
        }
        self = .seconds(seconds) + .nanoseconds(nanoseconds)
    }

    private static func digits(_ text: Substring) -> Int? {
        text.allSatisfy { ("0"..."9").contains($0) } ? Int(text) : nil
    }
}
