import NIOCore
import NIOPosix
import Synchronization
import TestSupport

/// Passes bytes between a client and a server, and counts what the client sends.
struct CountingRelay {
    let port: Int
    /// Bytes that the client has sent since ``forget()``.
    private let count: Box<Int>
    /// Given when the client's connection has ended.
    let ended: Signal

    var sent: Int { count.value }

    /// From now on counts from zero.
    func forget() { count.add(-count.value) }

    static func run(to target: Int, _ body: (CountingRelay) async throws -> Void) async throws {
        let count = Box(0)
        let ended = Signal()
        let listening = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { client in
                ClientBootstrap(group: client.eventLoop)
                    .channelInitializer { server in
                        server.pipeline.addHandler(Forwarding(to: client) { _ in })
                    }
                    .connect(host: "127.0.0.1", port: target)
                    .flatMap { server in
                        client.closeFuture.whenComplete { _ in ended.give() }
                        return client.pipeline.addHandler(Forwarding(to: server) { count.add($0) })
                    }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let relay = CountingRelay(port: listening.localAddress?.port ?? 0, count: count, ended: ended)
        let result: Result<Void, any Error>
        do {
            try await body(relay)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        try await listening.close()
        try result.get()
    }
}

private final class Forwarding: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    private let other: any Channel
    private let onBytes: @Sendable (Int) -> Void

    init(to other: any Channel, _ onBytes: @escaping @Sendable (Int) -> Void) {
        self.other = other
        self.onBytes = onBytes
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        onBytes(bytes.readableBytes)
        other.writeAndFlush(bytes, promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { other.close(promise: nil) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
