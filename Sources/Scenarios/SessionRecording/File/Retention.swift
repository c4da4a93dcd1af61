/// What a recording keeps of what happens.
public struct Retention: Sendable, Hashable {
    /// How long before the newest moment the recording begins; `nil` for one that keeps all from its start.
    ///
    /// One of ``lengths``.
    public var last: Duration?

    /// From the start of the session on, whatever it takes.
    public static let all = Retention()

    /// The lengths of time that a recording can be limited to.
    public static let lengths: ClosedRange<Duration> = .seconds(1) ... .seconds(24 * 3600)

    /// Decides what is kept.
    ///
    /// - Parameter last: How long before the newest moment the recording begins, one of ``lengths``; `nil` to keep all.
    public init(last: Duration? = nil) {
        precondition(last.map(Self.lengths.contains) ?? true, "a recording keeps 1 s to 24 h, or all")
        self.last = last
    }
}
