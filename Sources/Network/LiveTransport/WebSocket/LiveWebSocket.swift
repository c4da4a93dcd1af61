import NIOCore
import Transport

/// A WebSocket on a socket; all work is done by its handler, on the channel's event loop.
final class LiveWebSocket: WebSocket {
    private let channel: any Channel
    private let handler: NIOLoopBound<WebSocketHandler>
    private let inbox: Inbox<WebSocketEvent, WebSocketClose>
    private let peer: String

    private init(channel: any Channel, handler: WebSocketHandler, peer: String) {
        self.channel = channel
        self.handler = NIOLoopBound(handler, eventLoop: channel.eventLoop)
        inbox = handler.inbox
        self.peer = peer
    }

    deinit {
        // Nobody can use the connection any more.
        channel.close(promise: nil)
    }

    /// Appends the WebSocket's handler to a channel that has finished its handshake.
    ///
    /// Call on the channel's event loop, then ``start()`` when the handlers of the handshake are gone.
    static func install(
        on channel: any Channel,
        role: WebSocketRole,
        peer: String,
        limits: WebSocketLimits,
        closeTimeout: TimeAmount
    ) throws -> LiveWebSocket {
        let wake = NIOLoopBoundBox<WebSocketHandler?>(nil, eventLoop: channel.eventLoop)
        let inbox = Inbox<WebSocketEvent, WebSocketClose>(
            countLimit: limits.bufferedMessages,
            weightLimit: max(limits.messageBytes, 65_536)
        ) {
            channel.eventLoop.execute { wake.value?.resume() }
        }
        let handler = WebSocketHandler(
            role: role,
            peer: peer,
            limits: limits,
            closeTimeout: closeTimeout,
            inbox: inbox
        )
        wake.value = handler
        // The box and the handler hold each other until the connection ends.
        channel.closeFuture.assumeIsolated().whenComplete { _ in wake.value = nil }
        try channel.pipeline.syncOperations.addHandler(handler)
        return LiveWebSocket(channel: channel, handler: handler, peer: peer)
    }

    /// Begins to read.
    func start() {
        channel.eventLoop.execute { [handler] in handler.value.start() }
    }

    func send(text: String) async throws(TransportError) {
        try await perform("send message") { $0.send(.text, text.utf8, $1) }
    }

    func send(binary: [UInt8]) async throws(TransportError) {
        try await perform("send message") { $0.send(.binary, binary, $1) }
    }

    func ping(timeout: Duration) async throws(TransportError) {
        try await perform("ping") { $0.ping(timeout: TimeAmount(timeout), $1) }
    }

    func receive() async throws(TransportError) -> WebSocketEvent {
        switch await inbox.take() {
        case .element(let event): event
        case .end(let close): .closed(close)
        case .cancelled: throw TransportError(.cancelled, operation: "receive message", peer: peer)
        }
    }

    func close(_ close: WebSocketClose) async {
        if close.code == WebSocketClose.abnormal.code {
            channel.close(promise: nil)  // 1006 means that no close frame is sent
        } else {
            channel.eventLoop.execute { [handler] in handler.value.close(close) }
        }
        // Bounded by the handler's timer.
        let closed = Reply<Void>()
        channel.closeFuture.whenComplete { _ in closed.settle(.success(())) }
        _ = await closed.uncancellableResult()
    }

    private func perform(
        _ operation: String,
        _ work: @escaping @Sendable (WebSocketHandler, Reply<Void>) -> Void
    ) async throws(TransportError) {
        let cancelled = TransportError(.cancelled, operation: operation, peer: peer)
        if Task.isCancelled { throw cancelled }
        let reply = Reply<Void>()
        channel.eventLoop.execute { [handler] in work(handler.value, reply) }
        try await reply.value(orWhenCancelled: cancelled)
    }
}
