public import HTTPTypes
public import Transport

extension SimulatedHost {
    /// Connects, sends the upgrade request, and waits for its answer: two round trips.
    ///
    /// - Parameters:
    ///   - request: Scheme `ws` or `wss`, authority, path, and any header fields to add.
    ///   - limits: Bounds for what comes in.
    ///   - timeout: The longest wait for the open connection, in virtual time.
    /// - Throws: `upgradeRefused` with the HTTP status; `refused`, `unreachable`, `timedOut`, `reset`,
    ///   `protocolViolation`, `closed` when the node has crashed, `cancelled`.
    public func connect(
        _ request: HTTPRequest,
        limits: WebSocketLimits,
        timeout: Duration
    ) async throws(TransportError) -> any WebSocket {
        let operation = "connect"
        let target = try Target(request, from: self, operation: operation)
        let deadline = network.deadline(after: timeout.nanoseconds)
        let connection = try await Dial.connect(self, to: target, until: deadline, operation: operation)
        // Before the answer comes: messages may follow it closely.
        let state = WebSocketState(connection, at: .client, limits: limits)
        connection.sendControl(.request(request.onTheWire(length: 0), .webSocket), from: .client)
        let received = await connection.receive(at: .client, until: deadline)
        if case .segment(.response(let head, _)) = received, head.status.code == 101 {
            return SimulatedWebSocket(connection, side: .client, state: state, peer: target.peer)
        }
        connection.abort(.client)
        func failure(_ code: TransportError.Code, _ detail: String = "") -> TransportError {
            TransportError(code, operation: operation, peer: target.peer, detail: detail)
        }
        switch received {
        case .segment(.response(let head, _)):
            var refusal = failure(.upgradeRefused, "\(head.status)")
            refusal.status = head.status.code
            throw refusal
        case .segment: throw failure(.protocolViolation, "something came before the answer")
        case .ended: throw failure(.reset, "the connection ended before the answer")
        case .failed(let cause): throw failure(cause.code, cause.detail)
        case .cancelled: throw failure(.cancelled)
        case .expired: throw failure(.timedOut, "no answer in time")
        }
    }
}
