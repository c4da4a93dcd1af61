public import HTTPTypes
import NIOCore
import NIOPosix
import NIOSSL
public import Transport

public import struct Transport.SocketAddress

extension LiveTransport {
    /// Opens a WebSocket on a connection of its own; see `Transport.WebSocketClient`.
    public func connect(
        _ request: HTTPRequest,
        limits: WebSocketLimits,
        timeout: Duration
    ) async throws(TransportError) -> any WebSocket {
        let peer = request.loggedURL
        let target = try WebSocketTarget(request)
        if Task.isCancelled { throw TransportError(.cancelled, operation: "open WebSocket", peer: peer) }
        if channels.isClosed {
            throw TransportError(.closed, operation: "open WebSocket", peer: peer, detail: "shut down")
        }
        let opened = Reply<LiveWebSocket>()
        let loop = group.next()
        let timer = loop.scheduleTask(in: TimeAmount(timeout)) {
            let detail = "not open within \(timeout)"
            opened.settle(
                .failure(TransportError(.timedOut, operation: "open WebSocket", peer: peer, detail: detail))
            )
        }
        let connecting = ClientBootstrap(group: loop)
            .connectTimeout(TimeAmount(timeout))
            .channelOption(.autoRead, value: false)
            // NIO keeps as many receive buffers as it reads in a row.
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connect(host: target.host, port: target.port)
        connecting.whenComplete { result in
            do {
                let channel = try result.get()
                self.channels.insert(channel)
                let edge = ConnectionEdge()
                try channel.pipeline.syncOperations.addHandler(edge)
                if target.isSecure {
                    let secure = try NIOSSLClientHandler(
                        context: self.tls.context,
                        serverHostname: target.serverName
                    )
                    try channel.pipeline.syncOperations.addHandler(secure)
                }
                try WebSocketHandshakeHandler(
                    request: request,
                    limits: limits,
                    closeTimeout: TimeAmount(self.configuration.closeTimeout),
                    edge: edge,
                    opened: opened
                ).install(on: channel)
            } catch {
                opened.settle(
                    .failure(TransportError(cause: error, operation: "open WebSocket", peer: peer))
                )
            }
        }
        do {
            let socket = try await opened.value(
                orWhenCancelled: TransportError(.cancelled, operation: "open WebSocket", peer: peer)
            )
            timer.cancel()
            return socket
        } catch {
            timer.cancel()
            // Whatever was connected, or still will be, has no user.
            connecting.whenSuccess { $0.close(promise: nil) }
            throw tls.explained(error)
        }
    }
}

/// Where a WebSocket request goes.
struct WebSocketTarget {
    let host: String
    let port: Int
    let isSecure: Bool

    /// The name for the certificate check and SNI; `nil` for a literal address, which TLS checks by itself.
    var serverName: String? { (try? NIOCore.SocketAddress(ipAddress: host, port: 0)) == nil ? host : nil }

    /// Reads scheme and authority.
    ///
    /// - Throws: `protocolViolation` when one of them is missing or malformed.
    init(_ request: HTTPRequest) throws(TransportError) {
        let isSecure = request.scheme == "wss"
        guard isSecure || request.scheme == "ws", let authority = request.authority,
            let address = SocketAddress(authority: authority, port: isSecure ? 443 : 80)
        else {
            throw TransportError(
                .protocolViolation,
                operation: "open WebSocket",
                peer: request.loggedURL,
                detail: "a request needs the scheme ws or wss, and an authority of host and port"
            )
        }
        (host, port, self.isSecure) = (address.host, address.port, isSecure)
    }
}
