import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOWebSocket
import Transport

extension HTTPConnectionHandler {
    /// Turns the connection into a WebSocket, and gives it to the waiting task.
    func becomeWebSocket(
        _ limits: WebSocketLimits,
        _ fields: HTTPFields,
        exchange number: Int,
        _ reply: Reply<LiveWebSocket>
    ) {
        guard let context, let exchange = releaseExchange(number) else {
            reply.settle(.failure(lost("accept WebSocket")))
            return
        }
        // From here on the task belongs to the WebSocket's session, which learns by itself how it ends.
        let channel = context.channel
        // NIO knows how the answer is made; nothing else of the upgrader is used.
        let upgrader = NIOWebSocketServerUpgrader(
            shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture([:]) },
            upgradePipelineHandler: { channel, _ in channel.eventLoop.makeSucceededVoidFuture() }
        )
        upgrader.buildUpgradeResponse(
            channel: channel,
            upgradeRequest: exchange.head,
            initialResponseHeaders: [:]
        )
        .assumeIsolated()
        .whenComplete { result in
            do {
                var headers = try result.get()
                headers.add(contentsOf: HTTPHeaders(WebSocketHandshake.answerFields(fields)))
                try self.handOver(context, headers, limits, reply)
            } catch {
                reply.settle(
                    .failure(TransportError(cause: error, operation: "accept WebSocket", peer: "client"))
                )
                context.close(promise: nil)
            }
        }
    }

    private func handOver(
        _ context: ChannelHandlerContext,
        _ headers: HTTPHeaders,
        _ limits: WebSocketLimits,
        _ reply: Reply<LiveWebSocket>
    ) throws {
        let head = HTTPResponseHead(version: .http1_1, status: .switchingProtocols, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        let socket = try LiveWebSocket.install(
            on: context.channel,
            role: .server,
            peer: "client",
            subprotocol: headers.first(name: "Sec-WebSocket-Protocol"),
            limits: limits.keptAlive(by: service.limits.keepAlive),
            closeTimeout: TimeAmount(service.limits.closeTimeout),
            edge: edge,
            share: share
        )
        let pipeline = context.pipeline.syncOperations
        pipeline.removeHandler(context: context, promise: nil)
        for name in [
            ConnectionService.HandlerName.pipelining, ConnectionService.HandlerName.encoder,
            ConnectionService.HandlerName.idle,
        ] {
            pipeline.removeHandler(name: name, promise: nil)
        }
        // Its removal passes on what came right behind the request, so reading starts after it.
        pipeline.removeHandler(name: ConnectionService.HandlerName.decoder, promise: nil)
        pipeline.removeHandler(name: ConnectionService.HandlerName.gate).whenComplete { _ in
            socket.start()
            reply.settle(.success(socket))
        }
    }
}

extension WebSocketLimits {
    /// The same, with pings of the host's where the server asks for none.
    fileprivate func keptAlive(by keepAlive: WebSocketKeepAlive?) -> WebSocketLimits {
        var limits = self
        if limits.keepAlive == nil { limits.keepAlive = keepAlive }
        return limits
    }
}
