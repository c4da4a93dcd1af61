package import HTTPTypes

/// What both ends of an opening handshake have to agree on, apart from how it travels (RFC 6455 section 4).
package enum WebSocketHandshake {
    /// The most bytes of a refusal's body that are kept as evidence.
    package static let refusalBytes = 16 * 1024

    /// The subprotocols that a request offers, in the client's order of preference.
    package static func offered(by request: HTTPFields) -> [String] { list(request) }

    /// The subprotocol that an accepting answer chose, if any.
    ///
    /// - Throws: `protocolViolation` when the answer chose something that was not offered; extensions never are.
    package static func subprotocol(
        chosenBy answer: HTTPFields,
        for request: HTTPFields,
        operation: String,
        peer: String
    ) throws(TransportError) -> String? {
        let chosen = list(answer)
        let offered = offered(by: request)
        guard chosen.count <= 1, chosen.allSatisfy(offered.contains),
            answer[values: .secWebSocketExtensions].isEmpty
        else {
            throw TransportError(
                .protocolViolation,
                operation: operation,
                peer: peer,
                detail: "the server chose a protocol or extension that was not offered"
            )
        }
        return chosen.first
    }

    /// What a server adds to its accepting answer, without the fields that the handshake itself decides.
    package static func answerFields(_ added: HTTPFields) -> HTTPFields {
        var fields = added
        for name in handshakeFields { fields[name] = nil }
        return fields
    }

    private static let handshakeFields: [HTTPField.Name] = [
        .connection, .upgrade, .secWebSocketAccept, .secWebSocketExtensions, .contentLength,
        .transferEncoding,
    ]

    private static func list(_ fields: HTTPFields) -> [String] {
        fields[values: .secWebSocketProtocol].flatMap { $0.split(separator: ",") }.map { part in
            let trimmed = part.drop { $0 == " " || $0 == "\t" }
            let end = trimmed.lastIndex { $0 != " " && $0 != "\t" }
            return end.map { String(trimmed[...$0]) } ?? ""
        }
    }
}
