import PeerKit

/// A setup message that has been read and found in order.
struct LiveSetup: Sendable {
    /// With `models/`.
    let model: String
    let instructions: String?
    /// Whether the client wants handles.
    let wantsHandles: Bool
    let handle: String?
    let compression: ContextCompression?
    /// Whether the client marks its own activity (automatic detection is off).
    let marksActivity: Bool
    /// Whether the first client content only seeds the history.
    let seedsHistory: Bool

    /// Fields of a generation config that Live does not take.
    private static let foreignFields = [
        "response_schema", "response_json_schema", "response_mime_type", "stop_sequences",
        "response_logprobs", "logprobs",
    ]

    /// Reads a setup whose names are in snake_case.
    ///
    /// - Throws: The close for a model that does not exist, or for what this simulator's models cannot do.
    init(_ setup: JSONValue, models: [GeminiModel], version: String) throws(LiveRefusal) {
        let name = setup["model"]?.string ?? ""
        guard models.contains(where: { $0.isLive && "models/\($0.id)" == name }) else {
            throw .unknownModel(name, version: version)
        }
        model = name
        let generation = setup["generation_config"]
        // One modality a session, and text is the only one here; without any, the service would speak.
        guard generation?["response_modalities"]?.array == ["TEXT"] else { throw .invalidArgument }
        for field in Self.foreignFields where generation?[field] != nil { throw .invalidArgument }
        let parts = setup["system_instruction"]?["parts"]?.array ?? []
        let text = parts.compactMap { $0["text"]?.string }.joined(separator: "\n")
        instructions = text.isEmpty ? nil : text
        wantsHandles = setup["session_resumption"] != nil
        let handle = setup["session_resumption"]?["handle"]?.string ?? ""
        self.handle = handle.isEmpty ? nil : handle
        compression = setup["context_window_compression"].map(ContextCompression.init)
        let detection = setup["realtime_input_config"]?["automatic_activity_detection"]
        marksActivity = detection?["disabled"]?.bool ?? false
        seedsHistory = setup["history_config"]?["initial_history_in_client_content"]?.bool ?? false
    }
}

/// A sliding window over the context.
struct ContextCompression: Sendable {
    /// Tokens at which the oldest context is dropped: 80 % of 128k, the documented default.
    private static let usualTrigger = 104_857

    let triggerTokens: Int
    /// Tokens that are kept; half of the trigger unless given.
    let targetTokens: Int

    init(_ json: JSONValue) {
        let trigger = Self.count(json["trigger_tokens"]) ?? Self.usualTrigger
        triggerTokens = trigger
        targetTokens = min(Self.count(json["sliding_window"]?["target_tokens"]) ?? trigger / 2, trigger)
    }

    private static func count(_ json: JSONValue?) -> Int? {
        (json?.number ?? json?.string.flatMap(Double.init)).flatMap { Int(exactly: $0.rounded()) }.map {
            max(1, $0)
        }
    }
}
