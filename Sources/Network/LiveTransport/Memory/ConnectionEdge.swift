import NIOCore

/// The handler next to the socket: watches whether the peer takes what is sent to it, and can cut the connection at once.
///
/// What waits counts as its bytes, to within ``pieceBytes``, while the peer takes it: it is looked at when something is flushed, when
/// the channel's writability changes, when as many bytes as that have been taken, and when nothing waits any more. No piece keeps the
/// memory of another, so that bytes which do not count any more are free.
final class ConnectionEdge: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    /// Sent through the pipeline when the peer has taken too little for too long.
    struct PeerTakesNothing: Sendable {
        var limit: Duration
    }

    /// How long a peer may leave lying what is sent to it, and how much it has to take in that time.
    struct Pace: Sendable {
        var limit: Duration
        var bytes: Int
    }

    private let pace: Pace?
    private var output: MemoryGauge
    private var context: ChannelHandlerContext?
    /// Bytes that were written until now, and how many of them were taken when the peer was last looked at.
    private var written = 0
    private var takenBefore = 0
    /// Bytes that were written behind the last write whose end is a reason to look.
    private var unwatched = 0
    private var timer: Scheduled<Void>?
    /// Whether it is reported when all that waits now was taken.
    private var awaitsTaken = false

    /// Makes a handler.
    ///
    /// - Parameters:
    ///   - pace: How fast the peer has to take what is sent; `nil` leaves that to the system.
    ///   - share: Where what it has not taken counts.
    init(pace: Pace? = nil, share: MemoryShare? = nil) {
        self.pace = pace
        output = MemoryGauge(share)
    }

    /// Ends the connection without the goodbye of TLS, whose handler does not see this.
    func cut() { context?.close(promise: nil) }

    /// Whether something waits that the peer does not take.
    var hasOutput: Bool { context.map { waiting($0) > 0 } ?? false }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        output.set(0)
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        FrameStorage.received.keep(unwrapInboundIn(data))
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard pace != nil else { return context.write(data, promise: promise) }
        let data = unwrapOutboundIn(data)
        written += data.readableBytes
        guard case .byteBuffer(var rest) = data, rest.readableBytes > Self.pieceBytes else {
            return writePiece(data, context, promise)
        }
        let allocator = context.channel.allocator
        while let piece = Self.piece(of: &rest, allocator) {
            writePiece(.byteBuffer(piece), context, rest.readableBytes == 0 ? promise : nil)
        }
    }

    /// Bytes of what is written at once and is a reason to look when it was taken.
    static let pieceBytes = 64 * 1024

    /// Takes the next piece off the bytes, in memory of its own; `nil` when there is none.
    static func piece(of rest: inout ByteBuffer, _ allocator: ByteBufferAllocator) -> ByteBuffer? {
        let count = min(rest.readableBytes, pieceBytes)
        guard count > 0, let slice = rest.readSlice(length: count) else { return nil }
        var piece = allocator.buffer(capacity: count)
        piece.writeImmutableBuffer(slice)
        return piece
    }

    private func writePiece(
        _ piece: IOData,
        _ context: ChannelHandlerContext,
        _ promise: EventLoopPromise<Void>?
    ) {
        unwatched += piece.readableBytes
        guard unwatched >= Self.pieceBytes else {
            return context.write(wrapOutboundOut(piece), promise: promise)
        }
        unwatched = 0
        let taken = context.eventLoop.makePromise(of: Void.self)
        taken.futureResult.cascade(to: promise)
        taken.futureResult.assumeIsolated().whenSuccess {
            if let context = self.context { self.look(context) }
        }
        context.write(wrapOutboundOut(piece), promise: taken)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        if pace != nil { look(context) }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if pace != nil { look(context) }
        context.fireChannelWritabilityChanged()
    }

    private func look(_ context: ChannelHandlerContext) {
        let waiting = waiting(context)
        output.set(waiting)
        if waiting == 0 { return }
        awaitTaken(context)
        if timer == nil {
            takenBefore = written - waiting
            watch(context)
        }
    }

    /// Looks again when all that waits now was taken: writability does not change where little waits.
    private func awaitTaken(_ context: ChannelHandlerContext) {
        if awaitsTaken { return }
        awaitsTaken = true
        // Done when everything before it is.
        let mark = wrapOutboundOut(.byteBuffer(ByteBuffer()))
        context.writeAndFlush(mark).assumeIsolated().whenSuccess {
            self.awaitsTaken = false
            if let context = self.context { self.look(context) }
        }
    }

    private func waiting(_ context: ChannelHandlerContext) -> Int {
        (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }

    private func watch(_ context: ChannelHandlerContext) {
        guard let pace else { return }
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(pace.limit)) {
            self.judge(pace)
        }
    }

    private func judge(_ pace: Pace) {
        timer = nil
        guard let context else { return }
        let waiting = waiting(context)
        output.set(waiting)
        if waiting == 0 { return }
        let taken = written - waiting
        if taken - takenBefore < pace.bytes {
            context.fireUserInboundEventTriggered(PeerTakesNothing(limit: pace.limit))
            context.close(promise: nil)
        } else {
            takenBefore = taken
            watch(context)
        }
    }
}
