import Transport

/// A WebSocket that writes down what it sends and receives.
struct RecordingWebSocket: WebSocket {
    let base: any WebSocket
    let log: ConnectionLog
    var subprotocol: String? { base.subprotocol }

    func send(text: String) async throws(TransportError) {
        log.note(.out, .text, text)
        try await noting { () async throws(TransportError) in try await base.send(text: text) }
    }

    func send(binary: [UInt8]) async throws(TransportError) {
        log.note(.out, .binary, binary)
        try await noting { () async throws(TransportError) in try await base.send(binary: binary) }
    }

    func ping(timeout: Duration) async throws(TransportError) {
        log.note(.out, .ping, [])
        try await noting { () async throws(TransportError) in try await base.ping(timeout: timeout) }
    }

    /// Writes down when an operation was complete, since its end is an input of the program too.
    private func noting(_ operation: () async throws(TransportError) -> Void) async throws(TransportError) {
        do throws(TransportError) {
            try await operation()
            log.note(.out, .end, [])
        } catch {
            log.note(.out, error)
            throw error
        }
    }

    func receive() async throws(TransportError) -> WebSocketEvent {
        let event: WebSocketEvent
        do throws(TransportError) {
            event = try await base.receive()
        } catch {
            // A cancelled call may have a message or not: only the recording tells.
            log.note(.in, error)
            throw error
        }
        switch event {
        case .text(let text): log.note(.in, .text, text)
        case .binary(let bytes): log.note(.in, .binary, bytes)
        case .closed(let close): log.note(.in, .close, "\(close.code) \(close.reason)")
        }
        return event
    }

    func close(_ close: WebSocketClose) async {
        log.note(.out, .close, "\(close.code) \(close.reason)")
        await base.close(close)
        log.note(.out, .end, [])
    }
}
