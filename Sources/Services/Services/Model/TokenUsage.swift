/// What a request and its answer cost, in tokens.
public struct TokenUsage: Sendable, Hashable {
    /// The kinds of content that are counted apart.
    public enum Modality: String, Sendable, Hashable, CaseIterable {
        case text, image, video, audio, document
    }

    /// Of all that was sent.
    public var prompt: Int
    /// Of the answer.
    public var answer: Int
    /// Of the thoughts before it.
    public var thoughts: Int
    /// All together, as the service counts.
    public var total: Int
    /// The part of ``prompt`` that the service had kept from before.
    public var cached: Int
    /// Of what the service's own tools have given to the model; no part of ``prompt``.
    public var toolUse: Int
    /// ``prompt`` by kind; kinds that are unknown here are left out.
    public var promptDetails: [Modality: Int]
    /// ``answer`` by kind.
    public var answerDetails: [Modality: Int]

    /// Makes a value of its parts; without a total, the parts are added up, to the largest number at most.
    public init(
        prompt: Int = 0,
        answer: Int = 0,
        thoughts: Int = 0,
        total: Int? = nil,
        cached: Int = 0,
        toolUse: Int = 0,
        promptDetails: [Modality: Int] = [:],
        answerDetails: [Modality: Int] = [:]
    ) {
        self.prompt = prompt
        self.answer = answer
        self.thoughts = thoughts
        self.cached = cached
        self.toolUse = toolUse
        self.promptDetails = promptDetails
        self.answerDetails = answerDetails
        self.total =
            total
            ?? [prompt, answer, thoughts, toolUse].reduce(0) { sum, count in
                let (value, isTooLarge) = sum.addingReportingOverflow(count)
                return isTooLarge ? .max : value
            }
    }
}
