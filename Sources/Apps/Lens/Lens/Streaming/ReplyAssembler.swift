internal import Services

/// Builds replies from a session's events.
struct ReplyAssembler: Sendable {
    /// What an event means for the reply.
    enum Step: Sendable, Hashable {
        /// A new reply has its first text.
        case began
        /// The reply has grown by `chunk` to `text`.
        case grew(chunk: String, text: String)
        /// The reply was cut short by the model's side; it ends soon.
        case interrupted
        /// The reply is over.
        case ended(FinishedReply)
        /// The turn is over, with or without a reply, since the model's side refuses to answer.
        case refused(LiveTurnReason)
    }

    /// The longest reply that is kept, in UTF-8 bytes: many times what a model says in one turn.
    static let byteLimit = 262_144

    private var text = ""
    private var isOpen = false
    private var wasInterrupted = false
    private var isOverfull = false
    private var refusal: LiveTurnReason?

    /// Whether a reply has begun and not ended.
    var isReplying: Bool { isOpen }

    /// Takes in one event; events that carry no text change nothing.
    mutating func apply(_ event: LiveEvent) -> [Step] {
        switch event {
        case .text(let chunk): append(chunk)
        case .interrupted: interrupt()
        case .turnComplete: end(wasInterrupted ? .interrupted : .complete)
        case .turnReason(let reason): note(reason)
        case .closed: end(.cutOff)
        // Lens asks for answers in writing and has no functions to call.
        case .thought, .audio, .heard, .spoken, .generationComplete, .toolCall, .toolCallCancelled,
            .waitingForInput, .interaction, .voiceActivity, .hearing, .code, .codeResult,
            .grounding,
            .addressesRead, .resumable,
            .notResumable, .goingAway, .usage, .other, .unreadable:
            []
        }
    }

    /// Ends an unfinished reply because the session is gone.
    mutating func cutOff() -> [Step] { end(.cutOff) }

    private mutating func append(_ chunk: String) -> [Step] {
        guard !chunk.isEmpty, !isOverfull else { return [] }
        var steps: [Step] = isOpen ? [] : [.began]
        isOpen = true
        guard text.utf8.count + chunk.utf8.count <= Self.byteLimit else {
            isOverfull = true
            return steps
        }
        text += chunk
        steps.append(.grew(chunk: chunk, text: text))
        return steps
    }

    private mutating func interrupt() -> [Step] {
        guard isOpen else { return [] }
        wasInterrupted = true
        return [.interrupted]
    }

    private mutating func end(_ ending: FinishedReply.Ending) -> [Step] {
        defer { self = ReplyAssembler() }
        let refused = refusal.map { [Step.refused($0)] } ?? []
        guard isOpen else { return refused }
        let real: FinishedReply.Ending = isOverfull ? .tooLong : refusal == nil ? ending : .refused
        return [.ended(FinishedReply(text: text, ending: real))] + refused
    }

    private mutating func note(_ reason: LiveTurnReason) -> [Step] {
        switch reason {
        case .rejected, .prohibitedInput, .blocklist, .prohibitedAnswer, .unsafeAnswer, .unsafeSpeech:
            refusal = reason
        // The turn has its words, and the next one may do better.
        case .malformedCall, .needsMoreInput, .other: break
        }
        return []
    }
}
