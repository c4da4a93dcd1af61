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
        let reader = BodyReader(connection, at: .server, peer: peer, timeout: idle)
        let answer = await server.respond(
            to: request,
            body: length == 0 ? .empty : reader.body(length: length)
        )
        if Task.isCancelled { return connection.abort(.server) }
        let framing = ResponseFraming(answer.head, answer.body, to: request.method)
        await Self.send(framing, on: connection, peer: peer)
    }

    /// Sends a response to its end, then waits for the next request.
    static func send(_ framing: ResponseFraming, on connection: Connection, peer: String) async {
        let isKept = framing.keepsConnection && connection[.server].listener?.isOpen == true
        var head = framing.head
        if !isKept { head.headerFields[.connection] = "close" }
        connection.sendControl(.response(head, length: framing.body.length), from: .server)
        let writer = BodyWriter(connection: connection, side: .server, peer: peer)
        switch await writer.write(framing.body) {
        case .complete: connection.answered(keeping: isKept)
        case .stopped, .failed: connection.abort(.server)
        }
    }
}
