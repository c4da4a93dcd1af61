/// What a chat asks for, and how much of the conversation it sends with each question.
public struct ChatPolicy: Sendable, Hashable {
    /// The service's name for the model.
    public var model: String
    /// Standing instructions; `nil` for the model's own manner.
    public var instructions: String?
    /// Whether answers come in pieces; otherwise each is shown once it is whole.
    public var streams: Bool
    /// The most bytes of text in UTF-8 that are sent of the conversation, the question not counted.
    ///
    /// Four bytes of English are about one token (ai.google.dev/gemini-api/docs/tokens): the default is about 16,000 tokens.
    public var historyBytes: Int
    /// The most pictures that are sent, the newest; each is smaller than 200 KB, and 258 tokens for each tile of 768×768.
    public var historyPictures: Int

    /// Makes a policy.
    public init(
        model: String = "gemini-2.5-flash",
        instructions: String? = nil,
        streams: Bool = true,
        historyBytes: Int = 65_536,
        historyPictures: Int = 4
    ) {
        self.model = model
        self.instructions = instructions
        self.streams = streams
        self.historyBytes = historyBytes
        self.historyPictures = historyPictures
    }
}
