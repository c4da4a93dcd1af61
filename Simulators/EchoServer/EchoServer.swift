public import HTTPTypes
public import Transport

/// A server that gives back what it gets, for checking clients and networks.
///
/// **Models.** The body of any HTTP request is the body of the answer, with the same content type, streamed: a client
/// that sends more than the network holds must read while it sends. Every WebSocket message comes back as one message
/// of the same kind, in order, and every datagram goes back to its sender. Two paths are different (`EchoPath`):
/// `/status/503` refuses requests and handshakes with a status, and `/close/4000/reason` ends a WebSocket after its first
/// message.
///
/// **Does not model.** Any service: there are no keys or limits of its own. A WebSocket message may have as many bytes as
/// its limits allow.
///
/// **Faults.** None of its own; those of the network come in between.
public struct EchoServer: Server {
    private let limits: WebSocketLimits

    /// Makes a server.
    ///
    /// - Parameter limits: Bounds for WebSocket messages.
    public init(limits: WebSocketLimits = WebSocketLimits()) {
        self.limits = limits
    }

    /// Answers with the request's body, while it comes in.
    public func respond(
        to request: HTTPRequest,
        body: HTTPBody
    ) async -> (head: HTTPResponse, body: HTTPBody) {
        var head = HTTPResponse(status: .ok)
        if case .status(let code) = EchoPath(request.path) { head.status = .init(code: code) }
        head.headerFields[.contentType] = request.headerFields[.contentType] ?? "application/octet-stream"
        return (head, body)
    }

    /// Accepts handshakes, and sends each message back until the peer closes.
    public func upgrade(_ request: HTTPRequest) async -> WebSocketUpgrade {
        switch EchoPath(request.path) {
        case .status(let code):
            .refuse(HTTPResponse(status: .init(code: code)), .text("refused, as the path asks"))
        case .close(let close): .accept(limits) { await Self.echo($0, until: close) }
        case .plain: .accept(limits) { await Self.echo($0, until: nil) }
        }
    }

    /// Sends every datagram back to where it came from, until the socket is closed or the task is cancelled.
    public func echo(_ socket: any DatagramSocket) async {
        while let datagram = try? await socket.receive() {
            // Two echo services would answer each other forever, and so would this one itself, which may have several
            // addresses: one from the same port gets no answer.
            if datagram.source.port == socket.localAddress.port { continue }
            // Datagrams may be lost: one that cannot be sent is.
            try? await socket.send(datagram.bytes, to: datagram.source)
        }
    }

    /// Echoes until the peer closes, or only the first message where `close` says how to end.
    private static func echo(_ socket: any WebSocket, until close: WebSocketClose?) async {
        do {
            while true {
                switch try await socket.receivePayload() {
                case .text(let bytes): try await socket.send(utf8: bytes)
                case .binary(let bytes): try await socket.send(binary: bytes)
                case .closed: return
                }
                if let close { return await socket.close(close) }
            }
        } catch {
            // The peer left without waiting for its message, or the server stops.
        }
    }
}
