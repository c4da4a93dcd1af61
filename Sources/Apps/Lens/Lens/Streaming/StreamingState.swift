public import Services

/// Where a stream stands.
public struct StreamingState: Sendable, Hashable {
    /// The steps of a stream's life.
    public enum Phase: Sendable, Hashable {
        case idle
        /// The first session is being opened.
        case connecting
        /// A session is open and pictures go out.
        case streaming
        /// The session was lost; `attempt` counts from 1, and 0 is a planned change of session.
        case reconnecting(attempt: Int)
        case stopping
    }

    /// The present step.
    public internal(set) var phase: Phase = .idle
    /// Why the last session was lost or refused; kept until a session is open again.
    public internal(set) var error: LiveModelError?
    /// Why the last question has no answer, though the session goes on; `nil` once the model speaks
    /// again, the user says something, or the stream ends.
    public internal(set) var refusal: LiveModelError?

    /// Creates the state before any stream.
    public init() {}

    /// Whether a session is open.
    public var isConnected: Bool { phase == .streaming }
    /// Whether the stream was started and has not ended, reconnecting included.
    public var isStreaming: Bool {
        switch phase {
        case .streaming, .reconnecting: true
        case .idle, .connecting, .stopping: false
        }
    }
}
