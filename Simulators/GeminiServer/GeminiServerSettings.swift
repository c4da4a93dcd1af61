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
    /// Sessions whose lists the record keeps: the newest ones.
    ///
    /// Of older ones the numbers stay.
    public var sessionsKept: Int
    /// Sessions that may be open at a time; more are closed with 1011.
    ///
    /// `nil` for any number.
    public var concurrentSessions: Int?
    /// Bytes of texts, frames and speech that the record keeps of all sessions together; what comes after that is counted and left out.
    public var recordMemory: Int = 256 * 1024 * 1024
    /// Whether sessions are refused for where the client is.
    public var refusesRegion: Bool
    /// Whether sessions say that they cannot be gone on with while the model speaks; when the service says so is not confirmed.
    public var tellsWhenNotResumable: Bool
    /// Bytes of the largest REST request with its media; larger ones are refused with 400.
    public var largestRequest: Int
    /// Bytes of all REST requests that are read at the same time; more are refused with 503.
    public var requestMemory: Int = 512 * 1024 * 1024
    /// Bytes of the largest uploaded file.
    public var largestFile: Int = 2 * 1024 * 1024 * 1024
    /// Bytes of all files that are uploaded with one key.
    public var filesOfKey: Int = 20 * 1024 * 1024 * 1024
    /// How long uploaded files are kept.
    public var fileLife: Duration = .seconds(48 * 3600)
    /// How long an uploaded video is processed before it can be used; pictures can be used at once.
    public var videoProcessing: Duration = .seconds(5)
    /// Bytes of pictures that may be received and not yet decoded, of all uploads together; others are not kept at all.
    public var fileMemory: Int = 256 * 1024 * 1024

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
        framesKept: Int = 8,
        sessionsKept: Int = .max,
        concurrentSessions: Int? = nil,
        refusesRegion: Bool = false,
        tellsWhenNotResumable: Bool = false,
        largestRequest: Int = 100 * 1024 * 1024
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
        self.sessionsKept = sessionsKept
        self.concurrentSessions = concurrentSessions
        self.refusesRegion = refusesRegion
        self.tellsWhenNotResumable = tellsWhenNotResumable
        self.largestRequest = largestRequest
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
