/// How soon a new name is tried after conflicts: many in a short time mean that somebody answers for everything (RFC 6762 section 8.1).
struct ConflictPace: Sendable {
    private static let most = 15
    private static let period = Duration.seconds(10)
    private static let pause = Duration.seconds(5)

    private var recent: [ContinuousClock.Instant] = []

    /// Notes a conflict.
    ///
    /// - Returns: How long to wait before the next probe.
    mutating func note(at now: ContinuousClock.Instant) -> Duration {
        recent.removeAll { now - $0 > Self.period }
        recent.append(now)
        if recent.count > Self.most { recent.removeFirst() }
        return recent.count >= Self.most ? Self.pause : .zero
    }
}
