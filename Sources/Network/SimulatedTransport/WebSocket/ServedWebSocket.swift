import HTTPTypes
import Transport

/// One WebSocket on the server's side: asks the server about the handshake, and runs its session.
struct ServedWebSocket {
    private let connection: Connection
    private let request: HTTPRequest

    init(_ connection: Connection, _ request: HTTPRequest) {
        self.connection = connection
        self.request = request
    }

    func run(by server: any Server) async {
        let peer = "client of \(request.loggedURL)"
        let decision = await server.upgrade(request)
        if Task.isCancelled || connection[.server].isGone { return connection.abort(.server) }
        switch decision {
        case .refuse(let head, let body):
            let framing = ResponseFraming(head, body, to: request.method)
            await ServedRequest.send(framing, on: connection, peer: peer)
        case .accept(let limits, let fields, let session):
            let state = WebSocketState(connection, at: .server, limits: limits)
            let head = HTTPResponse(
                status: .switchingProtocols,
                headerFields: WebSocketHandshake.answerFields(fields)
            )
            let socket = SimulatedWebSocket(
                connection,
                side: .server,
                state: state,
                peer: peer,
                subprotocol: head.headerFields[.secWebSocketProtocol]
            )
            connection.sendControl(.response(head, length: 0), from: .server)
            await session(socket)
            await socket.close(.normal)
        }
    }
}
