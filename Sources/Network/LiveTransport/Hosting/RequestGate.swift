import NIOCore
import NIOHTTP1

/// Lets requests through to the decoder as far as somebody wants them.
///
/// The decoder makes of every byte that it gets what it can. A peer that sends requests without waiting for their answers would
/// have thousands of them decoded, each many times the size of its bytes. Here the bytes wait undecoded, and the
/// socket is not read meanwhile.
final class RequestGate: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Bytes that are decoded at once outside of a body: 56 of the shortest requests.
    private static let slice = 1024
    /// Bytes that wait only because the peer has ended the connection, where all that is left is read at once.
    private static let mostWaiting = 256 * 1024

    /// What the connection wants now.
    enum Wish {
        /// The head of a request, which may come in parts.
        case head
        /// A body, of which so many bytes are known to be left.
        case body(left: Int)
        /// Nothing for now.
        case wait
        /// Nothing any more.
        case discard
    }

    /// Asked before each slice.
    var wish: () -> Wish = { .wait }

    private var waiting = UnreadBytes()
    /// Bytes of the head that is coming, or was answered last.
    private var headBytes = 0
    private var gauge: MemoryGauge
    private var isPassing = false
    private var isReadWanted = false
    private var context: ChannelHandlerContext?

    init(_ share: MemoryShare) { gauge = MemoryGauge(share) }

    /// The request is over, whose head counted until now.
    func requestEnded() {
        headBytes = 0
        count()
    }

    /// Forgets what waits, and the head that counted until now; what else comes is not wanted.
    func discardRest() {
        waiting.clear()
        requestEnded()
    }

    func read(context: ChannelHandlerContext) {
        if waiting.isEmpty {
            context.read()
        } else if isPassing {
            isReadWanted = true
        } else if pass(context) {
            // Not where nothing was wanted: who then reads again would come here again, without end.
            context.fireChannelReadComplete()
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        waiting.append(unwrapInboundIn(data))
        _ = waiting.advance()
        pass(context)
        if waiting.buffer.readableBytes > Self.mostWaiting { context.close(promise: nil) }
    }

    /// Answers without the handlers of requests, which may not know of one yet.
    func answer(_ head: HTTPResponseHead) -> EventLoopFuture<Void>? {
        guard let context else { return nil }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        return context.writeAndFlush(wrapOutboundOut(.end(nil)))
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func removeHandler(context: ChannelHandlerContext, removalToken: ChannelHandlerContext.RemovalToken) {
        // What stands behind the request belongs to the protocol that follows.
        if !waiting.isEmpty { context.fireChannelRead(wrapInboundOut(waiting.buffer)) }
        context.leavePipeline(removalToken: removalToken)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        waiting.clear()
        gauge.set(0)
        self.context = nil
    }

    /// Lets through what is wanted; returns whether there was any.
    @discardableResult
    private func pass(_ context: ChannelHandlerContext) -> Bool {
        guard !isPassing else { return false }
        isPassing = true
        var hasPassed = false
        passing: while !waiting.isEmpty {
            let most: Int
            switch wish() {
            case .head: most = Self.slice
            case .body(let left): most = max(left, Self.slice)
            case .wait: break passing
            case .discard:
                waiting.clear()
                break passing
            }
            let count = min(most, waiting.buffer.readableBytes)
            guard let slice = waiting.buffer.readSlice(length: count) else { break }
            if case .head = wish() { headBytes += count }
            hasPassed = true
            context.fireChannelRead(wrapInboundOut(slice))
        }
        isPassing = false
        waiting.compact()
        count()
        if isReadWanted {
            isReadWanted = false
            read(context: context)
        }
        return hasPassed
    }

    /// A head is held as fields, which are larger than their bytes.
    private func count() { gauge.set(waiting.storedBytes + 2 * headBytes) }
}
