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
            let plan = ResponsePlan(response, body, to: head)
            switch plan.body {
            case .empty: try await write(ResponseParts(plan: plan, isLast: true))
            case .bytes(let bytes): try await write(ResponseParts(plan: plan, bytes: bytes, isLast: true))
            case .stream(let stream, let length): try await relay(stream, length: length, after: plan)
            case .repeatable(let length, _):
                try await write(ResponseParts(plan: plan))
                try await relay(plan.body.chunks(), length: length)
            }
        } catch {
            loop.execute { handler.value.abort(exchange: exchange) }
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

    /// Writes a body as it comes; what there is of it at the same moment is written together, with the head and the end.
    ///
    /// - Parameters:
    ///   - stream: The body.
    ///   - length: Its declared length, if it has one.
    ///   - plan: What has the head, unless it is written already.
    private func relay(
        _ stream: ByteStream,
        length: Int?,
        after plan: ResponsePlan? = nil
    ) async throws(TransportError) {
        var chunks = stream.makeAsyncIterator()
        var parts = ResponseParts(plan: plan)
        var sent = 0
        func take(_ chunk: [UInt8]) throws(TransportError) {
            sent += chunk.count
            if let length, sent > length { throw wrongLength(length) }
            if parts.bytes.isEmpty { parts.bytes = chunk } else { parts.bytes += chunk }
        }
        func takeReady() throws(TransportError) {
            while parts.bytes.count < Self.part {
                switch chunks.ready() {
                case .chunk(let chunk): try take(chunk)
                case .later: return
                case .end:
                    if let length, sent < length { throw wrongLength(length) }
                    parts.isLast = true
                    return
                }
            }
        }
        try takeReady()
        if plan != nil || parts.isLast { try await write(parts) }
        while !parts.isLast {
            parts = ResponseParts()
            if let chunk = try await chunks.next() { try take(chunk) }
            try takeReady()
            try await write(parts)
        }
    }

    private func wrongLength(_ declared: Int) -> TransportError {
        let detail = "the body has not the declared \(declared) bytes"
        return TransportError(.protocolViolation, operation: "send answer", peer: "client", detail: detail)
    }

    /// Writes in parts as the peer takes them, so that no more than one of them is copied at a time.
    ///
    /// Nobody waits for the last part: the answer is out of this task's hands.
    private func write(_ parts: ResponseParts) async throws(TransportError) {
        var rest = parts
        var start = 0
        while parts.bytes.count - start > Self.part {
            let end = start + Self.part
            try await give(ResponseParts(plan: rest.plan, bytes: Array(parts.bytes[start..<end])))
            start = end
            rest.plan = nil
        }
        if start > 0 { rest.bytes = Array(parts.bytes[start...]) }
        guard parts.isLast else { return try await give(rest) }
        perform { [rest] in $0.write(rest, exchange: exchange, nil) }
    }

    /// Waits until the channel has room for more.
    private func give(_ parts: ResponseParts) async throws(TransportError) {
        try await onLoop { (handler, reply: Reply<Void>) in
            handler.write(parts, exchange: exchange, reply)
        }
    }

    private func onLoop<Value: Sendable>(
        _ work: @escaping @Sendable (HTTPConnectionHandler, Reply<Value>) -> Void
    ) async throws(TransportError) -> Value {
        let reply = Reply<Value>()
        perform { work($0, reply) }
        return try await reply.value(
            orWhenCancelled: TransportError(.cancelled, operation: "send answer", peer: "client")
        )
    }

    /// Does something on the loop: at once, where the task runs on it.
    private func perform(_ work: @escaping @Sendable (HTTPConnectionHandler) -> Void) {
        if loop.inEventLoop { work(handler.value) } else { loop.execute { work(handler.value) } }
    }
}
