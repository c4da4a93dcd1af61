import HTTPTypes
import NIOCore
import NIOHTTP1
import Transport

/// The side of an exchange that runs in its task: reads the body for the server, and writes what it answers.
struct HTTPAnswer: Sendable {
    let handler: NIOLoopBound<HTTPConnectionHandler>
    let loop: any EventLoop
    /// The exchange's number on its connection.
    let exchange: Int
    let head: HTTPRequestHead

    /// The request's body as the server sees it.
    func body(_ inbox: Inbox<[UInt8], TransportError?>, of head: HTTPRequestHead) -> HTTPBody {
        let length = head.declaredLength
        if length == 0 { return .empty }
        let asksFirst = head.expectsContinue
        let stream = ByteStream { () async throws(TransportError) in
            if asksFirst { loop.execute { handler.value.sendContinue(exchange: exchange) } }
            return switch await inbox.take() {
            case .element(let chunk): chunk
            case .end(nil): nil
            case .end(let error?): throw error
            case .cancelled: throw TransportError(.cancelled, operation: "read body", peer: "client")
            }
        }
        return .stream(stream, length: length)
    }

    /// Writes an answer; when it cannot be written whole, the connection ends.
    func send(_ response: HTTPResponse, _ body: HTTPBody) async {
        do {
            let mayKeepAlive = try await onLoop { (handler, reply: Reply<Bool>) in
                reply.settle(.success(handler.mayKeepAlive(exchange: exchange)))
            }
            let plan = ResponsePlan(response, body, to: head, mayKeepAlive: mayKeepAlive)
            switch plan.body {
            case .empty: try await write(ResponseParts(plan: plan, isLast: true))
            case .bytes(let bytes): try await send(bytes, plan)
            case .stream, .repeatable:
                try await write(ResponseParts(plan: plan))
                try await relay(plan.body.chunks(), length: plan.body.length)
                try await write(ResponseParts(isLast: true))
            }
        } catch {
            loop.execute { handler.value.abort(exchange: exchange) }
        }
    }

    /// Writes a body that is there as the peer takes it, so that no more than a part of it is copied.
    private func send(_ bytes: [UInt8], _ plan: ResponsePlan) async throws(TransportError) {
        if bytes.count <= Self.part {
            return try await write(ResponseParts(plan: plan, bytes: bytes, isLast: true))
        }
        try await write(ResponseParts(plan: plan))
        for start in stride(from: 0, to: bytes.count, by: Self.part) {
            let end = min(start + Self.part, bytes.count)
            try await write(ResponseParts(bytes: Array(bytes[start..<end]), isLast: end == bytes.count))
        }
    }

    /// The most bytes of a body that are written at once.
    private static let part = 64 * 1024

    /// Lets the server decide about a WebSocket handshake, and runs the session that it asks for.
    func upgrade(_ request: HTTPRequest, by server: any Server) async {
        if let refusal = handshakeFault {
            await send(refusal, .empty)
            return
        }
        switch await server.upgrade(request) {
        case .refuse(let response, let body): await send(response, body)
        case .accept(let limits, let fields, let session):
            let accepted = try? await onLoop { (handler, reply: Reply<LiveWebSocket>) in
                handler.becomeWebSocket(limits, fields, exchange: exchange, reply)
            }
            // Without a socket, the connection was lost before the session began.
            guard let socket = accepted else { return }
            await session(socket)
            await socket.close(.normal)
        }
    }

    /// What is wrong with the handshake itself (RFC 6455 section 4.2.2), before the server is asked.
    private var handshakeFault: HTTPResponse? {
        guard head.headers["Sec-WebSocket-Version"] == ["13"] else {
            var refusal = HTTPResponse(status: .init(code: 426))
            if let name = HTTPField.Name("Sec-WebSocket-Version") { refusal.headerFields[name] = "13" }
            return refusal
        }
        // 16 bytes in base64 are 22 characters and two of padding.
        let keys = head.headers["Sec-WebSocket-Key"]
        guard keys.count == 1, keys[0].utf8.count == 24, keys[0].hasSuffix("==") else {
            return HTTPResponse(status: .badRequest)
        }
        return nil
    }

    private func relay(_ stream: ByteStream, length: Int?) async throws(TransportError) {
        var sent = 0
        for try await chunk in stream {
            sent += chunk.count
            if let length, sent > length { throw wrongLength(length) }
            for start in stride(from: 0, to: chunk.count, by: Self.part) {
                let part = chunk.count <= Self.part ? chunk : Array(chunk[start...].prefix(Self.part))
                try await write(ResponseParts(bytes: part))
            }
        }
        if let length, sent < length { throw wrongLength(length) }
    }

    private func wrongLength(_ declared: Int) -> TransportError {
        let detail = "the body has not the declared \(declared) bytes"
        return TransportError(.protocolViolation, operation: "send answer", peer: "client", detail: detail)
    }

    private func write(_ parts: ResponseParts) async throws(TransportError) {
        try await onLoop { (handler, reply: Reply<Void>) in
            handler.write(parts, exchange: exchange, reply)
        }
    }

    private func onLoop<Value: Sendable>(
        _ work: @escaping @Sendable (HTTPConnectionHandler, Reply<Value>) -> Void
    ) async throws(TransportError) -> Value {
        let reply = Reply<Value>()
        loop.execute { work(handler.value, reply) }
        return try await reply.value(
            orWhenCancelled: TransportError(.cancelled, operation: "send answer", peer: "client")
        )
    }
}
