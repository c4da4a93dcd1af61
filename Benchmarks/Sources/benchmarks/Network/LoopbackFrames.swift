import HTTPTypes
import LiveTransport
import Transport

/// Frames a second through real sockets of this machine and back, beside a bare TCP echo of the same bytes.
///
/// A frame is one WebSocket text message, made from a string and received as bytes, as the app's backends do. One task sends them all, another receives what the server sends back. Both
/// servers are processes of their own, so that what each side costs is known: a rate with `core` is that of the side that
/// needed more processor time, as if each had one core to itself.
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
        let (peer, rawPeer) = (try PeerProcess(.echo), try PeerProcess(.rawEcho))
        let transport = try LiveTransport()
        let request = HTTPRequest(method: .get, scheme: "ws", authority: peer.address, path: "/")
        let socket = try await transport.connect(request, limits: WebSocketLimits(), timeout: .seconds(5))
        let raw = try RawEcho(rawPeer.address)
        let (ours, theirs) = try await alternate(
            rounds: rounds,
            { try await TwoSides.of(peer) { try await exchange(load, over: socket) } },
            {
                try await TwoSides.of(rawPeer) {
                    try raw.exchange(bytes: load.bytes, messages: load.messages)
                }
            }
        )
        await socket.close(.normal)
        await transport.shutdown()
        func samples(_ sides: [TwoSides], _ time: (TwoSides) -> Double) -> Samples {
            Samples(sides.map { Double(load.messages) / time($0) })
        }
        let wall = (ours: samples(ours, \.wall), theirs: samples(theirs, \.wall))
        let core = (ours: samples(ours, \.busier), theirs: samples(theirs, \.busier))
        return [
            Finding("loopback.\(load.name).websocket", "frames/s", wall.ours),
            Finding("loopback.\(load.name).tcp", "frames/s", wall.theirs),
            Finding("loopback.\(load.name).ratio", "×", wall.ours.divided(by: wall.theirs)),
            Finding("loopback.\(load.name).websocket.core", "frames/core s", core.ours),
            Finding("loopback.\(load.name).tcp.core", "frames/core s", core.theirs),
            Finding("loopback.\(load.name).ratio.core", "×", core.ours.divided(by: core.theirs)),
        ]
    }

    @concurrent private static func exchange(_ load: Load, over socket: any WebSocket) async throws {
        let text = String(repeating: "x", count: load.bytes)
        async let sending: Void = {
            for _ in 0..<load.messages { try await socket.send(text: text) }
        }()
        for _ in 0..<load.messages {
            let payload = try await socket.receivePayload()
            guard payload.byteCount == load.bytes else {
                throw Broken(payload: "\(payload)".prefix(100).description)
            }
        }
        try await sending
    }

    private struct Broken: Error { var payload: String }
}
