/// A whole message, or the end of the conversation.
public enum WebSocketEvent: Sendable, Hashable {
    case text(String)
    case binary([UInt8])
    /// Nothing follows; asked again, the socket gives the same event.
    case closed(WebSocketClose)

    /// The size of the payload in bytes.
    public var byteCount: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .binary(let bytes): bytes.count
        case .closed: 0
        }
    }
}

/// Why a WebSocket ended (RFC 6455 section 7.4).
public struct WebSocketClose: Sendable, Hashable, CustomStringConvertible {
    /// 1000…4999.
    ///
    /// 1005 means that the close frame had no code, 1006 that there was no close frame. A close with a code that may not
    /// be sent, such as 1004, 1015 or 2000 (RFC 6455 section 7.4), is sent as 1005, without code and reason.
    public var code: UInt16
    /// At most 123 bytes of UTF-8, the room that a control frame leaves.
    public var reason: String

    /// Makes a value of its parts.
    public init(code: UInt16, reason: String = "") {
        self.code = code
        self.reason = reason
    }

    /// The conversation is complete.
    public static let normal = WebSocketClose(code: 1000)
    /// The connection was lost.
    public static let abnormal = WebSocketClose(code: 1006)

    /// All of it, for people.
    public var description: String { reason.isEmpty ? "\(code)" : "\(code) \(reason)" }
}
