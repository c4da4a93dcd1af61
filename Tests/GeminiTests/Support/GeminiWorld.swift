import GeminiAPI
import GeminiLive
import GeminiServer
import HTTPTypes
import Services
import SimulatedTransport
import Transport

/// A simulated Gemini and a client of it, on a simulated network without delay.
struct GeminiWorld {
    static let key = "test+key/with=signs"
    static let model = "gemini-2.0-flash-live-001"

    let server: GeminiServer
    let transport: any Transport

    /// - Precondition: In a simulation.
    init(
        script: GeminiScript = GeminiScript(brain: FixedBrain()),
        settings: GeminiServerSettings = GeminiServerSettings(keys: [GeminiWorld.key])
    ) async throws(TransportError) {
        server = GeminiServer(settings, script: script, inspectFrame: TestPicture.inspect)
        transport = try await Self.transport(to: server, port: 443)
    }

    /// A client's end of a network without delay, at whose other end is a server.
    static func transport(to server: any Server, port: Int) async throws(TransportError) -> any Transport {
        let network = SimulatedNetwork(defaults: LinkConditions(latency: .constant(.zero)))
        _ = try await network.host("gemini.test").listen(
            server,
            at: SocketAddress(host: "gemini.test", port: port)
        )
        return network.host("client")
    }

    /// Waits until all that goes on in the server has ended.
    func settle() async throws { try await Task.sleep(for: .seconds(60)) }

    func client(
        key: String? = GeminiWorld.key,
        version: String = "v1beta",
        options: GeminiOptions = GeminiOptions()
    ) -> GeminiLiveModel {
        GeminiLiveModel(
            client: transport,
            endpoint: GeminiEndpoint(authority: "gemini.test", version: version),
            options: options
        ) { () throws(SecretStoreError) in key.map { Secret($0) } }
    }

    func open(
        _ configuration: LiveConfiguration = LiveConfiguration(model: GeminiWorld.model),
        options: GeminiOptions = GeminiOptions()
    ) async throws -> any LiveSession {
        try await client(options: options).startSession(configuration)
    }

    /// A connection without the client, for words that it would never send.
    func raw(path: String? = nil, headers: HTTPFields = [:]) async throws -> RawConnection {
        let path = path ?? Self.path(version: "v1beta") + "?key=test%2Bkey%2Fwith%3Dsigns"
        let request = HTTPRequest(
            method: .get,
            scheme: "wss",
            authority: "gemini.test",
            path: path,
            headerFields: headers
        )
        return RawConnection(
            socket: try await transport.connect(request, limits: WebSocketLimits(), timeout: .seconds(60))
        )
    }

    static func path(version: String) -> String {
        "/ws/google.ai.generativelanguage.\(version).GenerativeService.BidiGenerateContent"
    }
}

/// A brain that says the same words in the same pieces each time, at once.
struct FixedBrain: GeminiBrain {
    var pieces: [GeminiReply.Chunk] = [.init(["Hel", "lo "]), .init(["there."])]

    func reply(to turn: GeminiTurn) -> GeminiReply { GeminiReply(pieces) }
}

/// A stand-in for a JPEG: start and end of image as in the real format, and a size and number in between.
enum TestPicture {
    struct NotAPicture: Error {}

    static func jpeg(number: UInt8, byteCount: Int = 64) -> [UInt8] {
        let middle = (0..<max(0, byteCount - 7)).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ Int(number)) }
        return [0xFF, 0xD8, 64, 48, number] + middle + [0xFF, 0xD9]
    }

    static func inspect(_ bytes: [UInt8]) throws -> FrameInspection {
        guard bytes.count >= 7, bytes.prefix(2) == [0xFF, 0xD8], bytes.suffix(2) == [0xFF, 0xD9] else {
            throw NotAPicture()
        }
        return FrameInspection(width: Int(bytes[2]), height: Int(bytes[3]), number: Int(bytes[4]))
    }
}
