import Simulation
import Synchronization

/// The services of the device in a replay, by what a recording over real sockets has of them.
public final class DeviceReplay: DeviceServices {
    private let session: SessionReader
    private let events: [String: [TraceEvent]]
    private let clock: SessionClock
    private let comparison: Comparison
    /// What is left to compare at the end, by service.
    private let finishing = Mutex<[String: @Sendable (_ end: Int64?) -> Void]>([:])

    /// Prepares to play the calls of a recording.
    ///
    /// - Parameters:
    ///   - session: The recording.
    ///   - clock: The times of the replay.
    ///   - comparison: What differences are added to.
    /// - Throws: ``SessionError/damaged(path:detail:)``.
    public init(
        _ session: SessionReader,
        clock: SessionClock,
        comparison: Comparison
    ) throws(SessionError) {
        events = Dictionary(grouping: try session.events(), by: \.kind)
        (self.session, self.clock, self.comparison) = (session, clock, comparison)
    }

    /// Replays the calls of one kind; once in a replay for each.
    ///
    /// - Throws: ``SessionError/damaged(path:detail:)`` where the recording has a call that is none of the kind.
    public func calls<Request, Reply>(
        _ kind: DeviceCall<Request, Reply>
    ) throws(SessionError) -> any DeviceCalls<Request, Reply> {
        let replayer = try DeviceCallReplayer(
            kind,
            events: events[kind.service] ?? [],
            of: session,
            clock: clock,
            comparison: comparison
        )
        finishing.withLock { $0[kind.service] = { replayer.finish(until: $0) } }
        return replayer
    }

    /// Notes the first call of each service that the replay has not made.
    ///
    /// - Parameter end: The time up to which it had to, in nanoseconds since the start; `nil` for all.
    public func finish(until end: Int64? = nil) {
        let finishing = finishing.withLock { $0 }
        for (service, events) in events.sorted(by: { $0.key < $1.key }) {
            if let finish = finishing[service] {
                finish(end)
            } else if events[0].nanoseconds <= end ?? .max {
                comparison.differs(
                    Difference(
                        nanoseconds: events[0].nanoseconds,
                        place: "calls of \(service)",
                        recorded: "\(events.count)",
                        replayed: "none"
                    )
                )
            }
        }
    }
}
