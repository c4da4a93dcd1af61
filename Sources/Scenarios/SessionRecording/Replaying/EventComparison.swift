public import Simulation
import Synchronization

/// Compares the events of a simulated run with recorded ones while they happen.
public final class EventComparison: Sendable {
    private let recorded: [TraceEvent]
    private let isWhole: Bool
    private let next = Mutex(0)
    private let comparison: Comparison

    /// Compares with `recorded`.
    ///
    /// - Parameters:
    ///   - recorded: The events in their order.
    ///   - isWhole: Whether the recording reached its end; otherwise more may happen than it has.
    ///   - comparison: What the first difference is added to.
    public init(_ recorded: [TraceEvent], isWhole: Bool = true, comparison: Comparison) {
        self.recorded = recorded
        self.isWhole = isWhole
        self.comparison = comparison
    }

    /// Compares the next event.
    public func check(_ event: TraceEvent) {
        let index = next.withLock { next in
            defer { next += 1 }
            return next
        }
        guard index < recorded.count || isWhole else { return }
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
    ///
    /// - Parameter until: The time, in nanoseconds, at which the run was ended; `nil` when it reached its end.
    public func finish(until: Int64? = nil) {
        let count = next.withLock { $0 }
        guard count < recorded.count, recorded[count].nanoseconds <= until ?? .max else { return }
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
