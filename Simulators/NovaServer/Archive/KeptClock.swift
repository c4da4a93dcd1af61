import Foundation

/// Elapsed times, and those of the calendar that outlive a process.
struct KeptClock: Sendable {
    private let instant = ContinuousClock.now
    private let date = Date()

    func date(of time: ContinuousClock.Instant) -> Date {
        date + instant.duration(to: time) / .seconds(1)
    }

    func instant(of time: Date) -> ContinuousClock.Instant {
        instant + .seconds(time.timeIntervalSince(date))
    }
}
