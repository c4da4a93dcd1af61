import GeminiAPI
import GeminiLive
import Services
import TestSupport
import Transport

extension ScriptedServer {
    /// A client of a server that reads the setup, accepts it, and then says `messages`.
    static func saying(_ messages: [WebSocketEvent]) async throws -> any LiveSession {
        try await model { socket in
            _ = try? await socket.receive()
            try? await socket.send(text: #"{"setupComplete":{}}"#)
            for message in messages {
                switch message {
                case .text(let text): try? await socket.send(text: text)
                case .binary(let bytes): try? await socket.send(binary: bytes)
                case .closed(let close): await socket.close(close)
                }
            }
            _ = try? await socket.receive()
        }
        .startSession(LiveConfiguration(model: "m"))
    }

    static func model(
        options: GeminiOptions = GeminiOptions(),
        _ session: @escaping @Sendable (any WebSocket) async -> Void
    ) async throws(TransportError) -> GeminiLiveModel {
        let transport = try await GeminiWorld.transport(to: ScriptedServer.session(session), port: 80)
        return GeminiLiveModel(
            client: transport,
            endpoint: GeminiEndpoint(authority: "gemini.test", isSecure: false),
            options: options
        ) { () throws(SecretStoreError) in Secret("sesame") }
    }
}

extension LiveSession {
    /// The next events.
    func events(_ count: Int) async throws -> [LiveEvent] {
        var events: [LiveEvent] = []
        for _ in 0..<count { events.append(try await nextEvent()) }
        return events
    }

    /// The text of the current turn, read to its end.
    func turn() async throws -> String {
        var text = ""
        while true {
            switch try await nextEvent() {
            case .text(let piece): text += piece
            case .turnComplete, .closed: return text
            default: break
            }
        }
    }
}
