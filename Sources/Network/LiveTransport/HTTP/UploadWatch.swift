import Synchronization
import Transport

/// How far one request has come, and how long it may still stand still.
///
/// The connection pool asks for the body's first chunk once the request's head is on its way, and for each further one
/// when the socket takes more.
final class UploadWatch: Sendable {
    /// What the request waits for.
    private enum Phase {
        /// A connection.
        case connecting
        /// A connection and the answer: of a request without a body, HTTP/2 does not say when it has the first.
        case connectingOrAnswer
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

    /// The making of the body's next chunk.
    private struct Making {
        var task: Task<[UInt8]?, any Error>?
        var isAbandoned = false
    }

    private let limits: HTTPLimits
    private let hasBody: Bool
    private let mayShareConnection: @Sendable () -> Bool
    private let state: Mutex<State>
    private let making = Mutex(Making())

    /// - Parameter mayShareConnection: Whether the request may be one of several on a connection of HTTP/2.
    init(_ limits: HTTPLimits, hasBody: Bool, mayShareConnection: @escaping @Sendable () -> Bool) {
        self.limits = limits
        self.hasBody = hasBody
        self.mayShareConnection = mayShareConnection
        state = Mutex(State(deadline: .now + limits.connect))
    }

    /// The request has its connection.
    func connects() {
        state.withLock { state in
            switch state.phase {
            case .connecting, .connectingOrAnswer:
                // The body's first chunk is asked for next, where there is a body.
                state =
                    hasBody
                    ? State(phase: .sending, deadline: .now + limits.progress)
                    : State(phase: .answer, deadline: .now + limits.head)
            case .sending, .producing, .answer: break
            }
        }
    }

    /// The pool has room for a chunk, which the body makes now.
    func produces() { state.withLock { $0 = State(phase: .producing, deadline: nil) } }

    /// A chunk goes to the pool.
    func sends() { state.withLock { $0 = State(phase: .sending, deadline: .now + limits.progress) } }

    /// The last chunk has gone.
    func ended() { state.withLock { $0 = State(phase: .answer, deadline: .now + limits.head) } }

    /// Makes a chunk in a task of its own, which ``abandon()`` cancels.
    ///
    /// The pool reads bodies in tasks that it neither hands out nor cancels.
    func chunk(_ make: @escaping @Sendable () async throws -> [UInt8]?) async throws -> [UInt8]? {
        let task = making.withLock { making -> Task<[UInt8]?, any Error>? in
            if making.isAbandoned { return nil }
            let task = Task { try await make() }
            making.task = task
            return task
        }
        guard let task else { throw CancellationError() }
        defer { making.withLock { $0.task = nil } }
        return try await task.value
    }

    /// The request has ended without an answer: nothing more of the body is wanted.
    func abandon() {
        let task = making.withLock { making in
            making.isAbandoned = true
            return making.task.take()
        }
        task?.cancel()
    }

    /// Whether the request waits for a connection, and nothing of it has left.
    var isConnecting: Bool { !mayHaveLeft }

    /// Whether something of the request may have left.
    var mayHaveLeft: Bool {
        state.withLock { $0.phase } != .connecting || (!hasBody && mayShareConnection())
    }

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
                if state.phase == .connecting, !hasBody, mayShareConnection() {
                    state = State(phase: .connectingOrAnswer, deadline: deadline + limits.head)
                    return nil
                }
                return state.phase
            }
            if let late { return words(late) }
        }
    }

    private func words(_ phase: Phase) -> String {
        switch phase {
        case .connecting: "no connection within \(limits.connect)"
        case .connectingOrAnswer: "no response head within \(limits.connect + limits.head)"
        case .sending, .producing: "the server took nothing of the body for \(limits.progress)"
        case .answer: "no response head within \(limits.head)"
        }
    }
}
