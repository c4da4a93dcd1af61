/// One side of an open WebSocket connection.
///
/// Pings from the peer are answered without the caller. Any task may send; one task at a time receives.
public protocol WebSocket: Sendable {
    /// The subprotocol that the server chose in the handshake (RFC 6455 section 1.9), if any.
    var subprotocol: String? { get }

    /// Sends one whole message, in order; returns when the transport has room for more.
    ///
    /// - Throws: `closed` or `reset` once the connection has ended, `cancelled`.
    func send(text: String) async throws(TransportError)

    /// Sends one whole text message given as UTF-8; as ``send(text:)``, without the copy into a `String`.
    ///
    /// - Throws: As ``send(text:)``; `protocolViolation` when the bytes are not UTF-8, and then nothing is sent.
    func send(utf8: [UInt8]) async throws(TransportError)

    /// Sends one whole binary message; as ``send(text:)``.
    func send(binary: [UInt8]) async throws(TransportError)

    /// Sends a ping and waits for its pong.
    ///
    /// A pong behind messages that this side has no room for is not seen before they are read; see ``WebSocketLimits``.
    ///
    /// - Throws: `timedOut` when no pong comes within `timeout`; `closed`, `reset`, `cancelled`.
    func ping(timeout: Duration) async throws(TransportError)

    /// Waits for the next message, or for the end of the conversation.
    ///
    /// A lost connection is `.closed` with code 1006, not an error. What came before the end is received first,
    /// however late it is asked for.
    ///
    /// - Throws: `cancelled` only.
    func receive() async throws(TransportError) -> WebSocketEvent

    /// Waits for the next message as ``receive()`` does, and leaves text in bytes, which are valid UTF-8.
    func receivePayload() async throws(TransportError) -> WebSocketPayload

    /// Starts the closing handshake, and waits for its end for a bounded time. Idempotent.
    ///
    /// With ``WebSocketClose/abnormal`` the connection is cut without a close frame, as a crash would. In a cancelled
    /// task the close frame is sent as well, and nothing is waited for.
    func close(_ close: WebSocketClose) async
}

extension WebSocket {
    /// No subprotocol.
    public var subprotocol: String? { nil }

    /// Validates the bytes, and sends them as a `String`.
    public func send(utf8: [UInt8]) async throws(TransportError) {
        guard let text = String(validating: utf8, as: UTF8.self) else { throw .notUTF8 }
        try await send(text: text)
    }

    /// Receives, and copies the bytes out of a text.
    public func receivePayload() async throws(TransportError) -> WebSocketPayload {
        WebSocketPayload(try await receive())
    }
}

extension TransportError {
    /// What a text message is refused with before it is sent.
    package static var notUTF8: TransportError {
        TransportError(
            .protocolViolation,
            operation: "send message",
            peer: "",
            detail: "the text is not UTF-8"
        )
    }
}
