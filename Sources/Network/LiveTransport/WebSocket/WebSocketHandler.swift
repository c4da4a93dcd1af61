import NIOCore
import Transport

/// One WebSocket connection on its event loop: the frames of both directions, and the way to its end.
///
/// Reads from the socket only while the inbox has room, so that a slow reader holds back its peer. Once a close
/// frame was sent, what else arrives is discarded.
final class WebSocketHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Phase {
        case open
        /// A close frame was sent; the peer's, or the end of the connection, is awaited.
        case closing
        /// The closing handshake is done, or the peer broke the protocol; the end of the connection is awaited.
        case ending
        case ended
    }

    private struct PendingPing {
        var number: UInt64
        var reply: Reply<Void>
        var timer: Scheduled<Void>
    }

    let inbox: Inbox<WebSocketEvent, WebSocketClose>
    private let role: WebSocketRole
    private let peer: String
    private let closeTimeout: TimeAmount
    private let writer: WebSocketFrameWriter
    private var decoder: WebSocketDecoder
    private var received = ByteBuffer()
    private var phase = Phase.open
    private var gate = WriteGate()
    private var pings: [PendingPing] = []
    private var nextPing: UInt64 = 0
    /// The payload of a ping that came while the channel had no room for its pong.
    private var owedPong: [UInt8]?
    private var context: ChannelHandlerContext?
    private var reading = false
    /// Whether the handlers of the handshake have left the pipeline; before, what comes is only stored.
    private var started = false
    private var ending: WebSocketClose?
    /// Done when our close frame has left.
    private var closeWritten: EventLoopFuture<Void>?

    init(
        role: WebSocketRole,
        peer: String,
        limits: WebSocketLimits,
        closeTimeout: TimeAmount,
        inbox: Inbox<WebSocketEvent, WebSocketClose>
    ) {
        self.role = role
        self.peer = peer
        self.closeTimeout = closeTimeout
        self.inbox = inbox
        writer = WebSocketFrameWriter(masks: role == .client)
        decoder = WebSocketDecoder(expectsMask: role == .server, messageLimit: limits.messageBytes)
    }

    // MARK: Calls from the socket, on the event loop

    func send(_ opcode: WebSocketFrameHeader.Opcode, _ payload: some Collection<UInt8>, _ reply: Reply<Void>)
    {
        guard let context, phase == .open else {
            reply.settle(.failure(endError("send message")))
            return
        }
        let frame = writer.frame(opcode, payload, allocator: context.channel.allocator)
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
        gate.admit(reply, to: context.channel)
    }

    func ping(timeout: TimeAmount, _ reply: Reply<Void>) {
        guard let context, phase == .open else {
            reply.settle(.failure(endError("ping")))
            return
        }
        let number = nextPing
        nextPing += 1
        let payload = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
        let frame = writer.frame(.ping, payload, allocator: context.channel.allocator)
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
        let timer = context.eventLoop.assumeIsolated().scheduleTask(in: timeout) {
            self.pings.removeAll { $0.number == number }
            reply.settle(
                .failure(TransportError(.timedOut, operation: "ping", peer: self.peer, detail: "no pong"))
            )
        }
        pings.append(PendingPing(number: number, reply: reply, timer: timer))
    }

    func close(_ close: WebSocketClose) {
        guard phase == .open else { return }
        startClosing(close)
        read()
    }

    /// Begins to read, and to look at what came right behind the handshake.
    func start() {
        started = true
        resume()
    }

    /// Goes on reading after the reader made room.
    func resume() {
        process()
        read()
    }

    // MARK: Events from the channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if !context.channel.isActive { end() }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end()
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if phase == .ending || phase == .ended { return }
        if received.readableBytes == 0 { received = bytes } else { received.writeBuffer(&bytes) }
        if started { process() }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        reading = false
        read()
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            if let owed = owedPong {
                owedPong = nil
                pong(owed)
            }
            gate.open()
        }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ListenerStopping {
            close(WebSocketClose(code: 1001, reason: "server is stopping"))
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Whatever broke the connection, its reader sees the end that follows.
        context.close(promise: nil)
    }

    // MARK: Reading

    private func read() {
        guard let context, started, phase != .ended, !reading else { return }
        if phase == .open, !inbox.hasRoom() { return }
        reading = true
        context.read()
    }

    private func process() {
        do {
            while phase == .closing || phase == .open && inbox.hasRoom() {
                guard let item = try decoder.next(from: &received) else { break }
                accept(item)
            }
        } catch {
            fail(error)
        }
        if received.readableBytes == 0 { received = ByteBuffer() }
    }

    private func accept(_ item: WebSocketDecoder.Item) {
        switch item {
        case .text(let text): if phase == .open { inbox.push(.text(text), weight: text.utf8.count) }
        case .binary(let bytes): if phase == .open { inbox.push(.binary(bytes), weight: bytes.count) }
        case .ping(let payload): if phase == .open { pong(payload) }
        case .pong(let payload): settlePings(payload)
        case .close(let close): acceptClose(close)
        }
    }

    private func pong(_ payload: [UInt8]) {
        guard let context else { return }
        // The RFC lets us answer the latest ping alone, which bounds what a flood of pings makes us store.
        guard context.channel.isWritable else {
            owedPong = payload
            return
        }
        let frame = writer.frame(.pong, payload, allocator: context.channel.allocator)
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    }

    /// A pong answers its ping and all earlier ones; one that answers no ping is ignored.
    private func settlePings(_ payload: [UInt8]) {
        guard payload.count == 8 else { return }
        let number = payload.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard pings.contains(where: { $0.number == number }) else { return }
        for ping in pings where ping.number <= number {
            ping.timer.cancel()
            ping.reply.settle(.success(()))
        }
        pings.removeAll { $0.number <= number }
    }

    // MARK: Ending

    private func startClosing(_ close: WebSocketClose) {
        guard let context else { return }
        phase = .closing
        owedPong = nil
        let frame = writer.close(close, allocator: context.channel.allocator)
        closeWritten = context.writeAndFlush(wrapOutboundOut(frame))
        endWithin(closeTimeout)
    }

    private func acceptClose(_ close: WebSocketClose) {
        guard let context else { return }
        if phase == .open { startClosing(close) }
        phase = .ending
        finish(close)
        // The server closes first (RFC 6455 section 7.1.1); a client waits for that.
        let channel = context.channel
        if role == .server { closeWritten?.whenComplete { _ in channel.close(promise: nil) } }
    }

    /// Tells the peer what it did wrong, and stops listening to it.
    private func fail(_ violation: WebSocketDecoder.Violation) {
        guard let context else { return }
        if phase == .open { startClosing(violation.close) }
        phase = .ending
        finish(violation.close)
        // Only output is closed, and input discarded: closing over unread bytes would make the system send a reset,
        // which could overtake the close frame.
        let channel = context.channel
        closeWritten?.whenComplete { _ in channel.close(mode: .output, promise: nil) }
    }

    private func endWithin(_ time: TimeAmount) {
        guard let context else { return }
        let channel = context.channel
        let timer = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
        channel.closeFuture.whenComplete { _ in timer.cancel() }
    }

    private func finish(_ close: WebSocketClose) {
        guard ending == nil else { return }
        ending = close
        inbox.finish(close)
    }

    private func end() {
        guard phase != .ended else { return }
        phase = .ended
        finish(.abnormal)
        gate.fail(endError("send message"))
        for ping in pings {
            ping.timer.cancel()
            ping.reply.settle(.failure(endError("ping")))
        }
        pings = []
        received = ByteBuffer()
    }

    private func endError(_ operation: String) -> TransportError {
        if let ending, ending != .abnormal {
            return TransportError(.closed, operation: operation, peer: peer, detail: "closed with \(ending)")
        }
        if ending != nil {
            return TransportError(.reset, operation: operation, peer: peer, detail: "the connection was lost")
        }
        return TransportError(.closed, operation: operation, peer: peer, detail: "this side is closing")
    }
}
