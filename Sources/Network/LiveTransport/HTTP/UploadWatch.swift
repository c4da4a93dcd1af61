import Synchronization
import Transport

/// How far one request has come, and how long it may still stand still.
///
/// The connection pool asks for the body's first chunk once the request's head is on its way, and for each further one
/// when the socket takes more.
final class UploadWatch: Sendable {
    /// What the request waits for.
    private enum Phase {
        /// A connection, and for a request without a body the answer as well.
        case connecting
        /// The peer has to take a chunk.
        case sending
        /// The body makes its next chunk, which takes as long as it takes.
        case producing
        /// The head of the answer.
        case answer
    }

    private struct State {
        var phase = Phase.connecting
        var deadline: ContinuousClock.Instant?
    }

    private let limits: HTTPLimits
    private let hasBody: Bool
    private let state: Mutex<State>

    init(_ limits: HTTPLimits, hasBody: Bool) {
        self.limits = limits
        self.hasBody = hasBody
        // The pool does not say when a request without a body has left.
        let first = hasBody ? limits.connect : limits.connect + limits.head
        state = Mutex(State(deadline: .now + first))
    }

    /// The pool has room for a chunk, which the body makes now.
    func produces() { state.withLock { $0 = State(phase: .producing, deadline: nil) } }

    /// A chunk goes to the pool.
    func sends() { state.withLock { $0 = State(phase: .sending, deadline: .now + limits.progress) } }

    /// The last chunk has gone.
    func ended() { state.withLock { $0 = State(phase: .answer, deadline: .now + limits.head) } }

    /// Whether something of the request may have left.
    var mayHaveLeft: Bool { state.withLock { $0.phase != .connecting } || !hasBody }

    /// Waits until the request has stood still for too long, and says what did not happen.
    func expiry() async throws -> String {
        // No deadline that is set while this sleeps comes earlier than the shortest limit from now.
        let step = max(min(limits.connect, limits.progress, limits.head), .milliseconds(1))
        while true {
            let next = ContinuousClock.now + step
            let deadline = state.withLock { $0.deadline } ?? next
            try await Task.sleep(until: min(deadline, next), clock: .continuous)
            let late = state.withLock { state -> Phase? in
                guard let deadline = state.deadline, deadline <= .now else { return nil }
                return state.phase
            }
            if let late { return words(late) }
        }
    }

    private func words(_ phase: Phase) -> String {
        switch phase {
        case .connecting where hasBody: "no connection within \(limits.connect)"
        case .connecting: "no response head within \(limits.connect + limits.head)"
        case .sending, .producing: "the server took nothing of the body for \(limits.progress)"
        case .answer: "no response head within \(limits.head)"
        }
    }
}
