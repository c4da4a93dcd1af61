/// Which end of a WebSocket this is; clients mask what they send, servers close the connection.
enum WebSocketRole: Sendable {
    case client
    case server
}

/// Sent to every connection of a listener that stops.
struct ListenerStopping: Sendable {}
