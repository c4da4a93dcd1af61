import PeerKit

/// Writes the responses to one request for words: the whole one, and those of a stream.
struct GenerateAnswer: Sendable {
    let model: String
    let generation: Generation
    let promptTokens: TokenCount
    let candidateCount: Int
    /// The same in all responses to a request.
    let responseID: String

    init(_ generation: Generation, to request: GenerateRequest, model: String) {
        self.model = model
        self.generation = generation
        promptTokens = request.tokens
        candidateCount = request.options.candidateCount
        var bytes: [UInt8] = []
        for _ in 0..<2 {
            let number = UInt64.random(in: .min ... .max)
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        }
        responseID = Base64.urlEncoded(bytes)
    }

    /// Whether nothing is said: the prompt is blocked.
    var isBlocked: Bool { if case .blocked = generation.ending { true } else { false } }

    /// The answer in one piece.
    var whole: JSONValue {
        if isBlocked { return response(parts: [], at: nil, finish: nil) }
        let parts = generation.steps.flatMap(\.parts).reduce(into: [JSONValue]()) { joined, part in
            // Texts in one row are one part.
            if let last = joined.last, last["thought"] == part["thought"],
                let beginning = last["text"]?.string,
                let text = part["text"]?.string
            {
                var fields = last.object ?? [:]
                fields["text"] = .string(beginning + text)
                joined[joined.count - 1] = .object(fields)
            } else {
                joined.append(part)
            }
        }
        return response(parts: parts, at: generation.steps.last, finish: finishReason)
    }

    /// The responses of a stream; the last says why it ended.
    var events: [(delay: Duration, response: JSONValue)] {
        if isBlocked || generation.steps.isEmpty {
            return [(.zero, response(parts: [], at: nil, finish: finishReason))]
        }
        return generation.steps.enumerated().map { index, step in
            let isLast = index == generation.steps.count - 1
            return (
                step.delay,
                response(parts: step.parts, at: step, finish: isLast ? finishReason : nil)
            )
        }
    }

    private var finishReason: String? {
        if case .finished(let reason) = generation.ending { reason } else { nil }
    }

    private func response(
        parts: [JSONValue],
        at step: Generation.Step?,
        finish: String?
    ) -> JSONValue {
        var fields: [String: JSONValue] = [
            "usageMetadata": usage(at: step), "modelVersion": .string(model),
            "responseId": .string(responseID),
        ]
        if case .blocked(let reason) = generation.ending {
            fields["promptFeedback"] = ["blockReason": .string(reason)]
            return .object(fields)
        }
        fields["candidates"] = .array(
            (0..<candidateCount).map { index in
                var candidate: [String: JSONValue] = ["index": .integer(index)]
                if !parts.isEmpty || finish == nil || finish == "STOP" || finish == "MAX_TOKENS" {
                    var content: [String: JSONValue] = ["role": "model"]
                    if !parts.isEmpty { content["parts"] = .array(parts) }
                    candidate["content"] = .object(content)
                }
                if let finish { candidate["finishReason"] = .string(finish) }
                return .object(candidate)
            }
        )
        return .object(fields)
    }

    /// Counts of zero are left out (proto3 JSON).
    private func usage(at step: Generation.Step?) -> JSONValue {
        let said = TokenCount.tokens(ofText: step?.answerBytes ?? 0) * candidateCount
        let thought = TokenCount.tokens(ofText: step?.thoughtBytes ?? 0) * candidateCount
        var answer = TokenCount()
        answer.add(said, .text)
        var fields: [String: JSONValue] = [
            "promptTokenCount": .integer(promptTokens.total), "candidatesTokenCount": .integer(said),
            "thoughtsTokenCount": .integer(thought),
            "totalTokenCount": .integer(promptTokens.total + said + thought),
        ].filter { $0.value != 0 }
        fields["promptTokensDetails"] = promptTokens.details
        fields["candidatesTokensDetails"] = answer.details
        return .object(fields)
    }
}
