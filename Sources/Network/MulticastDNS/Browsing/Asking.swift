/// When a question is asked: soon, then with growing gaps (RFC 6762 section 5.2).
struct Asking: Sendable {
    /// How long the first question waits, so that not all ask at once who were woken by the same event.
    private static let firstDelay = 0.020...0.120
    /// Between the first two questions; each further gap is twice as long.
    private static let firstGap = Duration.seconds(1)
    private static let longestGap = Duration.seconds(3_600)

    private(set) var next: ContinuousClock.Instant
    private var gap: Duration
    /// How often it was asked.
    private(set) var count = 0

    init(from now: ContinuousClock.Instant) {
        next = now + .seconds(.random(in: Self.firstDelay))
        gap = Self.firstGap
    }

    mutating func noteAsked(at now: ContinuousClock.Instant) {
        count += 1
        next = now + gap
        gap = min(gap * 2, Self.longestGap)
    }
}
