package import NIOCore

/// Accepts no further connections while too many are open; they wait in the system's backlog.
package final class ConnectionQuotaHandler: ChannelDuplexHandler {
    package typealias InboundIn = any Channel
    package typealias InboundOut = any Channel
    package typealias OutboundIn = Never

    private let limit: Int
    private var open = 0
    private var held = false

    package init(limit: Int) { self.limit = max(limit, 1) }

    package func read(context: ChannelHandlerContext) {
        if open < limit { context.read() } else { held = true }
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
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
