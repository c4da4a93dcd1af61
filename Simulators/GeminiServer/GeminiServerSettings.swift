/// What a simulated Gemini accepts, and its limits.
///
/// The keys are plain text, for simulated services only; they appear in no error and no record.
public struct GeminiServerSettings: Sendable {
    /// Keys that are accepted.
    public var keys: Set<String>
    /// Keys that are refused as expired.
    public var expiredKeys: Set<String>
    /// The models that exist.
    public var models: [GeminiModel]
    /// Bytes of the largest message taken; the socket refuses larger ones with 1009.
    public var largestMessage: Int
    /// The longest wait for the setup.
    public var setupTimeout: Duration
    /// The longest life of one connection.
    public var connectionLimit: Duration
    /// How long before the end of a connection the client is warned.
    public var warning: Duration
    /// The longest session with video, unless its context is compressed.
    public var videoLimit: Duration
    /// How long a handle can be used after its session has ended.
    public var handleLife: Duration
    /// Frames per session whose bytes the record keeps: the newest ones.
    public var framesKept: Int

    /// Makes settings; the limits are those that the service documents.
    public init(
        keys: Set<String>,
        expiredKeys: Set<String> = [],
        models: [GeminiModel] = GeminiServerSettings.usualModels,
        largestMessage: Int = 16 * 1024 * 1024,
        setupTimeout: Duration = .seconds(60),
        connectionLimit: Duration = .seconds(600),
        warning: Duration = .seconds(60),
        videoLimit: Duration = .seconds(120),
        handleLife: Duration = .seconds(7200),
        framesKept: Int = 8
    ) {
        self.keys = keys
        self.expiredKeys = expiredKeys
        self.models = models
        self.largestMessage = largestMessage
        self.setupTimeout = setupTimeout
        self.connectionLimit = connectionLimit
        self.warning = warning
        self.videoLimit = videoLimit
        self.handleLife = handleLife
        self.framesKept = framesKept
    }

    /// Two live models and one that is not.
    public static var usualModels: [GeminiModel] {
        [
            GeminiModel(id: "gemini-2.0-flash-live-001", displayName: "Gemini 2.0 Flash Live"),
            GeminiModel(id: "gemini-live-2.5-flash-preview", displayName: "Gemini Live 2.5 Flash Preview"),
            GeminiModel(
                id: "gemini-2.5-flash",
                displayName: "Gemini 2.5 Flash",
                inputTokenLimit: 1_048_576,
                outputTokenLimit: 65_536,
                methods: ["generateContent", "countTokens"]
            ),
        ]
    }
}

extension GeminiServerSettings: CustomStringConvertible, CustomReflectable {
    /// How many keys and models there are, none of them by name.
    public var description: String {
        "Gemini with \(keys.count) keys, \(expiredKeys.count) expired ones, and \(models.count) models"
    }
    /// Nothing to reflect.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
