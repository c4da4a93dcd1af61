import PeerKit

/// An entry of the model list.
public struct GeminiModel: Sendable, Hashable {
    /// The name without `models/`.
    public var id: String
    /// The name for people.
    public var displayName: String
    /// Tokens that fit in the context.
    public var inputTokenLimit: Int
    /// Tokens that an answer may have.
    public var outputTokenLimit: Int
    /// What the model can be asked for: `generateContent`, `countTokens`, `bidiGenerateContent`.
    public var methods: [String]

    /// Makes an entry.
    public init(
        id: String,
        displayName: String,
        inputTokenLimit: Int = 131_072,
        outputTokenLimit: Int = 8192,
        methods: [String] = ["bidiGenerateContent"]
    ) {
        self.id = id
        self.displayName = displayName
        self.inputTokenLimit = inputTokenLimit
        self.outputTokenLimit = outputTokenLimit
        self.methods = methods
    }

    /// Whether Live sessions may use it.
    public var isLive: Bool { methods.contains("bidiGenerateContent") }

    var json: JSONValue {
        [
            "name": .string("models/\(id)"),
            "version": "001",
            "displayName": .string(displayName),
            "inputTokenLimit": .integer(inputTokenLimit),
            "outputTokenLimit": .integer(outputTokenLimit),
            "supportedGenerationMethods": .array(methods.map(JSONValue.string)),
        ]
    }

    static func unknownText(_ name: String, version: String, method: String) -> String {
        "\(name) is not found for API version \(version), or is not supported for \(method). "
            + "Call ListModels to see the list of available models and their supported methods."
    }
}
