/// All that a chat model is asked at once.
public struct ChatRequest: Sendable, Hashable {
    /// The service's name for the model.
    public var model: String
    /// The conversation, oldest first; the last is what is to be answered.
    public var contents: [ChatContent]
    /// Standing instructions; `nil` for the model's own manner.
    public var instructions: String?
    /// How the answer is made.
    public var settings: GenerationSettings
    /// What is let through; the service's own thresholds for what is not named.
    public var safety: [HarmCategory: HarmThreshold]
    /// The form of the answer.
    public var output: ChatOutput
    /// Functions that the model may ask its caller to run.
    public var functions: [FunctionDeclaration]
    /// Whether the model calls functions, and which; `nil` for the service's own way.
    public var functionUse: FunctionUse?

    /// Makes a request of its parts.
    public init(
        model: String,
        contents: [ChatContent],
        instructions: String? = nil,
        settings: GenerationSettings = GenerationSettings(),
        safety: [HarmCategory: HarmThreshold] = [:],
        output: ChatOutput = .text,
        functions: [FunctionDeclaration] = [],
        functionUse: FunctionUse? = nil
    ) {
        self.model = model
        self.contents = contents
        self.instructions = instructions
        self.settings = settings
        self.safety = safety
        self.output = output
        self.functions = functions
        self.functionUse = functionUse
    }
}

/// Whether a model calls functions, and which of the declared ones.
public enum FunctionUse: Sendable, Hashable {
    /// As the model sees fit.
    case automatic
    /// Not at all.
    case never
    /// In every answer, one of these or, with an empty list, of all.
    case always(among: [String] = [])
    /// As the model sees fit, one of these or, with an empty list, of all; calls fit their schemas.
    case validated(among: [String] = [])
}

/// How an answer is made; `nil` leaves a setting to the service.
public struct GenerationSettings: Sendable, Hashable {
    /// How much chance there is in the choice of words, from 0; most models take 2 at most.
    public var temperature: Double?
    /// Words are chosen among the likeliest that have this probability together, 0 to 1.
    public var topP: Double?
    /// Words are chosen among this many.
    public var topK: Int?
    /// The longest answer, in tokens.
    public var longestAnswer: Int?
    /// Texts at which the answer ends; they are no part of it.
    public var stopSequences: [String]
    /// Makes equal requests have equal answers, as far as the service can.
    public var seed: Int?
    /// How much words are avoided that are there already, from -2 below 2; less than 0 favours them.
    public var presencePenalty: Double?
    /// The same, the more the more often they are there.
    public var frequencyPenalty: Double?
    /// How much the model thinks, and whether it shows that.
    public var thinking: ChatThinking?
    /// How many answers are given, of which the first is the answer and others are ``ChatAnswer/alternatives``; not every service and
    /// model gives more than one.
    public var candidates: Int?

    /// Makes settings; all are the service's own by default.
    public init(
        temperature: Double? = nil,
        topP: Double? = nil,
        topK: Int? = nil,
        longestAnswer: Int? = nil,
        stopSequences: [String] = [],
        seed: Int? = nil,
        presencePenalty: Double? = nil,
        frequencyPenalty: Double? = nil,
        thinking: ChatThinking? = nil,
        candidates: Int? = nil
    ) {
        self.temperature = temperature
        self.topP = topP
        self.topK = topK
        self.longestAnswer = longestAnswer
        self.stopSequences = stopSequences
        self.seed = seed
        self.presencePenalty = presencePenalty
        self.frequencyPenalty = frequencyPenalty
        self.thinking = thinking
        self.candidates = candidates
    }
}

/// How much a model thinks before it answers.
public struct ChatThinking: Sendable, Hashable {
    /// How much it thinks.
    public enum Amount: Sendable, Hashable {
        /// Tokens at most; 0 for no thinking, -1 for as many as the model sees fit.
        case tokens(Int)
        case low, medium, high
    }

    /// How much it thinks; `nil` for the model's own measure.
    ///
    /// Models take tokens or levels, not both.
    public var amount: Amount?
    /// Whether summaries of thoughts come with the answer.
    public var isShown: Bool

    /// Makes a value of its parts.
    public init(_ amount: Amount? = nil, isShown: Bool = false) {
        self.amount = amount
        self.isShown = isShown
    }
}

/// The form of an answer.
public enum ChatOutput: Sendable, Hashable {
    /// Words for people.
    case text
    /// A JSON document; of that JSON schema, if one is given.
    case json(schema: StructuredValue?)
}

/// A function that the model may ask its caller to run.
public struct FunctionDeclaration: Sendable, Hashable {
    /// Letters, digits, `_`, `-` and `.`, beginning with a letter or `_`.
    public var name: String
    /// What it does, for the model.
    public var summary: String
    /// A JSON schema of its arguments; `nil` when it has none.
    public var parameters: StructuredValue?

    /// Makes a declaration.
    public init(name: String, summary: String, parameters: StructuredValue? = nil) {
        self.name = name
        self.summary = summary
        self.parameters = parameters
    }
}
