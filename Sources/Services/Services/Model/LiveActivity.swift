/// How a service learns that the user speaks, and what it does then.
public struct LiveActivity: Sendable, Hashable {
    /// Who tells when the user begins and ends.
    public var detection: LiveActivityDetection
    /// Whether a user who begins to speak cuts a running answer short.
    public var interrupts: Bool
    /// What of the input belongs to a turn; `nil` for the model's own way.
    public var coverage: Coverage?

    /// What of the input belongs to a turn.
    public enum Coverage: String, Sendable, Hashable, CaseIterable {
        case onlyActivity
        case allInput
        case activityAndVideo
    }

    /// Makes a value of its parts.
    public init(
        detection: LiveActivityDetection = .automatic(LiveVoiceDetection()),
        interrupts: Bool = true,
        coverage: Coverage? = nil
    ) {
        self.detection = detection
        self.interrupts = interrupts
        self.coverage = coverage
    }
}

/// Who tells when the user begins and ends to speak.
public enum LiveActivityDetection: Sendable, Hashable {
    /// The service listens for speech.
    case automatic(LiveVoiceDetection)
    /// The app sends ``LiveInput/activityStart`` and ``LiveInput/activityEnd``.
    case manual
}

/// How a service listens for speech; what is `nil` is as the service has it.
public struct LiveVoiceDetection: Sendable, Hashable {
    /// How readily a change is noticed.
    public enum Sensitivity: String, Sendable, Hashable, CaseIterable {
        case high
        case low
    }

    /// For the start of speech.
    public var start: Sensitivity?
    /// For its end.
    public var end: Sensitivity?
    /// How much speech it takes for a start; whole milliseconds count.
    public var prefix: Duration?
    /// How much silence ends a turn; whole milliseconds count.
    public var silence: Duration?

    /// Makes a value of its parts.
    public init(
        start: Sensitivity? = nil,
        end: Sensitivity? = nil,
        prefix: Duration? = nil,
        silence: Duration? = nil
    ) {
        self.start = start
        self.end = end
        self.prefix = prefix
        self.silence = silence
    }
}
