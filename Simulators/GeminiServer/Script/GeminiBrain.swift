/// Decides what the simulated model says.
public protocol GeminiBrain: Sendable {
    /// The reply to a turn. Called once for each turn, on the session's own actor; it should not take long.
    func reply(to turn: GeminiTurn) -> GeminiReply

    /// What speech is understood to say, in the pieces in which a transcript goes out; together they are the words of the turn.
    func transcript(of speech: GeminiSpeech) -> [String]

    /// Whether it may wait for something or compute for long: its server's requests then run away from the threads that read
    /// connections (`Server.mayBlock`).
    var mayBlock: Bool { get }
}

extension GeminiBrain {
    /// A brain may block.
    public var mayBlock: Bool { true }

    /// How long it was: what was said is beyond a simulation.
    public func transcript(of speech: GeminiSpeech) -> [String] {
        ["Speech ", "of ", "\(speech.milliseconds) ", "ms"]
    }
}

/// What a brain knows when it is its turn to speak.
public struct GeminiTurn: Sendable, Hashable {
    /// Counts turns of the conversation from 0; those of a history count, and a resumed session goes on counting.
    public var index: Int
    /// The words of the user that nobody has answered, a line for each part; empty when the turn was started without any.
    public var prompt: String
    /// The standing instructions of the session.
    public var instructions: String?
    /// How many pictures the conversation has brought: frames of video and pictures of turns.
    public var frameCount: Int
    /// What the newest of them shows.
    public var lastFrame: FrameInspection?
    /// What the newest of them showed when the model spoke last; `nil` before it has spoken or seen anything.
    public var frameBefore: FrameInspection?
    /// The size of the newest of them as it came, such as a JPEG.
    public var lastFrameBytes: Int
    /// Whether the newest content brings a picture; in Live sessions, whether the conversation has brought any.
    public var hasPicture: Bool
    /// Whether the newest content brings an uploaded file.
    public var hasFile: Bool
    /// What the calls before this turn have given.
    public var results: [GeminiCallResult]
    /// Tells conversations of a server apart: that of a Live session and of those that go on with it, and over REST, whose
    /// requests do not say whose they are, all that begin with the same content.
    public var conversation: Int = 0
    /// The model that is asked, without `models/`.
    public var model: String = ""
    /// The whole conversation, oldest first, with neighbours of one speaker joined; empty in Live sessions.
    public var contents: [GeminiContent] = []
    /// What the model may call.
    public var functions: [GeminiFunction] = []
    /// The speech that started the turn; `nil` for words and for marks without sound.
    public var speech: GeminiSpeech?
}

/// What a brain says, in the pieces in which it goes out.
public struct GeminiReply: Sendable, Hashable {
    /// One message with text of the model.
    public struct Chunk: Sendable, Hashable {
        /// The wait before the message.
        public var delay: Duration
        /// The texts of its parts, in order.
        public var parts: [String]
        /// Whether the parts are thoughts, which are no part of the answer.
        public var isThought: Bool
        /// What is to be called, after the texts.
        public var calls: [GeminiCall]

        /// Makes a chunk.
        public init(
            _ parts: [String],
            after delay: Duration = .zero,
            isThought: Bool = false,
            calls: [GeminiCall] = []
        ) {
            self.parts = parts
            self.delay = delay
            self.isThought = isThought
            self.calls = calls
        }
    }

    /// How a reply ends.
    public enum Ending: Sendable, Hashable {
        /// With a `finishReason`, such as `STOP`.
        case finished(String)
        /// Before it began: the prompt is blocked for a `blockReason`, such as `SAFETY`.
        case blocked(String)
        /// With an error: an HTTP status when nothing was said before, else an error in the stream. A Live session is closed.
        case failed(GeminiFailure)

        /// The `turnCompleteReason` of a Live turn that ends so; `nil` for a good end and for an error.
        ///
        /// The names are those of google-genai 3.4.0; which of them the service gives for which reason is not confirmed.
        var turnReason: String? {
            switch self {
            case .finished("STOP"), .finished("MAX_TOKENS"), .failed: nil
            case .finished("MALFORMED_FUNCTION_CALL"): "MALFORMED_FUNCTION_CALL"
            case .finished("SAFETY"): "GENERATED_CONTENT_SAFETY"
            case .finished("PROHIBITED_CONTENT"): "GENERATED_CONTENT_PROHIBITED"
            case .finished("BLOCKLIST"), .blocked("BLOCKLIST"): "BLOCKLIST"
            case .blocked("SAFETY"), .blocked("PROHIBITED_CONTENT"): "PROHIBITED_INPUT_CONTENT"
            case .finished, .blocked: "RESPONSE_REJECTED"
            }
        }
    }

    /// What a Live session says of a reply beside its words; REST has nothing of it.
    public struct Signals: Sendable, Hashable {
        /// Why the turn is no answer like others, a `turnCompleteReason` such as `RESPONSE_REJECTED`; `nil` for the one that
        /// belongs to the reply's ending.
        public var turnReason: String?
        /// Whether the model says that it waits for more from the user.
        public var waitsForInput: Bool = false
        /// Whether messages tell that the service is at work, and when it is done, as newer models do.
        public var tellsInteraction: Bool = false

        /// Makes signals; without any, none is sent.
        public init(turnReason: String? = nil, waitsForInput: Bool = false, tellsInteraction: Bool = false) {
            self.turnReason = turnReason
            self.waitsForInput = waitsForInput
            self.tellsInteraction = tellsInteraction
        }
    }

    /// A source that a reply repeats, as `citationMetadata` of REST has it.
    public struct Citation: Sendable, Hashable {
        /// The bytes of the answer's text, in UTF-8, that come from there.
        public var range: Range<Int>
        /// Where the source is.
        public var uri: String
        /// The licence of the source, such as `mit`.
        public var license: String?

        /// Makes a citation.
        public init(_ range: Range<Int>, uri: String, license: String? = nil) {
            (self.range, self.uri, self.license) = (range, uri, license)
        }
    }

    /// The messages, in order.
    public var chunks: [Chunk]
    /// Sources, told with the end of each candidate; Live sessions have nothing of them here.
    public var citations: [Citation] = []
    /// What goes with them in Live sessions.
    public var signals: Signals = Signals()
    /// How it ends; in Live sessions, an end that is not good is a `turnCompleteReason`, or a close.
    public var ending: Ending

    /// Makes a reply.
    public init(_ chunks: [Chunk], ending: Ending = .finished("STOP")) {
        self.chunks = chunks
        self.ending = ending
    }

    /// The whole answer, without thoughts.
    public var text: String { chunks.filter { !$0.isThought }.flatMap(\.parts).joined() }
}
