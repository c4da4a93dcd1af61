import NIOCore
import Transport

/// One WebSocket connection on its event loop: carries out what its ``WebSocketLife`` asks for.
///
/// Takes no message while the inbox has no room, so that a slow reader holds back its peer; control frames before the next
/// message are dealt with all the same. Once a close frame was sent, what else arrives is discarded.
final class WebSocketHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private struct PendingPing {
        var reply: Reply<Void>
        var timer: Scheduled<Void>?
    }

    let inbox: Inbox<WebSocketPayload, WebSocketClose>
    let budget = SendBudget()
    let writer: WebSocketFrameWriter
    private let role: WebSocketRole
    private let peer: String
    private let closeTimeout: TimeAmount
    private var life: WebSocketLife<PendingPing>
    private var decoder: WebSocketDecoder
    private var received = UnreadBytes()
    /// Messages that wait until the channel has room.
    private var queue: SendQueue
    private var isSendingQueue = false
    private var pongTurn = PongTurn()
    private var context: ChannelHandlerContext?
    private var reading = false
    /// Whether the handlers of the handshake have left the pipeline; before, what comes is only stored.
    private var started = false
    /// Done when our close frame has left.
    private var closeWritten: EventLoopFuture<Void>?
    private var keepAliveTimer: Scheduled<Void>?
    private let edge: ConnectionEdge
    private let share: MemoryShare?
    /// What is not whole.
    private var unfinished: MemoryGauge

    init(
        role: WebSocketRole,
        peer: String,
        limits: WebSocketLimits,
        closeTimeout: TimeAmount,
        inbox: Inbox<WebSocketPayload, WebSocketClose>,
        edge: ConnectionEdge,
        share: MemoryShare?
    ) {
        self.role = role
        self.peer = peer
        self.closeTimeout = closeTimeout
        self.inbox = inbox
        self.edge = edge
        self.share = share
        unfinished = MemoryGauge(share)
        queue = SendQueue(share)
        writer = WebSocketFrameWriter(masks: role == .client)
        life = WebSocketLife(limits: limits, now: Self.now)
        decoder = WebSocketDecoder(expectsMask: role == .server, limits: limits)
    }

    private static var now: Int64 { Int64(NIODeadline.now().uptimeNanoseconds) }

    // MARK: Calls from the socket, on the event loop

    /// Sends a frame when there is room for it; a sender without a reply has found room and does not wait.
    func send(_ frame: [ByteBuffer], _ reply: Reply<Void>?) {
        guard let context, life.isOpen else {
            reply?.settle(.failure(endError("send message")))
            return
        }
        if reply == nil, queue.isEmpty {
            write(frame, context)
        } else {
            queue.append(frame, reply)
            sendQueue(pastLimit: false)
        }
    }

    private func write(_ frame: [ByteBuffer], _ context: ChannelHandlerContext) {
        for piece in frame { context.write(wrapOutboundOut(piece), promise: nil) }
        context.flush()
    }

    /// A sender was cancelled; what it wanted to send is forgotten unless it has been sent.
    func withdraw(_ reply: Reply<Void>) { queue.withdraw(reply) }

    /// Sends what waits, as far as the channel has room, or all of it.
    private func sendQueue(pastLimit: Bool) {
        // A write can make room at once, and its callback can run before this returns.
        guard !isSendingQueue else { return }
        isSendingQueue = true
        while let context, pastLimit || context.channel.isWritable, let frame = queue.next() {
            write(frame, context)
        }
        isSendingQueue = false
        budget.setCrowded(!queue.isEmpty)
    }

    func ping(timeout: TimeAmount, _ reply: Reply<Void>) {
        guard let context, life.isOpen else {
            reply.settle(.failure(endError("ping")))
            return
        }
        let peer = peer
        let timer = context.eventLoop.assumeIsolated().scheduleTask(in: timeout) {
            self.life.forgetPing { $0.reply === reply }
            reply.settle(
                .failure(TransportError(.timedOut, operation: "ping", peer: peer, detail: "no pong"))
            )
        }
        writePing(life.ping(PendingPing(reply: reply, timer: timer)), context)
    }

    func close(_ close: WebSocketClose) {
        perform(life.close(close))
        read()
    }

    /// Nobody holds the socket any more: one that is open is cut, one that is closing goes on by itself.
    func abandon() {
        if life.isOpen { perform(life.cut("nobody uses this side any more")) }
    }

    /// Begins to read, and to look at what came right behind the handshake.
    func start() {
        started = true
        resume()
        keepAlive()
    }

    /// Goes on reading after the reader made room.
    func resume() {
        process(pastLimit: false)
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
        guard life.listens else { return }
        life.heard(at: Self.now)
        received.append(unwrapInboundIn(data))
        if started { process(pastLimit: false) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        reading = false
        read()
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            sendQueue(pastLimit: false)
        }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let nothing = event as? ConnectionEdge.PeerTakesNothing {
            perform(life.cut("the peer has taken too little for \(nothing.limit)"))
        } else if event is ListenerStopping {
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
        guard let context, started, !life.hasEnded, !reading, !awaitsRoom else { return }
        reading = true
        context.read()
    }

    /// Whether the reader has no room for the message that stands next.
    private var awaitsRoom: Bool {
        life.isOpen && decoder.isAtMessage(before: received.buffer) && !inbox.hasRoom()
    }

    /// Takes in what was received, as far as the reader has room, or all of it.
    private func process(pastLimit: Bool) {
        do {
            while life.listens, pastLimit || !awaitsRoom {
                if let item = try decoder.next(from: &received.buffer) {
                    accept(item)
                } else if !received.advance() {
                    break
                }
            }
        } catch {
            fail(error.close)
        }
        settle()
    }

    /// Keeps no more than is needed of what was received, and counts it: once nothing is read any more, that is nothing.
    private func settle() {
        if life.listens {
            received.compact()
            if !life.isOpen { decoder.forget() }
        } else {
            received.clear()
            decoder.end()
        }
        unfinished.set(storedBytes)
    }

    private var storedBytes: Int { received.storedBytes + decoder.storedBytes }

    /// Gives back the memory of messages that are not whole, not read or not sent, and asks the peer to come back later.
    ///
    /// A peer that takes nothing would not get that answer, and keep the memory of what is before it.
    func giveUp() {
        share?.discardStored()
        if life.isOpen && queue.isEmpty && !edge.hasOutput {
            fail(.memoryUsedUp)
            // What the peer still sends is discarded, also where its reader had no room for it: its end is behind that.
            read()
        } else {
            perform(life.cut(MemoryUsedUp.reason))
            settle()
        }
    }

    private func accept(_ item: WebSocketDecoder.Item) {
        switch item {
        case .text(let bytes): deliver(.text(bytes), bytes.count)
        case .binary(let bytes): deliver(.binary(bytes), bytes.count)
        case .ping(let payload): if life.isOpen { pong(payload) }
        case .pong(let payload): acceptPong(payload)
        case .close(let close): acceptClose(close)
        }
    }

    private func deliver(_ message: WebSocketPayload, _ bytes: Int) {
        guard life.isOpen else { return }
        // What is whole must not count as what is not whole, too.
        unfinished.lower(to: storedBytes)
        inbox.push(message, weight: bytes)
    }

    private func pong(_ payload: [UInt8]) {
        if let payload = pongTurn.answer(payload) { writePong(payload) }
    }

    private func writePong(_ payload: [UInt8]) {
        guard let context else { return }
        let frame = writer.frame(.pong, payload, allocator: context.channel.allocator)
        // The system takes it at once as long as the peer reads, and then every ping is answered.
        context.writeAndFlush(wrapOutboundOut(frame)).assumeIsolated().whenComplete { _ in
            if let owed = self.pongTurn.left(), self.life.isOpen { self.writePong(owed) }
        }
    }

    private func acceptPong(_ payload: [UInt8]) {
        guard payload.count == 8 else { return }
        for ping in life.pong(payload.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }) {
            ping.timer?.cancel()
            ping.reply.settle(.success(()))
        }
    }

    private func writePing(_ number: UInt64, _ context: ChannelHandlerContext) {
        let payload = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
        let frame = writer.frame(.ping, payload, allocator: context.channel.allocator)
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    }

    // MARK: Keep-alive

    private func keepAlive() {
        guard let context else { return }
        let isHeldBack = life.isOpen && !inbox.hasRoom()
        switch life.keepAlive(at: Self.now, isHeldBack: isHeldBack) {
        case .ping(let number, let next)?:
            writePing(number, context)
            keepAlive(at: next, context)
        case .wait(let moment)?: keepAlive(at: moment, context)
        case .silent?: perform(life.cut(life.silence))
        case .over?, nil: break
        }
    }

    private func keepAlive(at moment: Int64, _ context: ChannelHandlerContext) {
        let deadline = NIODeadline.uptimeNanoseconds(UInt64(max(moment, 0)))
        keepAliveTimer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) {
            self.keepAlive()
        }
    }

    // MARK: Ending

    private func perform(_ step: WebSocketLife<PendingPing>.Step) {
        if !life.isOpen { budget.close() }
        if let close = step.closeFrame, let context {
            pongTurn.forget()
            // The close frame is the last one.
            sendQueue(pastLimit: true)
            let frame = writer.close(close, allocator: context.channel.allocator)
            closeWritten = context.writeAndFlush(wrapOutboundOut(frame))
            endWithin(closeTimeout)
        }
        if let final = step.final { inbox.finish(final) }
        for ping in step.unanswered {
            ping.timer?.cancel()
            ping.reply.settle(.failure(endError("ping")))
        }
        if step.cuts { edge.cut() }
    }

    private func acceptClose(_ close: WebSocketClose) {
        let step = life.closed(by: close)
        // The peer takes nothing any more.
        queue.fail(endError("send message"))
        perform(step)
        // The server closes first (RFC 6455 section 7.1.1); a client waits for that.
        guard role == .server, let channel = context?.channel else { return }
        closeWritten?.whenComplete { _ in channel.close(promise: nil) }
    }

    /// Tells the peer what it did wrong, and stops listening to it.
    private func fail(_ close: WebSocketClose) {
        let step = life.fail(close)
        // Nothing of the peer's is held any more when it gets the answer.
        settle()
        perform(step)
        // Only output is closed, and input discarded: closing over unread bytes would make the system send a reset,
        // which could overtake the close frame.
        guard let channel = context?.channel else { return }
        closeWritten?.whenComplete { _ in channel.close(mode: .output, promise: nil) }
    }

    private func endWithin(_ time: TimeAmount) {
        guard let context else { return }
        let channel = context.channel
        let timer = context.eventLoop.assumeIsolated().scheduleTask(in: time) { self.edge.cut() }
        channel.closeFuture.whenComplete { _ in timer.cancel() }
    }

    private func end() {
        guard !life.hasEnded else { return }
        // What came before the end is not lost to a reader who was slow: it is no more than the system's buffer held.
        process(pastLimit: true)
        perform(life.connectionEnded())
        keepAliveTimer?.cancel()
        queue.fail(endError("send message"))
        settle()
    }

    private func endError(_ operation: String) -> TransportError {
        let (code, detail) = life.endError
        return TransportError(code, operation: operation, peer: peer, detail: detail)
    }
}
