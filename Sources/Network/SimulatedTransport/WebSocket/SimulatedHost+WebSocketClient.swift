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
        if case .segment(.response(let head, _)) = received {
            return try await open(connection, head, for: request, state, target, until: deadline)
        }
        connection.abort(.client)
        func failure(_ code: TransportError.Code, _ detail: String = "") -> TransportError {
            TransportError(code, operation: operation, peer: target.peer, detail: detail)
        }
        switch received {
        case .segment: throw failure(.protocolViolation, "something came before the answer")
        case .ended: throw failure(.reset, "the connection ended before the answer")
        case .failed(let cause): throw failure(cause.code, cause.detail)
        case .cancelled: throw failure(.cancelled)
        case .expired: throw failure(.timedOut, "no answer in time")
        }
    }

    /// Judges the server's answer.
    private func open(
        _ connection: Connection,
        _ head: HTTPResponse,
        for request: HTTPRequest,
        _ state: WebSocketState,
        _ target: Target,
        until deadline: Int64
    ) async throws(TransportError) -> any WebSocket {
        guard head.status.code == 101 else {
            var refusal = TransportError(
                .upgradeRefused,
                operation: "connect",
                peer: target.peer,
                detail: "\(head.status)",
                status: head.status.code
            )
            refusal.retryAfter = head.headerFields.retryAfter
            refusal.body = await Self.refusalBody(on: connection, until: deadline)
            connection.abort(.client)
            throw refusal
        }
        do throws(TransportError) {
            let subprotocol = try WebSocketHandshake.subprotocol(
                chosenBy: head.headerFields,
                for: request.headerFields,
                operation: "connect",
                peer: target.peer
            )
            return SimulatedWebSocket(
                connection,
                side: .client,
                state: state,
                peer: target.peer,
                subprotocol: subprotocol
            )
        } catch {
            connection.abort(.client)
            throw error
        }
    }

    /// What comes of a refusal's body, as far as it is kept.
    private static func refusalBody(on connection: Connection, until deadline: Int64) async -> [UInt8] {
        var body: [UInt8] = []
        while body.count < WebSocketHandshake.refusalBytes,
            case .segment(.chunk(let bytes)) = await connection.receive(at: .client, until: deadline)
        {
            body += bytes.prefix(WebSocketHandshake.refusalBytes - body.count)
        }
        return body
    }
}
