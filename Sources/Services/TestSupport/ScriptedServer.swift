package import HTTPTypes
package import Transport

/// A server made of two closures, for suites and tests of transports.
package struct ScriptedServer: Server {
    package typealias Answer = (head: HTTPResponse, body: HTTPBody)

    package var answer: @Sendable (HTTPRequest, HTTPBody) async -> Answer
    package var decide: @Sendable (HTTPRequest) async -> WebSocketUpgrade
    package var mayBlock = true

    package init(
        answer: @escaping @Sendable (HTTPRequest, HTTPBody) async -> Answer = { _, _ in
            (HTTPResponse(status: .notFound), .empty)
        },
        decide: @escaping @Sendable (HTTPRequest) async -> WebSocketUpgrade = { _ in
            .refuse(HTTPResponse(status: .init(code: 426)), .empty)
        }
    ) {
        self.answer = answer
        self.decide = decide
    }

    package func respond(to request: HTTPRequest, body: HTTPBody) async -> Answer {
        await answer(request, body)
    }

    package func upgrade(_ request: HTTPRequest) async -> WebSocketUpgrade { await decide(request) }

    /// Answers every request with 200 and what the closure makes of it.
    package static func answering(
        _ answer: @escaping @Sendable (HTTPRequest, HTTPBody) async -> HTTPBody
    ) -> ScriptedServer {
        ScriptedServer(answer: { (HTTPResponse(status: .ok), await answer($0, $1)) })
    }

    /// Answers no request, until its task is cancelled.
    package static func silent(arrived: Signal, ended: Signal) -> ScriptedServer {
        answering { _, _ in
            arrived.give()
            await Signal.waitForCancellation()
            ended.give()
            return .empty
        }
    }

    /// Accepts every WebSocket.
    package static func session(
        limits: WebSocketLimits = WebSocketLimits(),
        _ session: @escaping @Sendable (any WebSocket) async -> Void
    ) -> ScriptedServer {
        ScriptedServer(decide: { _ in .accept(limits, session) })
    }

    /// Sends every message back.
    package static func echo(limits: WebSocketLimits = WebSocketLimits()) -> ScriptedServer {
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

    /// Keeps everything that every WebSocket receives, with its end.
    package static func keeping(_ events: Box<[WebSocketEvent]>) -> ScriptedServer {
        session { socket in
            while let event = try? await socket.receive() {
                events.append(event)
                if case .closed = event { return }
            }
        }
    }
}

/// The error that an operation throws, or `nil` when it throws none.
package func failure(of operation: () async throws(TransportError) -> Void) async -> TransportError? {
    do {
        try await operation()
        return nil
    } catch {
        return error
    }
}

/// A body that gives chunks with pauses between them, forever when `count` is `nil`.
package func slowBody(every pause: Duration, chunk: [UInt8] = [1, 2, 3], count: Int? = nil) -> HTTPBody {
    let given = Box(0)
    let stream = ByteStream { () async throws(TransportError) in
        if let count, given.value >= count { return nil }
        do {
            try await Task.sleep(for: pause)
        } catch {
            throw TransportError(.cancelled, operation: "make body", peer: "test")
        }
        given.increment()
        return chunk
    }
    return .stream(stream, length: nil)
}
