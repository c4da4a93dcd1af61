public import HTTPTypes

/// A simulated service, written once and hosted on the simulated network or on a loopback socket.
public protocol Server: Sendable {
    /// Answers one HTTP request. Called concurrently for different connections.
    ///
    /// The body streams in; the answer may be returned before it is read to its end.
    func respond(
        to request: HTTPRequest,
        body: HTTPBody
    ) async -> (head: HTTPResponse, body: HTTPBody)

    /// Decides about a WebSocket handshake.
    func upgrade(_ request: HTTPRequest) async -> WebSocketUpgrade
}

/// The answer to a WebSocket handshake.
public enum WebSocketUpgrade: Sendable {
    /// Accepts. The connection is open until the closure returns, then the socket is closed with 1000 if it is
    /// still open; the task is cancelled when the server stops or its node crashes.
    ///
    /// The header fields are added to the answer; `Sec-WebSocket-Protocol` among them chooses one of the subprotocols
    /// that the request offers. Fields that the handshake itself decides are left out.
    case accept(
        WebSocketLimits,
        headerFields: HTTPFields = [:],
        @Sendable (any WebSocket) async -> Void
    )
    /// Refuses with an HTTP answer.
    case refuse(HTTPResponse, HTTPBody)
}

extension Server {
    /// Refuses every handshake with 426, for servers without WebSockets.
    public func upgrade(_ request: HTTPRequest) async -> WebSocketUpgrade {
        .refuse(HTTPResponse(status: .init(code: 426)), .empty)
    }
}
