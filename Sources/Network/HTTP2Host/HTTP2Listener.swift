internal import LiveTransport
internal import NIOCore
internal import NIOHTTP2
internal import NIOPosix
internal import NIOSSL
internal import Transport

internal import struct Transport.SocketAddress

/// A listening socket, its connections, and the tasks that answer their requests.
final class HTTP2Listener: Listener {
    let address: SocketAddress
    private let listening: any Channel
    private let connections: ChannelLedger
    private let tasks: TaskLedger

    /// How long open connections have to end by themselves when the listener stops.
    private static let grace = Duration.seconds(1)

    private init(
        _ address: SocketAddress,
        _ listening: any Channel,
        _ connections: ChannelLedger,
        _ tasks: TaskLedger
    ) {
        (self.address, self.listening) = (address, listening)
        (self.connections, self.tasks) = (connections, tasks)
    }

    /// Binds and accepts.
    static func start(
        _ server: any Server,
        at address: SocketAddress,
        on host: HTTP2Host
    ) async throws(TransportError) -> HTTP2Listener {
        guard let endpoint = try await address.resolved(operation: "listen").first else {
            throw TransportError(.addressUnavailable, operation: "listen", peer: "\(address)")
        }
        let (connections, tasks) = (ChannelLedger(), TaskLedger())
        let limits = host.limits
        let service = HTTP2Service(
            server: server,
            limits: limits,
            scheme: host.tls == nil ? "http" : "https",
            tasks: tasks,
            budget: BodyBudget(bytes: limits.memoryBytes)
        )
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: 256)
            // One at a time, so that the quota is exact.
            .serverChannelOption(.maxMessagesPerRead, value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let quota = ConnectionQuotaHandler(limit: limits.connections)
                    try channel.pipeline.syncOperations.addHandler(quota)
                }
            }
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { [tls = host.tls] channel in
                channel.eventLoop.makeCompletedFuture {
                    connections.insert(channel)
                    if let tls {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls))
                    }
                    try service.install(on: channel)
                }
            }
        do {
            let listening = try await bootstrap.bind(host: "\(endpoint.address)", port: endpoint.port).get()
            let bound = SocketAddress(
                host: "\(endpoint.address)",
                port: listening.localAddress?.port ?? endpoint.port
            )
            return HTTP2Listener(bound, listening, connections, tasks)
        } catch {
            throw TransportError(
                .addressUnavailable,
                operation: "listen",
                peer: "\(address)",
                detail: "\(error)"
            )
        }
    }

    /// Sends GOAWAY, and ends what is still open after a moment.
    func stop() async {
        try? await listening.close()
        connections.close()
        for connection in connections.open {
            connection.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        }
        await withTaskGroup { group in
            group.addTask { [connections] in await connections.drain() }
            group.addTask { [connections] in
                try? await Task.sleep(for: Self.grace)
                for connection in connections.open { connection.close(promise: nil) }
            }
            await group.next()
            group.cancelAll()
        }
        for connection in connections.open { connection.close(promise: nil) }
        tasks.cancelAll()
        await connections.drain()
        await tasks.drain()
    }
}

/// What all connections of one listener share.
struct HTTP2Service: Sendable {
    let server: any Server
    let limits: HTTP2Host.Limits
    let scheme: String
    let tasks: TaskLedger
    let budget: BodyBudget

    /// Adds the handlers of HTTP/2 to a new connection.
    func install(on channel: any Channel) throws {
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: limits.streams),
            HTTP2Setting(parameter: .maxHeaderListSize, value: limits.headerBytes),
        ]
        let manager = NIOHTTP2ServerConnectionManagementHandler(
            eventLoop: channel.eventLoop,
            configuration: .init(
                maxIdleTime: TimeAmount(seconds: limits.idleTimeout),
                maxAge: nil,
                maxGraceTime: .seconds(5),
                keepalive: .init(
                    pingInterval: TimeAmount(seconds: limits.pingInterval),
                    ackTimeout: .seconds(20)
                )
            )
        )
        _ = try channel.pipeline.syncOperations.configureHTTP2Pipeline(
            mode: .server,
            connectionConfiguration: connection,
            streamConfiguration: NIOHTTP2Handler.StreamConfiguration(),
            streamDelegate: manager.http2StreamDelegate
        ) { stream in
            stream.eventLoop.makeCompletedFuture {
                try stream.pipeline.syncOperations.addHandler(HTTP2Exchange(self))
            }
        }
        try channel.pipeline.syncOperations.addHandler(manager)
        try channel.pipeline.syncOperations.addHandler(ConnectionEnd())
    }
}

/// Ends a connection whose peer breaks the protocol.
private final class ConnectionEnd: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

extension TimeAmount {
    /// The same span, to the millisecond, up to a year.
    init(seconds duration: Duration) {
        self = .milliseconds(Int64(min(max(duration / .milliseconds(1), 1), 31_536_000_000)))
    }
}
