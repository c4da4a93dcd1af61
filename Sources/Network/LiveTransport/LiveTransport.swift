import AsyncHTTPClient
import NIOCore
import NIOPosix
import NIOSSL
public import Transport

/// The network as it is: real sockets, real time, real certificates.
///
/// HTTP goes through a connection pool that speaks HTTP/1.1 and, where the server offers it, HTTP/2. WebSockets and
/// datagrams have a socket each. No proxy is used, no redirect followed, no body decompressed.
///
/// The owner of a transport calls ``shutdown()`` before releasing it.
public final class LiveTransport: Transport {
    let configuration: Configuration
    let group: any EventLoopGroup
    let tls: ClientTLS
    let pool: AsyncHTTPClient.HTTPClient
    /// On which all connections of the pool are.
    let httpLoop: any EventLoop
    let multiplexing = Multiplexing()
    /// Open WebSockets and datagram sockets.
    let channels = ChannelLedger()
    /// Open connections of the pool.
    private let connections = ChannelLedger()

    /// Makes a transport; nothing is connected yet.
    ///
    /// - Parameter configuration: Trust and bounds.
    /// - Throws: `certificateRejected` when an extra trusted root cannot be read.
    public init(_ configuration: Configuration = Configuration()) throws(TransportError) {
        self.configuration = configuration
        group = MultiThreadedEventLoopGroup.singleton
        tls = try configuration.clientTLS()
        var client = AsyncHTTPClient.HTTPClient.Configuration(
            tlsConfiguration: tls.configuration,
            redirectConfiguration: .disallow,
            decompression: .disabled
        )
        // A failed connection attempt is the caller's to judge, at once.
        client.connectionPool.retryConnectionEstablishment = false
        // Bodies that are read slowly keep their connections; others must not wait for them.
        client.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        // Each call has a limit of its own, within which it tries again; this one ends attempts that nobody waits for any more.
        client.timeout.connect = TimeAmount(configuration.connectTimeout)
        client.connectionPool.idleTimeout = TimeAmount(configuration.idleConnectionTimeout)
        client.http1_1ConnectionDebugInitializer = { [connections] channel in
            connections.insert(channel)
            return channel.eventLoop.makeSucceededVoidFuture()
        }
        client.http2ConnectionDebugInitializer = { [connections, multiplexing] channel in
            connections.insert(channel)
            multiplexing.opened()
            return channel.eventLoop.makeSucceededVoidFuture()
        }
        // One loop for all connections, so that a body knows which one has to keep up with it.
        httpLoop = group.next()
        pool = AsyncHTTPClient.HTTPClient(eventLoopGroupProvider: .shared(httpLoop), configuration: client)
    }

    /// Ends all requests, connections and sockets, and returns when they have ended.
    ///
    /// Idempotent. Calls made afterwards throw `closed`. An attempt to connect that nobody answers ends by itself, within the
    /// configuration's limit for one.
    public func shutdown() async {
        channels.close()
        connections.close()
        // Ends requests and connections at once, and calls back when attempts to connect have ended as well, which it
        // cannot interrupt. The only failure is that it was shut down before.
        pool.shutdown { _ in }
        for channel in channels.open { channel.close(promise: nil) }
        await channels.drain()
        await connections.drain()
    }
}
