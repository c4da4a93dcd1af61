import CommandKit
import GeminiServer
import GeminiSight

extension ServedServer {
    /// A simulated Gemini.
    ///
    /// - Parameters:
    ///   - key: What clients prove themselves with.
    ///   - brain: What it says; `nil` for what it sees.
    ///   - rules: Changes the rules for Live sessions.
    static func gemini(
        key: String,
        brain: (any GeminiBrain)?,
        rules: (inout GeminiServerSettings) -> Void
    ) -> ServedServer {
        var settings = GeminiServerSettings(keys: [key])
        settings.sessionsKept = sessionsKept
        rules(&settings)
        var script = GeminiScript()
        if let brain { script.brain = brain }
        let inspector = FrameInspector()
        let server = GeminiServer(settings, script: script) { try inspector.inspect($0) }
        return ServedServer(server, faults: server.faults) { address in
            facts(of: address, key: key) + [.init(label: "model", key: "model", value: liveModel)]
        }
    }

    /// A recording of another Gemini, which has models of its own.
    static func gemini(_ recording: GeminiRecording, key: String) -> ServedServer {
        ServedServer(recording.server(clientKey: key)) { facts(of: $0, key: key) }
    }

    private static func facts(of address: String, key: String) -> [ServedFacts.Fact] {
        [
            .init(label: "base URL", key: "baseURL", value: address, isKnown: true),
            .init(label: "key", key: "apiKey", value: key),
        ]
    }

    /// Sessions whose frames and texts are kept: as many as the journal shows.
    private static let sessionsKept = 100
    /// One of the simulated models that speak in Live sessions.
    private static let liveModel = "gemini-live-2.5-flash-preview"
}
