/// A whole answer of a chat model.
public struct ChatAnswer: Sendable, Hashable {
    /// What was said, in order, without the model's thoughts; consecutive texts are one.
    public var parts: [ChatPart]
    /// What the model has thought before, as far as it shows that; no part of the answer.
    public var thoughts: String
    /// Why it ends where it ends.
    public var ending: ChatEnding
    /// What it cost, with all alternatives.
    public var usage: TokenUsage
    /// Sources that it repeats.
    public var citations: [Citation] = []
    /// Other answers to the same request, for ``GenerationSettings/candidates``; each without a cost and alternatives of its own.
    public var alternatives: [ChatAnswer] = []

    /// Makes an answer of its parts.
    public init(
        parts: [ChatPart],
        thoughts: String = "",
        ending: ChatEnding,
        usage: TokenUsage = TokenUsage()
    ) {
        self.parts = parts
        self.thoughts = thoughts
        self.ending = ending
        self.usage = usage
    }

    /// Its words; empty when it has none.
    public var text: String {
        parts.reduce(into: "") { if case .text(let text) = $1 { $0 += text } }
    }

    /// The functions that the model asks to be run.
    public var functionCalls: [FunctionCall] {
        parts.compactMap { if case .functionCall(let call) = $0 { call } else { nil } }
    }
}

/// A source that a part of an answer repeats.
public struct Citation: Sendable, Hashable {
    /// The bytes of the answer's text, in UTF-8, that come from there; `nil` where the service does not say.
    public var range: Range<Int>?
    /// Where the source is.
    public var address: String?
    /// The licence of the source, such as `mit`.
    public var license: String?

    /// Makes a citation.
    public init(range: Range<Int>? = nil, address: String? = nil, license: String? = nil) {
        (self.range, self.address, self.license) = (range, address, license)
    }
}

/// Why an answer ends where it ends.
public enum ChatEnding: Sendable, Hashable {
    /// The model has finished, or was stopped.
    case finished(FinishReason, [SafetyRating])
    /// The request itself was refused; there is no answer.
    case blocked(BlockReason, [SafetyRating])

    /// Whether the model has said all that it had to say.
    public var isComplete: Bool {
        if case .finished(.stop, _) = self { true } else { false }
    }
}

/// Why a model has stopped.
public enum FinishReason: String, Sendable, Hashable, CaseIterable {
    /// It had no more to say, or came to a stop sequence.
    case stop
    /// The longest answer, or the longest of the model, was reached.
    case tokenLimit
    /// The answer was harmful.
    case safety
    /// The answer repeats a source.
    case recitation
    /// The answer is in a language that is not supported.
    case language
    /// The answer holds words of a list.
    case blocklist
    /// The answer is not allowed at all.
    case prohibited
    /// The answer holds data of people.
    case personalData
    /// A function call that is none, or was not expected.
    case functionCall
    /// A picture that was made is harmful, not allowed or not there.
    case picture
    /// The service was not able to read what its model has made.
    case malformed
    /// For a reason that the service does not tell.
    case other
    /// For a reason that is not known here.
    case unknown
}

/// Why a request was refused without an answer.
public enum BlockReason: String, Sendable, Hashable, CaseIterable {
    /// It is harmful.
    case safety
    /// It holds words of a list.
    case blocklist
    /// It is not allowed at all.
    case prohibited
    /// Its picture is harmful.
    case picture
    /// It tries to get around the model's rules.
    case jailbreak
    /// For a reason that the service does not tell.
    case other
    /// For a reason that is not known here.
    case unknown
}
