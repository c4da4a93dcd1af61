public import Transport

/// One end of a ``WebSocketPair``.
///
/// An end that is let go without a close breaks the connection: the other end sees 1006.
public final class PairedWebSocket: WebSocket {
    private let connection: PairedConnection
    private let side: PairSide
    private let peer: String

    init(_ connection: PairedConnection, side: PairSide, peer: String) {
        self.connection = connection
        self.side = side
        self.peer = peer
    }

    deinit { connection.end(with: .abnormal) }

    /// Sends one text message; waits while the other end's buffer is full.
    ///
    /// A message above the other end's `messageBytes` ends the connection with 1009.
    public func send(text: String) async throws(TransportError) {
        try await send(.message(.text(text)), operation: "send message")
    }

    /// Sends one binary message; as ``send(text:)``.
    public func send(binary: [UInt8]) async throws(TransportError) {
        try await send(.message(.binary(binary)), operation: "send message")
    }

    /// Sends a ping, which is answered as soon as the other end has room for all that was sent before it.
    public func ping(timeout: Duration) async throws(TransportError) {
        let failure = TransportError(
            .timedOut,
            operation: "ping",
            peer: peer,
            detail: "no pong within \(timeout)"
        )
        try await withDeadline(timeout, failure: failure) { [self] () async throws(TransportError) in
            try await send(.ping, operation: "ping")
        }
    }

    /// Waits for the next message, or for the end.
    public func receive() async throws(TransportError) -> WebSocketEvent {
        if Task.isCancelled { throw cancelled("receive") }
        if let event = connection.receive(at: side) { return event }
        let id = connection.makeWaiterID()
        let event = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                connection.receive(at: side, waiter: id, continuation)
                if Task.isCancelled { connection.cancelReceive(at: side, waiter: id) }
            }
        } onCancel: {
            connection.cancelReceive(at: side, waiter: id)
        }
        guard let event else { throw cancelled("receive") }
        return event
    }

    /// Ends the connection for both ends at once.
    ///
    /// Code 1006 breaks it without a close frame, as a lost network would. A reason is cut to 123 bytes.
    public func close(_ close: WebSocketClose) async {
        connection.end(with: close)
    }

    private func send(_ item: PairItem, operation: String) async throws(TransportError) {
        if Task.isCancelled { throw cancelled(operation) }
        var outcome = connection.send(item, from: side)
        if outcome == nil {
            let id = connection.makeWaiterID()
            outcome = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    connection.send(item, from: side, waiter: id, continuation)
                    if Task.isCancelled { connection.cancelSend(from: side, waiter: id) }
                }
            } onCancel: {
                connection.cancelSend(from: side, waiter: id)
            }
        }
        switch outcome {
        case .passed?: return
        case .cancelled?, nil: throw cancelled(operation)
        case .ended(let close)?:
            let code: TransportError.Code = close == .abnormal ? .reset : .closed
            throw TransportError(code, operation: operation, peer: peer, detail: "closed with \(close)")
        }
    }

    private func cancelled(_ operation: String) -> TransportError {
        TransportError(.cancelled, operation: operation, peer: peer)
    }
}
