internal import HTTPTypes
internal import LiveTransport
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2
internal import Transport

/// One stream: reads a request, has it answered, and sends the answer.
final class HTTP2Exchange: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private enum Phase {
        case head
        case body(HTTPRequest?)
        /// The server has the request.
        case answering(Task<Void, Never>)
        case done
    }

    private let service: HTTP2Service
    private var phase = Phase.head
    private var body: [UInt8] = []
    private var context: ChannelHandlerContext?
    private var timer: Scheduled<Void>?
    /// Whether the client has sent all of the request.
    private var hasEnded = false

    init(_ service: HTTP2Service) { self.service = service }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        timer = context.eventLoop.assumeIsolated().scheduleTask(
            in: TimeAmount(seconds: service.limits.requestTimeout)
        ) { self.reset(.cancel) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end()
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end()
        context.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .headers(let frame):
            hasEnded = hasEnded || frame.endStream
            // A second block has trailers, which nobody reads.
            if case .head = phase { phase = .body(HTTPRequest(frame.headers, scheme: service.scheme)) }
            if frame.endStream { answer(isWhole: true) }
        case .data(let frame):
            hasEnded = hasEnded || frame.endStream
            guard case .body = phase, case .byteBuffer(let buffer) = frame.data else { return }
            let room = service.limits.bodyBytes - body.count
            let taken = buffer.readableBytesView.prefix(room)
            guard service.budget.take(taken.count) else { return reset(.refusedStream) }
            body += taken
            if buffer.readableBytes > room {
                answer(isWhole: false)
            } else if frame.endStream {
                answer(isWhole: true)
            }
        default: break
        }
    }

    /// Gives the request to the server.
    private func answer(isWhole: Bool) {
        guard case .body(let request) = phase, let context else { return }
        timer?.cancel()
        let stream = NIOLoopBound(self, eventLoop: context.eventLoop)
        let loop = context.eventLoop
        guard let request else {
            phase = .done
            return write(HTTPResponse(status: .badRequest), [])
        }
        let content: HTTPBody =
            isWhole ? body.isEmpty ? .empty : .bytes(body) : .stream(Self.cut(body), length: nil)
        let service = service
        let task = service.tasks.start {
            let (head, answer) = await service.server.respond(to: request, body: content)
            let bytes = try? await answer.collect(upTo: service.limits.answerBytes)
            loop.execute { stream.value.finish(head, bytes) }
        }
        phase = .answering(task)
    }

    /// What came of a body that is too long, and then the error.
    private static func cut(_ bytes: [UInt8]) -> ByteStream {
        let rest = NextOnce(bytes)
        return ByteStream { () async throws(TransportError) in
            if let bytes = rest.take() { return bytes }
            throw TransportError(
                .tooLarge,
                operation: "read body",
                peer: "client",
                detail: "more than \(bytes.count) bytes"
            )
        }
    }

    private func finish(_ head: HTTPResponse, _ body: [UInt8]?) {
        guard case .answering = phase else { return }
        phase = .done
        guard let body else { return reset(.internalError) }
        write(head, body)
    }

    /// Sends the answer: its body in one frame, where it fits in one, since some clients read no more.
    private func write(_ head: HTTPResponse, _ body: [UInt8]) {
        guard let context else { return }
        let headers = HTTP2Frame.FramePayload.Headers(headers: HPACKHeaders(head), endStream: body.isEmpty)
        var last = HTTP2Frame.FramePayload.headers(headers)
        if !body.isEmpty {
            context.write(wrapOutboundOut(last), promise: nil)
            let buffer = context.channel.allocator.buffer(bytes: body)
            last = .data(HTTP2Frame.FramePayload.Data(data: .byteBuffer(buffer), endStream: true))
        }
        context.writeAndFlush(wrapOutboundOut(last)).assumeIsolated().whenSuccess {
            guard !self.hasEnded, let context = self.context else { return }
            // Nobody reads the rest (RFC 9113 section 8.1).
            context.writeAndFlush(self.wrapOutboundOut(.rstStream(.noError)), promise: nil)
        }
        releaseBody()
        if head.headerFields[values: .connection].contains(where: { $0.lowercased() == "close" }) {
            context.channel.parent?.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        }
    }

    private func reset(_ code: NIOHTTP2.HTTP2ErrorCode) {
        end()
        guard let context else { return }
        context.writeAndFlush(wrapOutboundOut(.rstStream(code)), promise: nil)
        context.close(promise: nil)
    }

    /// Ends what is under way, and gives back what the request holds.
    private func end() {
        timer?.cancel()
        if case .answering(let task) = phase { task.cancel() }
        phase = .done
        releaseBody()
    }

    private func releaseBody() {
        service.budget.give(body.count)
        body = []
    }
}
