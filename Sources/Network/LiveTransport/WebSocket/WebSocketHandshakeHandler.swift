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
    private let opened: Reply<LiveWebSocket>
    // NIO knows how keys are made and checked; nothing else of the upgrader is used.
    private let keys = NIOWebSocketClientUpgrader { channel, _ in channel.eventLoop.makeSucceededVoidFuture()
    }
    private var accepted = false

    init(
        request: HTTPRequest,
        limits: WebSocketLimits,
        closeTimeout: TimeAmount,
        opened: Reply<LiveWebSocket>
    ) {
        self.request = request
        self.limits = limits
        self.closeTimeout = closeTimeout
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
        case .body: break
        case .end: if accepted { handOver(context) }
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.read()
        context.fireChannelReadComplete()
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(context, .reset, "the connection ended before the handshake was answered")
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        opened.settle(
            .failure(TransportError(cause: error, operation: "open WebSocket", peer: request.loggedURL))
        )
        context.close(promise: nil)
    }

    private func judge(_ head: HTTPResponseHead, _ context: ChannelHandlerContext) {
        guard head.status == .switchingProtocols else {
            let status = Int(head.status.code)
            let detail = "the server answered \(status) instead of 101"
            fail(context, .upgradeRefused, detail, status: status)
            return
        }
        guard keys.shouldAllowUpgrade(upgradeResponse: head),
            head.headers[canonicalForm: "upgrade"].map({ $0.lowercased() }) == ["websocket"],
            head.headers[canonicalForm: "connection"].contains(where: { $0.lowercased() == "upgrade" })
        else {
            fail(context, .protocolViolation, "the answer 101 does not fit the request")
            return
        }
        let offered = request.headerFields.filter { $0.name.canonicalName == "sec-websocket-protocol" }
            .flatMap { $0.value.split(separator: ",") }.map { $0.trimmingSpaces() }
        let chosen = head.headers["Sec-WebSocket-Protocol"]
        guard chosen.count <= 1, chosen.allSatisfy({ offered.contains($0) }),
            head.headers["Sec-WebSocket-Extensions"].isEmpty
        else {
            fail(context, .protocolViolation, "the server chose a protocol or extension that was not offered")
            return
        }
        accepted = true
    }

    private func handOver(_ context: ChannelHandlerContext) {
        do {
            let socket = try LiveWebSocket.install(
                on: context.channel,
                role: .client,
                peer: request.loggedURL,
                limits: limits,
                closeTimeout: closeTimeout
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

    private func fail(
        _ context: ChannelHandlerContext,
        _ code: TransportError.Code,
        _ detail: String,
        status: Int? = nil
    ) {
        opened.settle(
            .failure(
                TransportError(
                    code,
                    operation: "open WebSocket",
                    peer: request.loggedURL,
                    detail: detail,
                    status: status
                )
            )
        )
        context.close(promise: nil)
    }

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

extension Substring {
    fileprivate func trimmingSpaces() -> String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
