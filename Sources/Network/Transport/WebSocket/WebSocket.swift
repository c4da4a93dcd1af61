/// One side of an open WebSocket connection.
///
/// Pings from the peer are answered without the caller. Any task may send; one task at a time receives.
public protocol WebSocket: Sendable {
    /// Sends one whole message, in order; returns when the transport has room for more.
    ///
    /// - Throws: `closed` or `reset` once the connection has ended, `cancelled`.
    func send(text: String) async throws(TransportError)

    /// Sends one whole binary message; as ``send(text:)``.
    func send(binary: [UInt8]) async throws(TransportError)

    /// Sends a ping and waits for its pong.
    ///
    /// - Throws: `timedOut` when no pong comes within `timeout`; `closed`, `reset`, `cancelled`.
    func ping(timeout: Duration) async throws(TransportError)

    /// Waits for the next message, or for the end of the conversation.
    ///
    /// A lost connection is `.closed` with code 1006, not an error.
    ///
    /// - Throws: `cancelled` only.
    func receive() async throws(TransportError) -> WebSocketEvent

    /// Starts the closing handshake, and waits for its end for a bounded time; harmless when repeated.
    ///
    /// With ``WebSocketClose/abnormal`` the connection is cut without a close frame, as a crash would.
    func close(_ close: WebSocketClose) async
}
