import ArgumentParser
import SessionRecording

/// How fast the rows of a recording are shown: `1x`, `0.5x`, `16`, or `max` for none of them.
enum ReplaySpeed: ExpressibleByArgument {
    /// Nothing is shown but the outcome.
    case outcomeAlone
    /// Each row at its time, so many times as fast as it was recorded.
    case times(Double)

    /// From a recording of an hour in a second to a second of it in an hour.
    private static let range = 1 / 3_600.0...3_600

    var defaultValueDescription: String { "max" }

    init?(argument: String) {
        if argument == "max" {
            self = .outcomeAlone
            return
        }
        let number = argument.hasSuffix("x") ? argument.dropLast() : argument[...]
        guard let times = Double(number), Self.range.contains(times) else { return nil }
        self = .times(times)
    }
}

/// Rows of a recording, each at its time.
struct PacedRows {
    private var entries: SessionEntries
    private var view: EntryView
    private let times: Double
    /// What is shown at once, in nanoseconds since the session's start.
    private let first: Int64

    /// Takes the rows of a recording.
    ///
    /// - Parameters:
    ///   - session: The recording.
    ///   - end: The last time that is shown, in nanoseconds since the session's start.
    ///   - times: How many times as fast as it was recorded.
    ///   - view: Where they are shown.
    init(_ session: SessionReader, until end: Int64, times: Double, in view: EntryView) throws {
        first = Int64((try session.keptPart()?.start ?? .zero) / .nanoseconds(1))
        var filter = SessionFilter()
        filter.times = 0...max(end, 0)
        entries = SessionEntries(session, filter, excerpt: EntryView.excerpt)
        (self.view, self.times) = (view, times)
    }

    /// Shows them, from now on.
    mutating func show() async throws {
        let start = ContinuousClock.now
        while let entry = try entries.next() {
            let passed = Duration.nanoseconds(max(entry.nanoseconds - first, 0)) / times
            try await Task.sleep(until: start + passed, clock: .continuous)
            try view.show(entry)
        }
    }
}
