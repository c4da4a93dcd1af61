public import HTTPTypes

/// Opens WebSocket connections.
public protocol WebSocketClient: Sendable {
    /// Connects, sends the upgrade request and waits for its answer.
    ///
    /// - Parameters:
    ///   - request: Scheme `ws` or `wss`, authority, path, and any header fields to add.
    ///   - limits: Bounds for what comes in.
    ///   - timeout: The longest wait for the open connection.
    /// - Throws: `upgradeRefused` with the HTTP status; `refused`, `unreachable`, `timedOut`, `reset`,
    ///   `certificateRejected`, `cancelled`.
    func connect(
        _ request: HTTPRequest,
        limits: WebSocketLimits,
        timeout: Duration
    ) async throws(TransportError) -> any WebSocket
}
