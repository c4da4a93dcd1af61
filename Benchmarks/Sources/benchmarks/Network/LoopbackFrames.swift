import HTTPTypes
import LiveTransport
import Transport

/// Frames a second through real sockets of this machine and back, beside a bare TCP echo of the same bytes.
///
/// A frame is one WebSocket text message. One task sends them all, another receives what the server sends back.
enum LoopbackFrames {
    private struct Load: Sendable {
        var name: String
        /// Bytes of a message: a frame's JPEG in base64, with the JSON around it.
        var bytes: Int
        var messages: Int
    }

    private static let loads = [
        Load(name: "20KB", bytes: 20_000, messages: 4_000),
        Load(name: "270KB", bytes: 270_000, messages: 600),
    ]

    static let benchmark = Benchmark(
        name: "loopback",
        summary: "WebSocket messages a second to a loopback server and back, beside a bare TCP echo"
    ) { options in
        var findings: [Finding] = []
        for load in loads { findings += try await measure(load, rounds: options.rounds ?? 7) }
        return findings
    }

    private static func measure(_ load: Load, rounds: Int) async throws -> [Finding] {
        let listener = try await LoopbackHost().listen(EchoServer(), at: .loopback())
        let transport = try LiveTransport()
        let request = HTTPRequest(method: .get, scheme: "ws", authority: "\(listener.address)", path: "/")
        let socket = try await transport.connect(request, limits: WebSocketLimits(), timeout: .seconds(5))
        let raw = try RawEcho()
        let (ours, theirs) = try await alternate(
            rounds: rounds,
            { try await messagesPerSecond(load, over: socket) },
            { try raw.messagesPerSecond(bytes: load.bytes, messages: load.messages) }
        )
        await socket.close(.normal)
        await transport.shutdown()
        await listener.stop()
        return [
            Finding("loopback.\(load.name).websocket", "frames/s", ours),
            Finding("loopback.\(load.name).tcp", "frames/s", theirs),
            Finding("loopback.\(load.name).ratio", "×", ours.divided(by: theirs)),
        ]
    }

    @concurrent private static func messagesPerSecond(_ load: Load, over socket: any WebSocket) async throws
        -> Double
    {
        let text = String(repeating: "x", count: load.bytes)
        let start = ContinuousClock.now
        async let sending: Void = {
            for _ in 0..<load.messages { try await socket.send(text: text) }
        }()
        for _ in 0..<load.messages {
            let event = try await socket.receive()
            guard event.byteCount == load.bytes else {
                throw Broken(event: "\(event)".prefix(100).description)
            }
        }
        try await sending
        return Double(load.messages) / ((ContinuousClock.now - start) / .seconds(1))
    }

    private struct Broken: Error { var event: String }
}

/// Sends back each text.
private struct EchoServer: Server {
    func respond(to request: HTTPRequest, body: HTTPBody) async -> (head: HTTPResponse, body: HTTPBody) {
        (HTTPResponse(status: .notFound), .empty)
    }

    func upgrade(_ request: HTTPRequest) async -> WebSocketUpgrade {
        .accept(WebSocketLimits()) { socket in
            // Any failure shows at the client, as a connection that has ended.
            while case .text(let text) = try? await socket.receive() { try? await socket.send(text: text) }
        }
    }
}
