import Transport

/// What a path asks of the echo server.
enum EchoPath: Equatable {
    /// Echo, which all paths ask for but those below.
    case plain
    /// `/status/CODE`, 400 to 599: an answer, or a refused handshake, with this status.
    case status(Int)
    /// `/close/CODE/REASON`: the end of a WebSocket. Without a reason, `/close/CODE`.
    ///
    /// The code is one that a close frame may have (RFC 6455 section 7.4, and the registry of IANA that it founds), or 1006 for
    /// a cut connection. The reason is taken as it stands, and has 123 bytes at most.
    case close(WebSocketClose)

    /// Reads a request's path; its query has no meaning.
    init(_ path: String?) {
        let words = (path ?? "/").prefix { $0 != "?" }.split(separator: "/", maxSplits: 2)
        self = .plain
        guard words.count >= 2, let code = UInt16(words[1]) else { return }
        switch words[0] {
        case "status" where (400...599).contains(code) && words.count == 2: self = .status(Int(code))
        // 1006 asks for a cut connection.
        case "close" where code == 1006 || WebSocketClose.mayBeSent(code):
            let reason = words.count > 2 ? String(words[2]) : ""
            if reason.utf8.count <= WebSocketClose.reasonBytes {
                self = .close(WebSocketClose(code: code, reason: reason))
            }
        default: break
        }
    }
}
