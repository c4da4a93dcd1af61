import NIOCore
import Transport

/// A WebSocket on a socket; all work but the copying of messages is done by its handler, on the channel's event loop.
final class LiveWebSocket: WebSocket {
    let subprotocol: String?
    private let channel: any Channel
    private let handler: NIOLoopBound<WebSocketHandler>
    private let inbox: Inbox<WebSocketPayload, WebSocketClose>
    private let budget: SendBudget
    private let writer: WebSocketFrameWriter
    private let peer: String

    private init(channel: any Channel, handler: WebSocketHandler, subprotocol: String?, peer: String) {
        self.channel = channel
        self.handler = NIOLoopBound(handler, eventLoop: channel.eventLoop)
        self.subprotocol = subprotocol
        inbox = handler.inbox
        budget = handler.budget
        writer = handler.writer
        self.peer = peer
    }

    deinit {
        // Nobody can use the connection any more.
        channel.eventLoop.execute { [handler] in handler.value.abandon() }
    }

    /// Appends the WebSocket's handler to a channel that has finished its handshake.
    ///
    /// Call on the channel's event loop, then ``start()`` when the handlers of the handshake are gone.
    static func install(
        on channel: any Channel,
        role: WebSocketRole,
        peer: String,
        subprotocol: String?,
        limits: WebSocketLimits,
        closeTimeout: TimeAmount,
        edge: ConnectionEdge,
        share: MemoryShare? = nil
    ) throws -> LiveWebSocket {
        let wake = NIOLoopBoundBox<WebSocketHandler?>(nil, eventLoop: channel.eventLoop)
        let inbox = Inbox<WebSocketPayload, WebSocketClose>(
            countLimit: limits.bufferedMessages,
            weightLimit: limits.bufferedBytes,
            share: share,
            lost: .memoryUsedUp
        ) {
            channel.eventLoop.execute { wake.value?.resume() }
        }
        let handler = WebSocketHandler(
            role: role,
            peer: peer,
            limits: limits,
            closeTimeout: closeTimeout,
            inbox: inbox,
            edge: edge,
            share: share
        )
        wake.value = handler
        share?.whenGivenUp(on: channel.eventLoop) { done in
            wake.value?.giveUp()
            done()
        }
        // The box and the handler hold each other until the connection ends.
        channel.closeFuture.assumeIsolated().whenComplete { _ in wake.value = nil }
        try channel.pipeline.syncOperations.addHandler(handler)
        HeapReserve.keep()
        // Large messages pass in few reads, and a sender makes the next one while the system takes the last.
        try channel.syncOptions?.setOption(
            .recvAllocator,
            value: TransientBuffers(initial: 16_384, maximum: 262_144)
        )
        try channel.syncOptions?.setOption(
            .writeBufferWaterMark,
            value: ChannelOptions.Types.WriteBufferWaterMark(low: SendBudget.room / 4, high: SendBudget.room)
        )
        return LiveWebSocket(channel: channel, handler: handler, subprotocol: subprotocol, peer: peer)
    }

    /// Begins to read.
    func start() {
        channel.eventLoop.execute { [handler] in handler.value.start() }
    }

    // A frame is made in the caller's task, so that the event loop only passes it on.

    func send(text: String) async throws(TransportError) {
        try await send(writer.pieces(.text, text.utf8, allocator: channel.allocator))
    }

    func send(utf8: [UInt8]) async throws(TransportError) {
        guard let frame = writer.textFrame(utf8, allocator: channel.allocator) else { throw .notUTF8 }
        try await send([frame])
    }

    func send(binary: [UInt8]) async throws(TransportError) {
        try await send(writer.pieces(.binary, binary, allocator: channel.allocator))
    }

    private func send(_ frame: [ByteBuffer]) async throws(TransportError) {
        let operation = "send message"
        if Task.isCancelled { throw TransportError(.cancelled, operation: operation, peer: peer) }
        let size = frame.byteCount
        if budget.admits(size, to: channel) {
            channel.eventLoop.execute { [handler, budget] in
                budget.passed(size)
                handler.value.send(frame, nil)
            }
        } else {
            try await perform(operation) {
                $0.send(frame, $1)
            } orWhenCancelled: {
                $0.withdraw($1)
            }
        }
    }

    func ping(timeout: Duration) async throws(TransportError) {
        try await perform("ping") { $0.ping(timeout: TimeAmount(timeout), $1) }
    }

    func receive() async throws(TransportError) -> WebSocketEvent {
        WebSocketEvent(try await receivePayload())
    }

    func receivePayload() async throws(TransportError) -> WebSocketPayload {
        switch await inbox.take() {
        case .element(let payload): payload
        case .end(let close): .closed(close)
        case .cancelled: throw TransportError(.cancelled, operation: "receive message", peer: peer)
        }
    }

    func close(_ close: WebSocketClose) async {
        channel.eventLoop.execute { [handler] in handler.value.close(close) }
        let closed = Reply<Void>()
        channel.closeFuture.whenComplete { _ in closed.settle(.success(())) }
        // Bounded by the handler's timer, which ends the connection also when nobody waits for it.
        let cancelled = TransportError(.cancelled, operation: "close", peer: peer)
        do throws(TransportError) { try await closed.value(orWhenCancelled: cancelled) } catch {}
    }

    private func perform(
        _ operation: String,
        _ work: @escaping @Sendable (WebSocketHandler, Reply<Void>) -> Void,
        orWhenCancelled undo: (@Sendable (WebSocketHandler, Reply<Void>) -> Void)? = nil
    ) async throws(TransportError) {
        let cancelled = TransportError(.cancelled, operation: operation, peer: peer)
        if Task.isCancelled { throw cancelled }
        let reply = Reply<Void>()
        channel.eventLoop.execute { [handler] in work(handler.value, reply) }
        do {
            try await reply.value(orWhenCancelled: cancelled)
        } catch {
            if let undo, error.code == .cancelled {
                channel.eventLoop.execute { [handler] in undo(handler.value, reply) }
            }
            throw error
        }
    }
}
