import Simulation
import Synchronization

/// A service of the device that returns from each call when it did in the recording, and with what it did.
///
/// Calls are matched by what they ask, and in order only among equals.
public final class DeviceCallReplayer<
    Request: Codable & Hashable & Sendable & CustomStringConvertible,
    Reply: Codable & Sendable
>: DeviceCalls {
    private typealias Call = DeviceCall<Request, Reply>.Returned

    /// What a call of the replay finds in the recording.
    private enum Match {
        case returned(Call)
        /// It never returned, or the recording stops before.
        case open
        case none
    }

    private struct State {
        var made = 0
        /// The numbers of the calls that were not made again yet.
        var left: Set<Int>
    }

    private let kind: DeviceCall<Request, Reply>
    private let calls: [Int: Call]
    /// Numbers from here on were not given in the recording.
    private let count: Int
    private let clock: SessionClock
    private let comparison: Comparison
    private let state: Mutex<State>

    /// Reads the calls of one kind, as ``DeviceReplay`` has them.
    init(
        _ kind: DeviceCall<Request, Reply>,
        events: [TraceEvent],
        of session: SessionReader,
        clock: SessionClock,
        comparison: Comparison
    ) throws(SessionError) {
        calls = try kind.recorded(in: events, of: session.path)
        count = (calls.keys.max() ?? -1) + 1
        state = Mutex(State(left: Set(0..<count)))
        (self.kind, self.clock, self.comparison) = (kind, clock, comparison)
    }

    /// Returns when the recorded call did, with its reply.
    public func call(
        _ request: Request,
        device: @escaping @concurrent @Sendable () async -> Reply
    ) async -> Reply? {
        switch match(request) {
        case .none: return nil
        case .open:
            try? await Task.sleep(for: .seconds(86_400))
            return nil
        case .returned(let call):
            // Cancellation had its effect in the recording, at this time.
            let sleep = Task { [clock] in try await clock.sleep(until: call.end) }
            _ = await sleep.result
            return call.recorded.reply
        }
    }

    /// The recorded answer, at once.
    public func ask(_ request: Request, device: () -> Reply) -> Reply? {
        if case .returned(let call) = match(request) { call.recorded.reply } else { nil }
    }

    /// Notes the first call of the recording that the replay has not made, of those that returned up to a time; of all for `nil`.
    func finish(until end: Int64?) {
        let left = state.withLock { $0.left }
        let due = left.filter { number in end.map { calls[number].map(\.end) ?? .max <= $0 } ?? true }
        guard let number = due.min() else { return }
        differs(
            number,
            recorded: calls[number]?.recorded.request.description ?? "a call",
            replayed: "nothing more"
        )
    }

    // MARK: Matching

    private func match(_ request: Request) -> Match {
        let (number, found) = state.withLock { state in
            defer { state.made += 1 }
            let found = find(request, state)
            if let found { state.left.remove(found) }
            return (state.made, found)
        }
        guard let found else {
            // A call that had not returned by then has left nothing in a recording that was cut off.
            let further = difference(number, recorded: "nothing more", replayed: request.description)
            return comparison.exceeds(further) ? .none : .open
        }
        guard let call = calls[found] else { return .open }
        if call.recorded.request == request {
            comparison.same()
        } else {
            differs(found, recorded: call.recorded.request.description, replayed: request.description)
        }
        return .returned(call)
    }

    /// The call of that place where it is the same or never returned, else the first that is the same, else that of the place.
    private func find(_ request: Request, _ state: State) -> Int? {
        let isLeft = state.left.contains(state.made)
        if isLeft, calls[state.made].map({ $0.recorded.request == request }) ?? true { return state.made }
        let same = state.left.filter { calls[$0]?.recorded.request == request }.min()
        return same ?? (isLeft ? state.made : state.left.filter { calls[$0] == nil }.min())
    }

    private func differs(_ number: Int, recorded: String, replayed: String) {
        comparison.differs(difference(number, recorded: recorded, replayed: replayed))
    }

    private func difference(_ number: Int, recorded: String, replayed: String) -> Difference {
        Difference(
            nanoseconds: clock.nanoseconds,
            place: "call \(number) of \(kind.title)",
            recorded: recorded,
            replayed: replayed
        )
    }
}
