public import Simulation
import Synchronization

/// Compares the events of a simulated run with recorded ones while they happen.
public final class EventComparison: Sendable {
    private let recorded: [TraceEvent]
    private let next = Mutex(0)
    private let comparison: Comparison

    /// Compares with `recorded`.
    public init(_ recorded: [TraceEvent], comparison: Comparison) {
        self.recorded = recorded
        self.comparison = comparison
    }

    /// Compares the next event.
    public func check(_ event: TraceEvent) {
        let index = next.withLock { next in
            defer { next += 1 }
            return next
        }
        let expected = index < recorded.count ? recorded[index] : nil
        guard expected != event else { return comparison.same() }
        comparison.differs(
            Difference(
                nanoseconds: event.nanoseconds,
                place: "event \(index) on node \(event.node)",
                recorded: expected.map(Self.line) ?? "nothing more",
                replayed: Self.line(event)
            )
        )
    }

    /// Notes the first recorded event that did not happen again.
    public func finish() {
        let count = next.withLock { $0 }
        guard count < recorded.count else { return }
        comparison.differs(
            Difference(
                nanoseconds: recorded[count].nanoseconds,
                place: "event \(count) on node \(recorded[count].node)",
                recorded: Self.line(recorded[count]),
                replayed: "nothing more"
            )
        )
    }

    private static func line(_ event: TraceEvent) -> String {
        "step \(event.step), \(event.nanoseconds) ns, \(event.node): \(event.kind) \(event.detail)"
    }
}
