/// All that a chat model is asked at once.
public struct ChatRequest: Sendable, Hashable {
    /// The service's name for the model, with or without a `models/` prefix.
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

    /// Makes a request of its parts.
    public init(
        model: String,
        contents: [ChatContent],
        instructions: String? = nil,
        settings: GenerationSettings = GenerationSettings(),
        safety: [HarmCategory: HarmThreshold] = [:],
        output: ChatOutput = .text,
        functions: [FunctionDeclaration] = []
    ) {
        self.model = model
        self.contents = contents
        self.instructions = instructions
        self.settings = settings
        self.safety = safety
        self.output = output
        self.functions = functions
    }
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

    /// Makes settings; all are the service's own by default.
    public init(
        temperature: Double? = nil,
        topP: Double? = nil,
        topK: Int? = nil,
        longestAnswer: Int? = nil,
        stopSequences: [String] = [],
        seed: Int? = nil
    ) {
        self.temperature = temperature
        self.topP = topP
        self.topK = topK
        self.longestAnswer = longestAnswer
        self.stopSequences = stopSequences
        self.seed = seed
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
