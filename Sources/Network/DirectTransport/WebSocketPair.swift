public import Transport

/// Two coupled WebSocket ends in one process, with no network between them.
///
/// Each direction holds at most the receiver's `bufferedMessages`; past that a sender waits, and its pings
/// wait behind its messages, as they would behind unread bytes of a TCP stream. Messages whose send has
/// returned arrive before the close; sends that still wait for room when the connection ends fail.
public struct WebSocketPair: Sendable {
    /// The end of the side that connected.
    public let client: PairedWebSocket
    /// The end of the side that accepted.
    public let server: PairedWebSocket

    /// Opens a connection.
    ///
    /// - Parameters:
    ///   - clientLimits: Bounds for what the client end takes in.
    ///   - serverLimits: Bounds for what the server end takes in.
    ///   - peer: The server's name in errors; without query.
    public init(
        clientLimits: WebSocketLimits = WebSocketLimits(),
        serverLimits: WebSocketLimits = WebSocketLimits(),
        peer: String = "in-process peer"
    ) {
        let connection = PairedConnection(clientLimits: clientLimits, serverLimits: serverLimits)
        client = PairedWebSocket(connection, side: .client, peer: peer)
        server = PairedWebSocket(connection, side: .server, peer: "client of \(peer)")
    }
}
