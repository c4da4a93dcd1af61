/// Why a turn is no answer like others.
public enum LiveTurnReason: String, Sendable, Hashable, CaseIterable {
    /// The model wanted to call a function and spelled the call wrong.
    case malformedCall
    /// The model refuses to answer.
    case rejected
    /// The model needs more from the user.
    case needsMoreInput
    /// The input is not allowed.
    case prohibitedInput
    /// The input is on a list of words.
    case blocklist
    /// The answer was not allowed.
    case prohibitedAnswer
    /// The answer failed a check of safety.
    case unsafeAnswer
    /// The spoken answer failed a check of safety.
    case unsafeSpeech
    /// Any other reason, most of them about pictures.
    case other
}

/// What a service does with the input so far.
public enum LiveInteraction: String, Sendable, Hashable, CaseIterable {
    /// It works on the input, and more may be said.
    case inProgress
    /// It waits for the app; services have given that up in favour of `idle`.
    case requiresAction
    /// All is done.
    case idle
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
