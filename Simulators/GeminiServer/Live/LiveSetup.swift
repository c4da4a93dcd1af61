import PeerKit

/// A setup message that has been read and found in order.
///
/// What REST refuses of a generation config and of instructions is refused here too, with 1007; that the service does so, and
/// its words, are not confirmed.
struct LiveSetup: Sendable {
    /// With `models/`.
    let model: String
    var instructions: String?
    /// Whether the model answers in sound.
    let speaks: Bool
    /// The voice that was asked for; empty for the usual one.
    let voice: String
    var tools: LiveTools
    /// Whether the client wants handles.
    let wantsHandles: Bool
    let handle: String?
    let compression: ContextCompression?
    /// Whether the client marks its own activity (automatic detection is off).
    let marksActivity: Bool
    let detection: SpeechDetector.Settings
    /// Whether activity of the user cuts a running answer short.
    let interrupts: Bool
    let transcribesInput: Bool
    let transcribesOutput: Bool
    /// Whether messages report starts and ends of activity.
    let tellsActivity: Bool
    /// Whether the first client content only seeds the history.
    let seedsHistory: Bool

    /// Fields of a generation config that Live does not take.
    private static let foreignFields = [
        "response_schema", "response_json_schema", "response_mime_type", "stop_sequences",
        "response_logprobs", "logprobs",
    ]

    /// Reads a setup whose names are in snake_case.
    ///
    /// - Throws: The close for a model that does not exist, or for what it cannot do.
    init(_ setup: JSONValue, models: [GeminiModel], version: String) throws(LiveRefusal) {
        let name = setup["model"]?.string ?? ""
        guard models.contains(where: { $0.isLive && "models/\($0.id)" == name }) else {
            throw .unknownModel(name, version: version)
        }
        model = name
        let generation = setup["generation_config"]
        for field in Self.foreignFields where generation?[field] != nil { throw .invalidArgument }
        do throws(GeminiFailure) { try GenerationOptions.checkRanges(generation) } catch {
            throw LiveRefusal(reading: error)
        }
        speaks = try Self.speaks(generation)
        voice =
            generation?["speech_config"]?["voice_config"]?["prebuilt_voice_config"]?["voice_name"]?.string
            ?? ""
        let text = try setup["system_instruction"].map { content throws(LiveRefusal) in
            try Self.instructions(content)
        }
        instructions = text?.isEmpty == false ? text : nil
        tools = try LiveTools(setup["tools"]?.array ?? [])
        wantsHandles = setup["session_resumption"] != nil
        let handle = setup["session_resumption"]?["handle"]?.string ?? ""
        self.handle = handle.isEmpty ? nil : handle
        compression = setup["context_window_compression"].map(ContextCompression.init)
        let input = setup["realtime_input_config"]
        marksActivity = input?["automatic_activity_detection"]?["disabled"]?.bool ?? false
        detection = SpeechDetector.Settings(input?["automatic_activity_detection"])
        interrupts = input?["activity_handling"]?.string != "NO_INTERRUPTION"
        transcribesInput = setup["input_audio_transcription"] != nil
        transcribesOutput = setup["output_audio_transcription"] != nil
        tellsActivity = setup["explicit_vad_signal"]?.bool ?? false
        seedsHistory = setup["history_config"]?["initial_history_in_client_content"]?.bool ?? false
    }

    /// The words of standing instructions, a line for each part.
    ///
    /// - Throws: 1007 for parts that REST refuses, and for pictures.
    static func instructions(_ content: JSONValue) throws(LiveRefusal) -> String {
        var tokens = TokenCount()
        do throws(GeminiFailure) {
            return try ContentReader.words.instructions(content, &tokens).text
        } catch {
            throw LiveRefusal(reading: error)
        }
    }

    /// One modality a session; without any, the model speaks.
    private static func speaks(_ generation: JSONValue?) throws(LiveRefusal) -> Bool {
        let modalities = generation?["response_modalities"]?.array?.compactMap(\.string) ?? []
        switch modalities {
        case [], ["MODALITY_UNSPECIFIED"], ["AUDIO"]: return true
        case ["TEXT"]: return false
        default: throw .invalidArgument
        }
    }
}

extension SpeechDetector.Settings {
    fileprivate init(_ json: JSONValue?) {
        self.init()
        if json?["start_of_speech_sensitivity"]?.string == "START_SENSITIVITY_LOW" {
            startLevel = Self.lowSensitivity
        }
        // At low sensitivity for the end, a voice that becomes soft has not ended.
        endLevel = startLevel
        if json?["end_of_speech_sensitivity"]?.string == "END_SENSITIVITY_LOW" { endLevel = startLevel / 2 }
        if let prefix = json?["prefix_padding_ms"]?.count { prefixMilliseconds = prefix }
        if let silence = json?["silence_duration_ms"]?.count { silenceMilliseconds = silence }
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
        let trigger = max(1, json["trigger_tokens"]?.count ?? Self.usualTrigger)
        triggerTokens = trigger
        targetTokens = min(max(1, json["sliding_window"]?["target_tokens"]?.count ?? trigger / 2), trigger)
    }
}

extension JSONValue {
    /// A whole number that is not negative, written as a number or as a text.
    fileprivate var count: Int? {
        (number ?? string.flatMap(Double.init)).flatMap { Int(exactly: $0.rounded()) }.map { max(0, $0) }
    }
}
