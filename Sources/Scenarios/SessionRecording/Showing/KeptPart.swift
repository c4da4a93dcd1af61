/// Which part of a session a recording has that was limited to its last minutes.
public struct KeptPart: Sendable, Hashable, CustomStringConvertible {
    /// From when on it has everything, since the session's start.
    public var start: Duration
    /// How long the session took, as far as it was recorded.
    public var total: Duration

    /// Names a part.
    public init(start: Duration, total: Duration) { (self.start, self.total) = (start, total) }

    /// In words, such as `the last 10 min of 2 h 3 min`.
    public var description: String {
        "the last \(Self.words(max(.zero, total - start))) of \(Self.words(total))"
    }

    /// A length of time in its two largest units, such as `2 h 3 min`, or `12.5 s` for a short one.
    static func words(_ time: Duration) -> String {
        let tenths = Int((time / .milliseconds(100)).rounded())
        guard tenths >= 600 else {
            return units([(tenths / 10, tenths % 10 == 0 ? " s" : ".\(tenths % 10) s")])
        }
        let seconds = (tenths + 5) / 10
        guard seconds >= 3600 else { return units([(seconds / 60, " min"), (seconds % 60, " s")]) }
        let minutes = (seconds + 30) / 60
        return units([(minutes / 60, " h"), (minutes % 60, " min")])
    }

    private static func units(_ parts: [(Int, String)]) -> String {
        let first = parts.prefix(1)
        return (first + parts.dropFirst().filter { $0.0 > 0 }).map { "\($0.0)\($0.1)" }.joined(separator: " ")
    }
}

extension SessionReader {
    /// Which part of the session it has; `nil` where it has all of it, or all until it was cut off.
    ///
    /// - Throws: `damaged`.
    public func keptPart() throws(SessionError) -> KeptPart? {
        guard let keptFrom else { return nil }
        let total = if let outcome { outcome.nanoseconds } else { try lastMoment() }
        return KeptPart(start: .nanoseconds(keptFrom), total: .nanoseconds(total))
    }
}
