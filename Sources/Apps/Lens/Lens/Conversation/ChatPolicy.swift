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
    ///
    /// Those of the question count, and are all sent. Of an earlier video as many are sent as are left, spread over it.
    public var historyPictures: Int
    /// The most pictures that are sent of a question's video, which are kept with it; at least 1.
    ///
    /// Each is as small as one that is sent alone: the default is less than 2 MB, or 2.7 MB in base64, of the 100 MB that a request of
    /// Gemini's may have (20 MB before 2026).
    public var videoPictures: Int

    /// Makes a policy.
    public init(
        model: String = "gemini-2.5-flash",
        instructions: String? = nil,
        streams: Bool = true,
        historyBytes: Int = 65_536,
        historyPictures: Int = 4,
        videoPictures: Int = 10
    ) {
        self.model = model
        self.instructions = instructions
        self.streams = streams
        self.historyBytes = historyBytes
        self.historyPictures = historyPictures
        self.videoPictures = max(1, videoPictures)
    }
}
