extension WebSocketClose {
    /// The most bytes of a reason (RFC 6455 section 5.5: 125 bytes of a control frame, less two for the code).
    package static let reasonBytes = 123

    /// The same, as a close frame can carry it: the reason is cut between characters, and of a code that may not be sent
    /// nothing is left but 1005, an empty frame.
    package var fitting: WebSocketClose {
        guard Self.mayBeSent(code) else { return WebSocketClose(code: 1005) }
        return WebSocketClose(code: code, reason: Self.beginning(of: reason))
    }

    /// As much of a reason as a close frame can carry, cut between characters.
    package static func beginning(of reason: String) -> String {
        if reason.utf8.count <= reasonBytes { return reason }
        var size = 0
        return String(
            reason.prefix { character in
                size += character.utf8.count
                return size <= reasonBytes
            }
        )
    }

    /// The payload of the close frame; empty for a code that may not be sent.
    package var payload: [UInt8] {
        guard Self.mayBeSent(code) else { return [] }
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
