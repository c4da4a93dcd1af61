import NIOCore
import NIOPosix
import NIOSSL
package import Transport

package import struct Transport.SocketAddress

/// A listening socket, its connections, and the tasks that serve them.
package final class LiveListener: Listener {
    package let address: SocketAddress
    private let listening: any Channel
    private let connections: ChannelLedger
    private let tasks: TaskLedger
    /// What the connections hold of what their peers made them store.
    package let memory: InputBudget

    /// Bytes of each connection that the system stores for its peer: enough for 2 MB/s at a round trip of 100 ms.
    private static let systemSendBuffer: SocketOptionValue = 256 * 1024

    private init(
        address: SocketAddress,
        listening: any Channel,
        connections: ChannelLedger,
        tasks: TaskLedger,
        memory: InputBudget
    ) {
        self.address = address
        self.listening = listening
        self.connections = connections
        self.tasks = tasks
        self.memory = memory
    }

    /// Binds and accepts.
    static func start(
        _ server: any Server,
        at address: SocketAddress,
        on host: LoopbackHost
    ) async throws(TransportError) -> LiveListener {
        let operation = "listen"
        let local = try await NIOCore.SocketAddress.resolve(address, operation: operation)
        guard host.allowRemote || Endpoint(local)?.address.isLoopback == true else {
            throw TransportError(
                .addressUnavailable,
                operation: operation,
                peer: "\(address)",
                detail: "not an address of this machine alone; allow remote ones explicitly"
            )
        }
        let connections = ChannelLedger()
        let tasks = TaskLedger()
        let service = ConnectionService(
            server: server,
            limits: host.limits,
            tls: host.tls,
            tasks: tasks,
            memory: InputBudget(capacity: host.limits.memoryBytes)
        )
        let quota = host.limits.connections
        let bound = Reply<any Channel>()
        ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: 256)
            // One at a time, so that the quota is exact.
            .serverChannelOption(.maxMessagesPerRead, value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ConnectionQuotaHandler(limit: quota))
                }
            }
            .childChannelOption(.autoRead, value: false)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            // So that connections take turns: none is read twice before the others.
            .childChannelOption(.maxMessagesPerRead, value: 1)
            // What a peer does not take is bounded in the system too, which would store megabytes of it before we notice.
            .childChannelOption(.socketOption(.so_sndbuf), value: systemSendBuffer)
            .childChannelOption(.recvAllocator, value: TransientBuffers(initial: 2048, maximum: 65_536))
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    connections.insert(channel)
                    try service.install(on: channel)
                }
            }
            .bind(to: local)
            .whenComplete { result in
                bound.settle(
                    result.mapError { error in
                        var error = TransportError(cause: error, operation: operation, peer: "\(address)")
                        error.code = .addressUnavailable
                        return error
                    }
                )
            }
        let listening = try await bound.uncancellableResult().get()
        return LiveListener(
            address: listening.localAddress.flatMap { Endpoint($0)?.socketAddress } ?? address,
            listening: listening,
            connections: connections,
            tasks: tasks,
            memory: service.memory
        )
    }

    /// Stops, as `Transport.Listener` says.
    ///
    /// Must not be called from a task that this listener serves, which it would wait for.
    package func stop() async {
        let closed = Reply<Void>()
        listening.close(promise: nil)
        listening.closeFuture.whenComplete { _ in closed.settle(.success(())) }
        _ = await closed.uncancellableResult()
        connections.close()
        // WebSockets send a close frame before their sessions are cancelled, HTTP connections just end.
        for connection in connections.open {
            let told = Reply<Void>()
            connection.eventLoop.execute {
                connection.pipeline.fireUserInboundEventTriggered(ListenerStopping())
                told.settle(.success(()))
            }
            _ = await told.uncancellableResult()
        }
        tasks.cancelAll()
        await connections.drain()
        await tasks.drain()
    }
}
