import HTTPTypes
import LiveTransport
import Transport

/// A server made of two closures.
struct ScriptedServer: Server {
    typealias Answer = (head: HTTPResponse, body: HTTPBody)

    var answer: @Sendable (HTTPRequest, HTTPBody) async -> Answer = { _, _ in
        (HTTPResponse(status: .notFound), .empty)
    }
    var decide: @Sendable (HTTPRequest) async -> WebSocketUpgrade = { _ in
        .refuse(HTTPResponse(status: .init(code: 426)), .empty)
    }

    func respond(to request: HTTPRequest, body: HTTPBody) async -> Answer { await answer(request, body) }

    func upgrade(_ request: HTTPRequest) async -> WebSocketUpgrade { await decide(request) }

    /// Answers every request with 200 and what the closure makes of it.
    static func answering(
        _ answer: @escaping @Sendable (HTTPRequest, HTTPBody) async -> HTTPBody
    ) -> ScriptedServer {
        ScriptedServer(answer: { (HTTPResponse(status: .ok), await answer($0, $1)) })
    }

    /// Accepts every WebSocket.
    static func session(
        limits: WebSocketLimits = WebSocketLimits(),
        _ session: @escaping @Sendable (any WebSocket) async -> Void
    ) -> ScriptedServer {
        ScriptedServer(decide: { _ in .accept(limits, session) })
    }

    /// Sends every message back.
    static func echo(limits: WebSocketLimits = WebSocketLimits()) -> ScriptedServer {
        session(limits: limits) { socket in
            while let event = try? await socket.receive() {
                switch event {
                case .text(let text): try? await socket.send(text: text)
                case .binary(let bytes): try? await socket.send(binary: bytes)
                case .closed: return
                }
            }
        }
    }
}
