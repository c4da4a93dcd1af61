import HTTPTypes
import NIOCore
import NIOHTTP1
import Transport

/// One HTTP/1.1 connection of a server, on its event loop.
///
/// One request is in the server's hands at a time; NIO's pipelining handler holds back those behind it. Each has a
/// task, cancelled when the connection dies. The body is read only as fast as the server takes it.
final class HTTPConnectionHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// Bytes of a body that are read ahead of the server.
    private static let bodyWindow = 128 * 1024

    let service: ConnectionService
    private(set) var context: ChannelHandlerContext?
    private(set) var exchange: HTTPExchange?
    private var exchangeCount = 0
    private var writers = WriteGate()
    private let closingDeadline = ClosingDeadline()
    private var paceTimer: Scheduled<Void>?
    /// A request has begun whose body has to come in time, unless it has come whole with the head.
    private var startsPace = false
    private var reading = false
    private var closing = false
    let edge: ConnectionEdge
    private let gate: RequestGate
    let share: MemoryShare
    /// What came of a body in this turn of the loop.
    private var arrived: [UInt8] = []

    init(_ service: ConnectionService, edge: ConnectionEdge, gate: RequestGate, share: MemoryShare) {
        self.service = service
        self.edge = edge
        self.gate = gate
        self.share = share
    }

    // MARK: Events from the channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        gate.wish = { [weak self] in self?.wish ?? .wait }
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        let loop = context.eventLoop
        share.whenGivenUp(on: loop) { handler.value.giveUp($0) }
        if context.channel.isActive { awaitRequest(context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        closingDeadline.cancel()
        paceTimer?.cancel()
        // A request that was cut off refers to this handler from its body, and would keep it forever.
        exchange = nil
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        awaitRequest(context)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if closing { return }
        switch unwrapInboundIn(data) {
        case .head(let head): begin(head, context)
        case .body(let buffer):
            guard let exchange, !exchange.responseEnded, buffer.readableBytes > 0 else { return }
            self.exchange?.pace.received(buffer.readableBytes)
            self.exchange?.bodyLeft = max(exchange.bodyLeft - buffer.readableBytes, 0)
            arrived += buffer.readableBytesView
        case .end:
            deliverBody()
            exchange?.requestEnded = true
            exchange?.body.finish(nil)
            if exchange?.responseEnded == true {
                finishExchange(context)
                if closing { context.close(promise: nil) }
            }
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        deliverBody()
        if startsPace, let exchange { watchPace(context, exchange: exchange.number) }
        startsPace = false
        reading = false
        read()
        context.fireChannelReadComplete()
    }

    /// Hands over what came of the body: in one piece, however small its chunks are.
    private func deliverBody() {
        guard !arrived.isEmpty else { return }
        exchange?.body.push(arrived, weight: arrived.count)
        arrived = []
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        let isWritable = context.channel.isWritable
        if isWritable { writers.open() }
        if exchange == nil, !closing {
            limitWait(context)
            if isWritable {
                // A read may wait at the gate, where nothing was wanted until now.
                reading = false
                read()
            }
        }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        closing = true
        closingDeadline.cancel()
        abandon(lost("read body"))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        abandon(TransportError(cause: error, operation: "read body", peer: "client"))
        guard error is HTTPParserError, exchange == nil, !closing else {
            context.close(promise: nil)
            return
        }
        let tooLarge = (error as? HTTPParserError) == .headerOverflow
        refuse(context, tooLarge ? .requestHeaderFieldsTooLarge : .badRequest)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ListenerStopping:
            abandon(
                TransportError(
                    .cancelled,
                    operation: "read body",
                    peer: "client",
                    detail: "server is stopping"
                )
            )
            context.close(promise: nil)
        case is ConnectionEdge.PeerTakesNothing: abandon(lost("send answer"))
        case is IdleStateHandler.IdleStateEvent:
            // A server may think as long as it likes; a peer may not.
            let awaitsBody = exchange.map { !$0.requestEnded && $0.body.hasRoom() } ?? false
            if awaitsBody { context.close(promise: nil) }
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    // MARK: Requests

    private func awaitRequest(_ context: ChannelHandlerContext) {
        limitWait(context)
        read()
    }

    /// Limits the wait for the next request, from when the peer has taken most of what was sent to it.
    ///
    /// Until then the edge watches how fast it does.
    private func limitWait(_ context: ChannelHandlerContext) {
        closingDeadline.lift()
        if context.channel.isWritable { closeLater(context, in: service.limits.idleTimeout) }
    }

    func read() {
        guard let context, !reading else { return }
        if !closing, let exchange, !exchange.requestEnded, !exchange.responseEnded, !exchange.body.hasRoom() {
            self.exchange?.waitsForRoom = true
            return
        }
        reading = true
        context.read()
    }

    /// The server takes of a body again that was full: the peer, which had to wait, gets its time once more.
    private func bodyHasRoom() {
        exchange?.waitsForRoom = false
        exchange?.pace.excuse()
        read()
    }

    /// What of the peer's bytes is wanted now.
    private var wish: RequestGate.Wish {
        if closing { return .discard }
        // The answers to requests that a peer sends without taking any would pile up, each with the task that made it.
        guard let exchange else { return context?.channel.isWritable == false ? .wait : .head }
        if exchange.requestEnded { return .wait }
        if exchange.responseEnded || exchange.body.hasRoom() { return .body(left: exchange.bodyLeft) }
        return .wait
    }

    private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        closingDeadline.lift()
        let asksForWebSocket = head.asksForWebSocket
        let scheme = (asksForWebSocket ? "ws" : "http") + (service.tls == nil ? "" : "s")
        guard let request = HTTPRequest(head, scheme: scheme) else {
            refuse(context, .badRequest)
            return
        }
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        let loop = context.eventLoop
        exchangeCount += 1
        let body = Inbox<[UInt8], TransportError?>(
            countLimit: 1024,
            weightLimit: Self.bodyWindow,
            share: share,
            lost: .memoryUsedUp
        ) {
            loop.execute { handler.value.bodyHasRoom() }
        }
        var exchange = HTTPExchange(
            number: exchangeCount,
            head: head,
            body: body,
            owesContinue: head.expectsContinue,
            pace: BodyPace(service.limits),
            bodyLeft: head.declaredLength ?? 0
        )
        exchange.keepsAlive = head.isKeepAlive && !head.stopsParser
        let answer = HTTPAnswer(handler: handler, loop: loop, exchange: exchange.number, head: head)
        self.exchange = exchange
        startsPace = head.declaredLength != 0
        let server = service.server
        let executor = server.mayBlock ? nil : LoopTaskExecutor(loop)
        self.exchange?.task = service.tasks.start(on: executor) {
            if asksForWebSocket {
                await answer.upgrade(request, by: server)
            } else {
                let body = answer.body(body, of: head)
                let (response, responseBody) = await server.respond(to: request, body: body)
                await answer.send(response, responseBody)
            }
        }
    }

    /// Ends the exchange once its body comes too slowly.
    private func watchPace(_ context: ChannelHandlerContext, exchange number: Int) {
        guard let exchange, exchange.number == number, !exchange.requestEnded, !exchange.responseEnded
        else { return }
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        paceTimer?.cancel()
        paceTimer = context.eventLoop.scheduleTask(deadline: exchange.pace.deadline) {
            handler.value.checkPace(exchange: number)
        }
    }

    private func checkPace(exchange number: Int) {
        guard let context, let exchange, exchange.number == number, !exchange.requestEnded,
            !exchange.responseEnded, !closing
        else { return }
        if exchange.owesContinue || exchange.waitsForRoom || !exchange.body.hasRoom() {
            self.exchange?.pace.excuse()
        } else if exchange.pace.deadline <= .now() {
            abandon(
                TransportError(
                    .timedOut,
                    operation: "read body",
                    peer: "client",
                    detail: "fewer than \(service.limits.bodyBytesPerSecond) bytes a second"
                )
            )
            if exchange.responseStarted { return context.close(promise: nil) }
            return refuse(context, .requestTimeout)
        }
        watchPace(context, exchange: number)
    }

    /// Sends the 100 that the peer waits for, once.
    func sendContinue(exchange number: Int) {
        guard let context, let exchange, exchange.number == number, exchange.owesContinue,
            !exchange.responseStarted
        else { return }
        self.exchange?.owesContinue = false
        let head = HTTPResponseHead(version: .http1_1, status: .continue)
        context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
    }

    // MARK: Answers

    /// Writes the head of the answer, what there is of the body, and maybe its end; replies when the channel has
    /// room for more.
    func write(_ parts: ResponseParts, exchange number: Int, _ reply: Reply<Void>?) {
        guard let context, let exchange, exchange.number == number, !closing else {
            reply?.settle(.failure(lost("send answer")))
            return
        }
        if let plan = parts.plan {
            // A client that was not asked to go on may or may not send the body: what follows is ambiguous.
            let keepsAlive = plan.keepsAlive && exchange.keepsAlive && !exchange.owesContinue
            self.exchange?.responseStarted = true
            self.exchange?.keepsAlive = keepsAlive
            context.write(wrapOutboundOut(.head(plan.head(keepsAlive: keepsAlive))), promise: nil)
        }
        if !parts.bytes.isEmpty {
            let buffer = context.channel.allocator.buffer(bytes: parts.bytes)
            context.write(wrapOutboundOut(.body(.byteBuffer(buffer))), promise: nil)
        }
        if parts.isLast { endResponse(context) } else { context.flush() }
        if let reply { writers.admit(reply, to: context.channel) }
    }

    /// Breaks an answer off, so that the peer can see that it is not whole.
    func abort(exchange number: Int) {
        guard let context, exchange?.number == number else { return }
        context.close(promise: nil)
    }

    private func endResponse(_ context: ChannelHandlerContext) {
        guard let exchange else { return }
        // All state changes come first: the pipelining handler may deliver the next request from within the write.
        if exchange.requestEnded {
            finishExchange(context)
        } else {
            // The rest of the body is of no use; who reads it keeps the answer from being lost in a reset.
            self.exchange?.responseEnded = true
            closeLater(context, in: service.limits.discardTimeout)
        }
        if exchange.keepsAlive {
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        } else {
            let channel = context.channel
            let mode = exchange.requestEnded ? CloseMode.all : .output
            context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
                channel.close(mode: mode, promise: nil)
            }
        }
        read()
    }

    private func finishExchange(_ context: ChannelHandlerContext) {
        gate.requestEnded()
        // A read may wait at the gate, where nothing was wanted until now.
        reading = false
        if exchange?.keepsAlive == true {
            exchange = nil
            limitWait(context)
        } else {
            exchange = nil
            closing = true
        }
    }

    private func closeLater(_ context: ChannelHandlerContext, in time: Duration) {
        closingDeadline.set(context.channel, in: TimeAmount(time))
    }

    /// Answers a request that no server gets to see, and ends the connection.
    private func refuse(_ context: ChannelHandlerContext, _ status: HTTPResponseStatus) {
        closing = true
        let headers: HTTPHeaders = ["Content-Length": "0", "Connection": "close"]
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }

    /// Gives back the memory of the request that is coming or was not read, and asks the peer to come back later.
    ///
    /// A peer that has a part of its answer, or takes nothing, cannot be asked; nor one that was before.
    private func giveUp(_ done: @escaping @Sendable () -> Void) {
        guard let context else { return done() }
        abandon(.memoryUsedUp)
        share.discardStored()
        arrived = []
        if closing || exchange?.responseStarted == true || edge.hasOutput {
            edge.cut()
            return done()
        }
        closing = true
        exchange = nil
        // It does not read on before it sees an answer.
        let pipeline = context.pipeline.syncOperations
        pipeline.removeHandler(name: ConnectionService.HandlerName.pipelining, promise: nil)
        // It holds what has come of a head.
        let decoder = pipeline.removeHandler(name: ConnectionService.HandlerName.decoder)
        decoder.assumeIsolated().whenComplete { _ in
            self.comeBackLater()
            done()
        }
    }

    private func comeBackLater() {
        guard let context else { return }
        gate.discardRest()
        let headers: HTTPHeaders = ["Content-Length": "0", "Connection": "close", "Retry-After": "1"]
        let head = HTTPResponseHead(version: .http1_1, status: .serviceUnavailable, headers: headers)
        let channel = context.channel
        // Who reads the rest keeps the answer from being lost in a reset.
        gate.answer(head)?.whenComplete { _ in channel.close(mode: .output, promise: nil) }
        closeLater(context, in: service.limits.discardTimeout)
        reading = false
        read()
    }

    /// Gives up the exchange to whoever takes over its connection; `nil` when it is gone.
    func releaseExchange(_ number: Int) -> HTTPExchange? {
        guard let exchange, exchange.number == number, !closing else { return nil }
        self.exchange = nil
        gate.wish = { .wait }
        gate.requestEnded()
        return exchange
    }

    private func abandon(_ error: TransportError) {
        exchange?.body.finish(error)
        exchange?.task?.cancel()
        writers.fail(lost("send answer"))
    }

    func lost(_ operation: String) -> TransportError {
        TransportError(.reset, operation: operation, peer: "client", detail: "the connection was lost")
    }
}
