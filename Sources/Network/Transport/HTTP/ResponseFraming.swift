package import HTTPTypes

/// How a server's answer is framed on a connection (RFC 9112 section 6).
package struct ResponseFraming: Sendable {
    /// The head with the date, and with the fields of the framing that the body calls for; fields of the connection are taken out.
    package let head: HTTPResponse
    /// What is sent of the body.
    package let body: HTTPBody
    /// Whether the connection can serve another request, as far as the answer decides it.
    package let keepsConnection: Bool

    /// Fields that are the transport's to set; a server sets `Upgrade` in a 426.
    private static let ofConnection: [HTTPField.Name] =
        [.connection, .transferEncoding, .contentLength, .upgrade]
        + [HTTPField.Name("Keep-Alive")].compactMap { $0 }

    /// Frames an answer.
    ///
    /// - Parameters:
    ///   - response: What the server answers.
    ///   - body: What it answers with.
    ///   - method: The method of the request.
    ///   - allowsChunks: Whether the client understands chunks; otherwise the end of the connection ends a body of unknown length.
    package init(
        _ response: HTTPResponse,
        _ body: HTTPBody,
        to method: HTTPRequest.Method,
        allowsChunks: Bool = true
    ) {
        // Interim answers are the transport's to send; a server that returns one as its answer is broken.
        let isBroken = (100..<200).contains(response.status.code)
        var head = isBroken ? HTTPResponse(status: .internalServerError) : response
        let body = isBroken ? .empty : body
        var keepsConnection = !head.headerFields.closesConnection
        let declared = head.headerFields[.contentLength]
        if head.headerFields.contains(where: { Self.ofConnection.contains($0.name) }) {
            for name in Self.ofConnection where name != .upgrade || head.status.code != 426 {
                head.headerFields[name] = nil
            }
        }
        // RFC 9110 section 6.6.1: a server with a clock sends the date; a date set by the application is kept.
        if head.headerFields[.date] == nil { head.headerFields[.date] = HTTPDate.now() }
        var sent = body
        if head.status.code == 204 {
            sent = .empty
        } else if head.status.code == 304 || method == .head {
            // The length is that of the body that GET would get.
            head.headerFields[.contentLength] = body.length == 0 ? declared : body.length.map { "\($0)" }
            sent = .empty
        } else if let length = body.length {
            head.headerFields[.contentLength] = "\(length)"
        } else if allowsChunks {
            head.headerFields[.transferEncoding] = "chunked"
        } else {
            keepsConnection = false
        }
        self.head = head
        self.body = sent
        self.keepsConnection = keepsConnection
    }
}

extension HTTPFields {
    /// Whether the sender uses the connection for nothing more (RFC 9112 section 9.6).
    package var closesConnection: Bool {
        guard let connection = self[.connection] else { return false }
        return connection.lowercased().split { $0 == "," || $0 == " " }.contains("close")
    }
}
