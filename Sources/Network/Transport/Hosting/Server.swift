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

    /// Whether requests and sessions may hold a thread: wait for a disk or a lock, or compute for many milliseconds.
    ///
    /// One that never does runs on the thread that reads its connection's bytes, where a host has such threads: a message costs
    /// no change of threads, and its bytes are still in the processor's cache. What holds that thread holds up all of its
    /// connections.
    var mayBlock: Bool { get }
}

extension Server {
    /// A server may block.
    public var mayBlock: Bool { true }
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
