import Transport

/// How readers learn that what they would have read was given up to keep the listener's memory bounded.
enum MemoryUsedUp {
    static let reason = "the memory for what clients send is used up"
}

extension WebSocketClose {
    /// Sent to the peer where it takes it.
    static let memoryUsedUp = WebSocketClose(code: 1013, reason: MemoryUsedUp.reason)
}

extension TransportError {
    /// The end of a request's body.
    static let memoryUsedUp = TransportError(
        .reset,
        operation: "read body",
        peer: "client",
        detail: MemoryUsedUp.reason
    )
}
