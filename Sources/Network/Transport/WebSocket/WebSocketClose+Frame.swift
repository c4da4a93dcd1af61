extension WebSocketClose {
    /// The most bytes of a reason (RFC 6455 section 5.5: 125 bytes of a control frame, less two for the code).
    package static let reasonBytes = 123

    /// The same, with the reason cut between characters so that a close frame can carry it.
    package var fitting: WebSocketClose {
        if reason.utf8.count <= Self.reasonBytes { return self }
        var size = 0
        let beginning = reason.prefix { character in
            size += character.utf8.count
            return size <= Self.reasonBytes
        }
        return WebSocketClose(code: code, reason: String(beginning))
    }

    /// The payload of the close frame; 1005 and 1006, which may not be sent, stand for an empty one.
    package var payload: [UInt8] {
        if code == 1005 || code == 1006 { return [] }
        return [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(fitting.reason.utf8)
    }

    /// Whether a peer may send that code (RFC 6455 section 7.4, and the registry of IANA up to 1014).
    package static func mayBeSent(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
