import Transport

/// One end of a WebSocket on the simulated network.
///
/// A task that releases an open one breaks the connection; the other end gets 1006.
final class SimulatedWebSocket: WebSocket, @unchecked Sendable {
    // Invariant that makes this Sendable: used only on the thread on which its simulation is current.

    private let connection: Connection
    private let side: Side
    private let state: WebSocketState
    private let peer: String
    private let life: NetworkLife
    let subprotocol: String?

    init(
        _ connection: Connection,
        side: Side,
        state: WebSocketState,
        peer: String,
        subprotocol: String?
    ) {
        self.subprotocol = subprotocol
        self.connection = connection
        self.side = side
        self.state = state
        self.peer = peer
        life = connection.network.life
        state.start()
    }

    deinit {
        if life.isRunning { state.abandon() }
    }

    func send(text: String) async throws(TransportError) { try await send(.text(text)) }

    func send(binary: [UInt8]) async throws(TransportError) { try await send(.binary(binary)) }

    private func send(_ message: Segment) async throws(TransportError) {
        guard state.isOpen else { throw ended("send message") }
        switch await connection.send(message, from: side) {
        case .passed: return
        case .cancelled: throw failure(.cancelled, "send message")
        case .broken: throw ended("send message")
        }
    }

    func ping(timeout: Duration) async throws(TransportError) {
        if Task.isCancelled { throw failure(.cancelled, "ping") }
        guard state.isOpen else { throw ended("ping") }
        let answered = state.ping()
        let wake = await answered.wait(until: connection.network.deadline(after: timeout.nanoseconds))
        state.forgetPing(answered)
        switch wake {
        case .ready: if state.final != nil { throw ended("ping") }
        case .cancelled: throw failure(.cancelled, "ping")
        case .expired: throw failure(.timedOut, "ping", "no pong within \(timeout)")
        }
    }

    func receive() async throws(TransportError) -> WebSocketEvent {
        let reader = connection[side].reader
        while true {
            if Task.isCancelled { throw failure(.cancelled, "receive message") }
            switch connection.take(at: side) {
            case .text(let text)?: return .text(text)
            case .binary(let bytes)?: return .binary(bytes)
            case _?: continue
            case nil: break
            }
            if let final = state.final { return .closed(final) }
            _ = await reader.wait()
        }
    }

    func close(_ close: WebSocketClose) async {
        state.close(close)
        await state.waitForEnd()
    }

    private func ended(_ operation: String) -> TransportError {
        let (code, detail) = state.endError
        return failure(code, operation, detail)
    }

    private func failure(
        _ code: TransportError.Code,
        _ operation: String,
        _ detail: String = ""
    ) -> TransportError {
        TransportError(code, operation: operation, peer: peer, detail: detail)
    }
}
