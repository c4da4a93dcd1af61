import Transport

/// A recorded WebSocket.
struct ReplayWebSocket: WebSocket {
    let connection: ReplayConnection
    let subprotocol: String?

    func send(text: String) async throws(TransportError) {
        connection.compare(.text, Array(text.utf8))
        try await connection.complete()
    }

    func send(binary: [UInt8]) async throws(TransportError) {
        connection.compare(.binary, binary)
        try await connection.complete()
    }

    func ping(timeout: Duration) async throws(TransportError) {
        connection.compare(.ping, [])
        try await connection.complete()
    }

    func receive() async throws(TransportError) -> WebSocketEvent {
        let message = try await connection.receive()
        switch message.kind {
        case .binary: return .binary(message.bytes)
        case .close: return .closed(Self.close(from: message))
        default: return .text(String(decoding: message.bytes, as: UTF8.self))
        }
    }

    /// How a conversation was ended, as a recording has it.
    static func close(from message: RecordedMessage) -> WebSocketClose {
        let text = String(decoding: message.bytes, as: UTF8.self)
        let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        let code = parts.first.flatMap { UInt16($0) } ?? WebSocketClose.abnormal.code
        return WebSocketClose(code: code, reason: parts.count > 1 ? String(parts[1]) : "")
    }

    func close(_ close: WebSocketClose) async {
        connection.compare(.close, Array("\(close.code) \(close.reason)".utf8))
        try? await connection.complete()
    }
}
