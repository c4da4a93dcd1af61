/// Why a turn is no answer like others; raw values are Gemini's names (google-genai 3.4.0, `TurnCompleteReason`).
public enum LiveTurnReason: String, Sendable, Hashable, CaseIterable {
    /// The model wanted to call a function and spelled the call wrong.
    case malformedCall = "MALFORMED_FUNCTION_CALL"
    /// The model refuses to answer.
    case rejected = "RESPONSE_REJECTED"
    /// The model needs more from the user.
    case needsMoreInput = "NEED_MORE_INPUT"
    /// The input is not allowed.
    case prohibitedInput = "PROHIBITED_INPUT_CONTENT"
    /// The input is on a list of words.
    case blocklist = "BLOCKLIST"
    /// The answer was not allowed.
    case prohibitedAnswer = "GENERATED_CONTENT_PROHIBITED"
    /// The answer failed a check of safety.
    case unsafeAnswer = "GENERATED_CONTENT_SAFETY"
    /// The spoken answer failed a check of safety.
    case unsafeSpeech = "GENERATED_AUDIO_SAFETY"
    /// Any other reason, most of them about pictures.
    case other = "OTHER"
}

/// What a service does with the input so far; raw values are Gemini's names (google-genai 3.4.0, `InteractionStatus`).
public enum LiveInteraction: String, Sendable, Hashable, CaseIterable {
    /// It works on the input, and more may be said.
    case inProgress = "IN_PROGRESS"
    /// It waits for the app; services have given that up in favour of `idle`.
    case requiresAction = "REQUIRES_ACTION"
    /// All is done.
    case idle = "IDLE"
}

/// The user begins or ends to speak.
public struct LiveVoiceActivity: Sendable, Hashable {
    /// Whether the user speaks from now on.
    public var isSpeaking: Bool
    /// Where in the sound it was heard, from the beginning of the sound; `nil` where the service does not say.
    public var offset: Duration?

    /// Makes a value.
    public init(isSpeaking: Bool, offset: Duration? = nil) {
        self.isSpeaking = isSpeaking
        self.offset = offset
    }
}
