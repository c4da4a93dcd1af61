/// A model that the service lists (ai.google.dev/api/models).
public struct ListedModel: Sendable, Hashable {
    /// The name of the resource: `models/gemini-2.5-flash`.
    public var name: String
    /// The name for people; empty where the service gives none.
    public var displayName: String
    /// What it is, for people; empty where the service does not say.
    public var summary: String
    /// Tokens that fit in a request; `nil` where the service does not say.
    public var inputTokens: Int?
    /// Tokens that an answer may have; `nil` where the service does not say.
    public var outputTokens: Int?
    /// What it can be asked for, in the service's words: `generateContent`, `countTokens`, `bidiGenerateContent`.
    public var methods: [String]

    /// Whether it answers requests.
    public var generates: Bool { methods.contains("generateContent") }
    /// Whether it holds Live sessions.
    public var isLive: Bool { methods.contains("bidiGenerateContent") }
}

extension ListedModel: Decodable {
    private enum CodingKeys: String, CodingKey {
        case name, displayName, description, inputTokenLimit, outputTokenLimit, supportedGenerationMethods
    }

    /// Reads an entry; only its name has to be there.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        name = try fields.decode(String.self, forKey: .name)
        displayName = try fields.decodeIfPresent(String.self, forKey: .displayName) ?? ""
        summary = try fields.decodeIfPresent(String.self, forKey: .description) ?? ""
        inputTokens = try fields.decodeIfPresent(Int.self, forKey: .inputTokenLimit)
        outputTokens = try fields.decodeIfPresent(Int.self, forKey: .outputTokenLimit)
        methods = try fields.decodeIfPresent([String].self, forKey: .supportedGenerationMethods) ?? []
    }
}
