/// How many notifications a device may still get: so many in a row, and one more with each second.
struct Allowance: Sendable {
    private var left: Double
    private var counted: ContinuousClock.Instant
    private let burst: Double

    init(burst: Int, now: ContinuousClock.Instant) {
        self.burst = Double(max(burst, 1))
        (left, counted) = (self.burst, now)
    }

    /// Takes one, and says whether there was one.
    mutating func take(at now: ContinuousClock.Instant) -> Bool {
        left = min(burst, left + (now - counted) / .seconds(1))
        counted = now
        guard left >= 1 else { return false }
        left -= 1
        return true
    }
}
