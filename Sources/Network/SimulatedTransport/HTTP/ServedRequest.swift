import HTTPTypes
import Transport

/// One request on the server's side: asks the server, and sends its answer.
struct ServedRequest {
    private let connection: Connection
    private let request: HTTPRequest
    private let length: Int?

    init(_ connection: Connection, _ request: HTTPRequest, length: Int?) {
        self.connection = connection
        self.request = request
        self.length = length
    }

    func answer(by server: any Server) async {
        let peer = "client of \(request.loggedURL)"
        let idle = connection.timing.serverIdleTimeout.nanoseconds
        let reader = BodyReader(connection, at: .server, peer: peer, timeout: idle, upload: nil)
        let answer = await server.respond(
            to: request,
            body: length == 0 ? .empty : reader.body(length: length)
        )
        if Task.isCancelled { return connection.abort(.server) }
        let (head, body) = Self.plan(answer.head, answer.body, method: request.method)
        await Self.send(head, body, on: connection, peer: peer)
    }

    /// Sends a response to its end, then waits for the next request.
    static func send(_ head: HTTPResponse, _ body: HTTPBody, on connection: Connection, peer: String) async {
        connection.sendControl(.response(head, length: body.length), from: .server)
        switch await BodyWriter(connection: connection, side: .server, peer: peer).write(body) {
        case .complete:
            connection.answered(
                keeping: connection[.server].listener?.isOpen == true && !head.headerFields.closesConnection
            )
        case .stopped, .failed: connection.abort(.server)
        }
    }

    /// How a response is framed (RFC 9112 section 6).
    static func plan(
        _ head: HTTPResponse,
        _ body: HTTPBody,
        method: HTTPRequest.Method
    ) -> (head: HTTPResponse, body: HTTPBody) {
        var head = head
        // Interim answers are not a server's to return.
        if (100..<200).contains(head.status.code) {
            return (HTTPResponse(status: .internalServerError), .empty)
        }
        // RFC 9110 section 6.6.1: a server with a clock sends the date; one that says it itself knows better.
        if head.headerFields[.date] == nil { head.headerFields[.date] = HTTPDate.now() }
        let declared = head.headerFields[.contentLength]
        head.headerFields[.contentLength] = nil
        head.headerFields[.transferEncoding] = nil
        if head.status.code == 204 { return (head, .empty) }
        if head.status.code == 304 || method == .head {
            // The length is that of the body that GET would get.
            head.headerFields[.contentLength] = body.length == 0 ? declared : body.length.map { "\($0)" }
            return (head, .empty)
        }
        if let length = body.length {
            head.headerFields[.contentLength] = "\(length)"
        } else {
            head.headerFields[.transferEncoding] = "chunked"
        }
        return (head, body)
    }
}
