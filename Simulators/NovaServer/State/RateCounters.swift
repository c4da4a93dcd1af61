/// Counts calls against their limits.
///
/// Times are elapsed ones.
struct RateCounters {
    typealias Instant = ContinuousClock.Instant

    private struct Counter {
        var count: Int
        let end: Instant
    }

    /// Counters at a time, past which those of the longest past are forgotten.
    private static let most = 50_000

    private var counters: [String: Counter] = [:]

    /// Counts a call.
    ///
    /// - Returns: In how many seconds to come back, where there were enough already; `nil` where the call is within the limit.
    mutating func count(_ name: String, _ rate: NovaProject.Rate, at now: Instant) -> Int? {
        var counter = counters[name] ?? Counter(count: 0, end: now + .seconds(rate.seconds))
        if counter.end <= now { counter = Counter(count: 0, end: now + .seconds(rate.seconds)) }
        guard counter.count < rate.count else {
            let wait = counter.end - now
            return max(1, Int((wait / .seconds(1)).rounded(.up)))
        }
        counter.count += 1
        if counters.count >= Self.most { counters = counters.filter { $0.value.end > now } }
        // More people in one window than a simulation has: the count begins again.
        if counters.count >= Self.most { counters = [:] }
        counters[name] = counter
        return nil
    }
}
