/// A whole message in bytes, or the end of the conversation.
public enum WebSocketPayload: Sendable, Hashable {
    /// Valid UTF-8.
    case text([UInt8])
    case binary([UInt8])
    /// Nothing follows; asked again, the socket gives the same payload.
    case closed(WebSocketClose)

    /// The size of the payload in bytes.
    public var byteCount: Int {
        switch self {
        case .text(let bytes), .binary(let bytes): bytes.count
        case .closed: 0
        }
    }
}

extension WebSocketEvent {
    /// Makes the text a `String`, in one copy and without validating it again.
    package init(_ payload: WebSocketPayload) {
        switch payload {
        // Text in a payload is valid; that is what the case says.
        case .text(let bytes): self = .text(String(copying: unsafe UTF8Span(unchecked: bytes.span)))
        case .binary(let bytes): self = .binary(bytes)
        case .closed(let close): self = .closed(close)
        }
    }
}

extension WebSocketPayload {
    /// Takes the bytes of a text.
    package init(_ event: WebSocketEvent) {
        switch event {
        case .text(let text): self = .text(Array(text.utf8))
        case .binary(let bytes): self = .binary(bytes)
        case .closed(let close): self = .closed(close)
        }
    }
}
