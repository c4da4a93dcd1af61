public import HTTPTypes
public import Transport

/// A server that gives back what it gets, for checking clients and networks.
///
/// **Models.** The body of any HTTP request is the body of the answer, with the same content type, streamed: a client
/// that sends more than the network holds must read while it sends. Every WebSocket message comes back as one message
/// of the same kind, in order, and every datagram goes back to its sender.
///
/// **Does not model.** Any service: there are no paths, keys or limits of its own. A WebSocket message may have as many
/// bytes as its limits allow.
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
        head.headerFields[.contentType] = request.headerFields[.contentType] ?? "application/octet-stream"
        return (head, body)
    }

    /// Accepts every handshake, and sends each message back until the peer closes.
    public func upgrade(_ request: HTTPRequest) async -> WebSocketUpgrade {
        .accept(limits) { await Self.echo($0) }
    }

    /// Sends every datagram back to where it came from, until the socket is closed or the task is cancelled.
    public func echo(_ socket: any DatagramSocket) async {
        while let (bytes, source) = try? await socket.receive() {
            // One that claims to come from here would go around forever.
            if source == socket.localAddress { continue }
            // Datagrams may be lost: one that cannot be sent is.
            try? await socket.send(bytes, to: source)
        }
    }

    private static func echo(_ socket: any WebSocket) async {
        do {
            while true {
                switch try await socket.receive() {
                case .text(let text): try await socket.send(text: text)
                case .binary(let bytes): try await socket.send(binary: bytes)
                case .closed: return
                }
            }
        } catch {
            // The peer left without waiting for its message, or the server stops.
        }
    }
}
