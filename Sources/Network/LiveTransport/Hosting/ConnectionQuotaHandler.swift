import NIOCore

/// Accepts no further connections while too many are open; they wait in the system's backlog.
final class ConnectionQuotaHandler: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel
    typealias OutboundIn = Never

    private let limit: Int
    private var open = 0
    private var held = false

    init(limit: Int) { self.limit = max(limit, 1) }

    func read(context: ChannelHandlerContext) {
        if open < limit { context.read() } else { held = true }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let connection = unwrapInboundIn(data)
        open += 1
        connection.closeFuture.hop(to: context.eventLoop).assumeIsolated().whenComplete { _ in
            self.open -= 1
            if self.held {
                self.held = false
                context.read()
            }
        }
        context.fireChannelRead(data)
    }
}
