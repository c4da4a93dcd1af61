import Foundation
package import Simulation
import Synchronization

/// The services of a recorded device for a program that calls them in another order, or at other times.
package struct AnsweringDevice: DeviceServices {
    private let path: String
    private let events: [String: [TraceEvent]]
    private let clock: SessionClock
    private let delay: @Sendable (_ call: String) -> Duration

    /// Prepares to answer.
    ///
    /// - Parameters:
    ///   - path: Where the recording lies.
    ///   - events: Its events.
    ///   - clock: Time since the session's start.
    ///   - delay: How much later than in the recording a call returns, by what it asks.
    package init(
        path: String,
        events: [TraceEvent],
        clock: SessionClock,
        delay: @escaping @Sendable (_ call: String) -> Duration
    ) {
        self.path = path
        self.events = Dictionary(grouping: events, by: \.kind)
        (self.clock, self.delay) = (clock, delay)
    }

    /// Answers the calls of one kind.
    package func calls<Request, Reply>(
        _ kind: DeviceCall<Request, Reply>
    ) throws(SessionError) -> any DeviceCalls<Request, Reply> {
        let events = events[kind.service] ?? []
        return AnsweringCalls(try kind.recorded(in: events, of: path), clock: clock, delay: delay)
    }
}

/// Returns from each call with what the device returned from the first like it that is left, or from the last.
///
/// A call returns when it did in the recording, whose calls depend on what the user said and when, or at once where that has passed.
private final class AnsweringCalls<
    Request: Codable & Hashable & Sendable & CustomStringConvertible,
    Reply: Codable & Sendable
>: DeviceCalls {
    private struct State {
        /// The numbers of the calls that were not made again yet.
        var left: Set<Int>
        var last: [Request: Int] = [:]
    }

    private enum Match {
        case new(DeviceCall<Request, Reply>.Returned)
        /// It was answered before.
        case again(Reply)
        /// It never returned.
        case open
        case none
    }

    private let calls: [Int: DeviceCall<Request, Reply>.Returned]
    private let clock: SessionClock
    private let delay: @Sendable (_ call: String) -> Duration
    private let state: Mutex<State>

    /// What a device needs to be asked once more than it was: a program that asks again and again would never let time pass.
    private static var repeatTime: Duration { .seconds(1) }

    init(
        _ calls: [Int: DeviceCall<Request, Reply>.Returned],
        clock: SessionClock,
        delay: @escaping @Sendable (_ call: String) -> Duration
    ) {
        self.calls = calls
        (self.clock, self.delay) = (clock, delay)
        state = Mutex(State(left: Set(0..<(calls.keys.max() ?? -1) + 1)))
    }

    func call(
        _ request: Request,
        device: @escaping @concurrent @Sendable () async -> Reply
    ) async -> Reply? {
        do {
            switch match(request) {
            case .none: return nil
            case .open:
                await Silence.wait()
                return nil
            case .again(let reply):
                try await Task.sleep(for: Self.repeatTime)
                return reply
            case .new(let call):
                try await clock.sleep(until: call.end + Int64(delay(request.description) / .nanoseconds(1)))
                return call.recorded.reply
            }
        } catch { return nil }
    }

    func ask(_ request: Request, device: () -> Reply) -> Reply? {
        switch match(request) {
        case .new(let call): call.recorded.reply
        case .again(let reply): reply
        case .open, .none: nil
        }
    }

    private func match(_ request: Request) -> Match {
        state.withLock { state in
            let same = state.left.filter { calls[$0]?.recorded.request == request }.min()
            if let same, let call = calls[same] {
                state.left.remove(same)
                state.last[request] = same
                return .new(call)
            }
            if let open = state.left.filter({ calls[$0] == nil }).min() {
                state.left.remove(open)
                return .open
            }
            return state.last[request].flatMap { calls[$0] }.map { .again($0.recorded.reply) } ?? .none
        }
    }
}
