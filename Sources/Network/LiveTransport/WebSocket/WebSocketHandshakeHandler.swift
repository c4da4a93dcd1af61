import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOWebSocket
import Transport

/// The client's side of the opening handshake (RFC 6455 section 4.1) on a fresh connection.
///
/// Sends the upgrade request, judges the answer, and hands the connection over to a ``WebSocketHandler``.
final class WebSocketHandshakeHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let request: HTTPRequest
    private let limits: WebSocketLimits
    private let closeTimeout: TimeAmount
    private let edge: ConnectionEdge
    private let opened: Reply<LiveWebSocket>
    // NIO knows how keys are made and checked; nothing else of the upgrader is used.
    private let keys = NIOWebSocketClientUpgrader { channel, _ in channel.eventLoop.makeSucceededVoidFuture()
    }
    private var accepted = false
    private var subprotocol: String?
    /// A refusal whose body is still coming.
    private var refusal: TransportError?
    private var refusalTimer: Scheduled<Void>?

    init(
        request: HTTPRequest,
        limits: WebSocketLimits,
        closeTimeout: TimeAmount,
        edge: ConnectionEdge,
        opened: Reply<LiveWebSocket>
    ) {
        self.request = request
        self.limits = limits
        self.closeTimeout = closeTimeout
        self.edge = edge
        self.opened = opened
    }

    func handlerAdded(context: ChannelHandlerContext) {
        guard context.channel.isActive else {
            fail(context, .reset, "the connection ended before the handshake")
            return
        }
        var headers = HTTPHeaders(request.headerFields)
        headers.replaceOrAdd(name: "Host", value: request.authority ?? "")
        headers.replaceOrAdd(name: "Connection", value: "Upgrade")
        headers.replaceOrAdd(name: "Upgrade", value: "websocket")
        for name in [
            "Sec-WebSocket-Key", "Sec-WebSocket-Version", "Sec-WebSocket-Extensions", "Content-Length",
        ] {
            headers.remove(name: name)
        }
        keys.addCustom(upgradeRequestHeaders: &headers)
        let path = request.path.flatMap { $0.isEmpty ? nil : $0 } ?? "/"
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: path, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): judge(head, context)
        case .body(let bytes): keep(bytes, context)
        case .end: if accepted { handOver(context) } else { refuse(context) }
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.read()
        context.fireChannelReadComplete()
    }

    func handlerRemoved(context: ChannelHandlerContext) { refusalTimer?.cancel() }

    func channelInactive(context: ChannelHandlerContext) {
        refuse(context)
        fail(context, .reset, "the connection ended before the handshake was answered")
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        refuse(context)
        opened.settle(
            .failure(TransportError(cause: error, operation: "open WebSocket", peer: request.loggedURL))
        )
        context.close(promise: nil)
    }

    private func judge(_ head: HTTPResponseHead, _ context: ChannelHandlerContext) {
        // NIO's decoder leaves interim (1xx) responses out, so this is the final response.
        guard head.status == .switchingProtocols else { return begin(refusalWith: head, context) }
        guard keys.shouldAllowUpgrade(upgradeResponse: head),
            head.headers[canonicalForm: "upgrade"].map({ $0.lowercased() }) == ["websocket"],
            head.headers[canonicalForm: "connection"].contains(where: { $0.lowercased() == "upgrade" })
        else {
            fail(context, .protocolViolation, "the answer 101 does not fit the request")
            return
        }
        do throws(TransportError) {
            subprotocol = try WebSocketHandshake.subprotocol(
                chosenBy: HTTPFields(head.headers),
                for: request.headerFields,
                operation: "open WebSocket",
                peer: request.loggedURL
            )
        } catch {
            opened.settle(.failure(error))
            context.close(promise: nil)
            return
        }
        accepted = true
    }

    // MARK: Refusals

    private func begin(refusalWith head: HTTPResponseHead, _ context: ChannelHandlerContext) {
        let status = Int(head.status.code)
        var refusal = TransportError(
            .upgradeRefused,
            operation: "open WebSocket",
            peer: request.loggedURL,
            detail: "the server answered \(status) instead of 101",
            status: status
        )
        refusal.retryAfter = HTTPFields(head.headers).retryAfter
        self.refusal = refusal
        // A refusal stays one if the words that explain it do not come.
        refusalTimer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.refusalTime) {
            self.refuse(context)
        }
    }

    private func keep(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        guard var refusal else { return }
        let room = WebSocketHandshake.refusalBytes - refusal.body.count
        refusal.body += bytes.readableBytesView.prefix(room)
        self.refusal = refusal
        if refusal.body.count == WebSocketHandshake.refusalBytes { refuse(context) }
    }

    /// Fails the handshake with the refusal that has come, if one has.
    private func refuse(_ context: ChannelHandlerContext) {
        guard let refusal = refusal.take() else { return }
        refusalTimer?.cancel()
        opened.settle(.failure(refusal))
        context.close(promise: nil)
    }

    private func handOver(_ context: ChannelHandlerContext) {
        do {
            let socket = try LiveWebSocket.install(
                on: context.channel,
                role: .client,
                peer: request.loggedURL,
                subprotocol: subprotocol,
                limits: limits,
                closeTimeout: closeTimeout,
                edge: edge
            )
            let pipeline = context.pipeline.syncOperations
            let opened = opened
            pipeline.removeHandler(context: context, promise: nil)
            pipeline.removeHandler(name: Self.encoderName, promise: nil)
            // Its removal passes on what came right behind the answer, so reading starts after it.
            pipeline.removeHandler(name: Self.decoderName).whenComplete { _ in
                socket.start()
                opened.settle(.success(socket))
            }
        } catch {
            errorCaught(context: context, error: error)
        }
    }

    private func fail(_ context: ChannelHandlerContext, _ code: TransportError.Code, _ detail: String) {
        let peer = request.loggedURL
        opened.settle(.failure(TransportError(code, operation: "open WebSocket", peer: peer, detail: detail)))
        context.close(promise: nil)
    }

    /// The longest wait for the rest of a refusal's body.
    private static let refusalTime = TimeAmount.seconds(5)
    private static let encoderName = "handshake request encoder"
    private static let decoderName = "handshake response decoder"

    /// Adds this handler, and those of HTTP in front of it, to a connected channel.
    func install(on channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(HTTPRequestEncoder(), name: Self.encoderName)
        let decoder = ByteToMessageHandler(HTTPResponseDecoder(leftOverBytesStrategy: .forwardBytes))
        try pipeline.addHandler(decoder, name: Self.decoderName)
        try pipeline.addHandler(self)
    }
}
