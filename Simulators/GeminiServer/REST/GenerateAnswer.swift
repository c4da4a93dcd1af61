import PeerKit

/// Writes the responses to one request for words: the whole one, and those of a stream.
///
/// Streams are hundreds of small responses; they are written as bytes, in the order of their members, and never are values.
struct GenerateAnswer: Sendable {
    let generation: Generation
    private let model: String
    private let promptTokens: Int
    /// Members about the prompt's tokens, as they stand in every response.
    private let promptUsage: [UInt8]
    /// What stands behind the candidates of every response, up to the usage.
    private let origin: [UInt8]
    private let candidateCount: Int
    /// The same in all responses to a request.
    private let responseID: String

    init(_ generation: Generation, to request: GenerateRequest, model: String) {
        self.model = model
        self.generation = generation
        promptTokens = request.tokens.total
        promptUsage = Self.usage(of: request.tokens)
        candidateCount = request.options.candidateCount
        responseID = Self.drawResponseID()
        var writer = JSONWriter()
        writer.append("],\"modelVersion\":")
        writer.write(quoted: model)
        writer.append(",\"responseId\":")
        writer.write(quoted: responseID)
        writer.append(",\"usageMetadata\":")
        origin = writer.bytes
    }

    /// 128 random bits in 22 characters of base64's alphabet for URLs.
    private static func drawResponseID() -> String {
        let bits = UInt128.random(in: .min ... .max)
        let characters = (0..<22).map { alphabet[Int(truncatingIfNeeded: (bits >> (6 * $0)) & 63)] }
        return String(decoding: characters, as: UTF8.self)
    }

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
    )

    private static func usage(of prompt: TokenCount) -> [UInt8] {
        guard let details = prompt.details else { return [] }
        var writer = JSONWriter()
        writer.append("\"promptTokenCount\":")
        writer.write(prompt.total)
        writer.append(",\"promptTokensDetails\":")
        writer.write(details)
        return writer.bytes
    }

    /// Whether nothing is said: the prompt is blocked.
    var isBlocked: Bool { if case .blocked = generation.ending { true } else { false } }

    /// The answer in one piece, as JSON.
    var whole: [UInt8] {
        var writer = JSONWriter()
        if isBlocked {
            write(parts: [], at: nil, finish: nil, to: &writer)
            return writer.bytes
        }
        let parts = generation.parts.reduce(into: [Generation.Part]()) { joined, part in
            // Texts in one row are one part.
            if case .text(let beginning, let wasThought)? = joined.last,
                case .text(let text, wasThought) = part
            {
                joined[joined.count - 1] = .text(beginning + text, isThought: wasThought)
            } else {
                joined.append(part)
            }
        }
        write(parts: parts[...], at: generation.steps.last, finish: finishReason, to: &writer)
        return writer.bytes
    }

    // MARK: The responses of a stream

    /// How many there are, at least one; the last says why the stream ended.
    var eventCount: Int { saysNothing ? 1 : generation.steps.count }

    /// The wait before one.
    func delay(ofEvent index: Int) -> Duration { saysNothing ? .zero : generation.steps[index].delay }

    /// Writes one.
    func write(event index: Int, to writer: inout JSONWriter) {
        if saysNothing { return write(parts: [], at: nil, finish: finishReason, to: &writer) }
        let step = generation.steps[index]
        let isLast = index == generation.steps.count - 1
        write(parts: generation.parts[step.parts], at: step, finish: isLast ? finishReason : nil, to: &writer)
    }

    private var saysNothing: Bool { isBlocked || generation.steps.isEmpty }

    private var finishReason: String? {
        if case .finished(let reason) = generation.ending { reason } else { nil }
    }

    // MARK: Writing

    /// Members are in alphabetical order everywhere.
    private func write(
        parts: ArraySlice<Generation.Part>,
        at step: Generation.Step?,
        finish: String?,
        to writer: inout JSONWriter
    ) {
        if case .blocked(let reason) = generation.ending {
            writer.append("{\"modelVersion\":")
            writer.write(quoted: model)
            writer.append(",\"promptFeedback\":{\"blockReason\":")
            writer.write(quoted: reason)
            Self.writeRatings(beside: reason, to: &writer)
            writer.append("},\"responseId\":")
            writer.write(quoted: responseID)
            writer.append(",\"usageMetadata\":")
        } else {
            writer.append("{\"candidates\":[")
            for index in 0..<candidateCount {
                if index > 0 { writer.append(",") }
                write(candidate: index, parts, finish: finish, to: &writer)
            }
            writer.append(origin)
        }
        writeUsage(at: step, to: &writer)
        writer.append("}")
    }

    private func write(
        candidate index: Int,
        _ parts: ArraySlice<Generation.Part>,
        finish: String?,
        to writer: inout JSONWriter
    ) {
        writer.append("{")
        if finish != nil, !generation.citations.isEmpty { write(generation.citations, to: &writer) }
        if !parts.isEmpty {
            writer.member("content")
            writer.append("{\"parts\":[")
            for (index, part) in zip(parts.indices, parts) {
                if index > parts.startIndex { writer.append(",") }
                Self.write(part, to: &writer)
            }
            writer.append("],\"role\":\"model\"}")
        } else if finish == nil || finish == "STOP" || finish == "MAX_TOKENS" {
            writer.member("content")
            writer.append("{\"role\":\"model\"}")
        }
        if let finish {
            writer.member("finishReason")
            writer.write(quoted: finish)
        }
        writer.member("index")
        writer.write(index)
        if let finish { Self.writeRatings(beside: finish, to: &writer) }
        writer.append("}")
    }

    /// Source: ai.google.dev/api/generate-content#CitationMetadata; that they come with the end of a stream is not confirmed.
    private func write(_ citations: [GeminiReply.Citation], to writer: inout JSONWriter) {
        writer.append("\"citationMetadata\":{\"citationSources\":[")
        for (index, citation) in citations.enumerated() {
            writer.append(index > 0 ? ",{\"endIndex\":" : "{\"endIndex\":")
            writer.write(citation.range.upperBound)
            if let license = citation.license {
                writer.member("license")
                writer.write(quoted: license)
            }
            writer.member("startIndex")
            writer.write(citation.range.lowerBound)
            writer.member("uri")
            writer.write(quoted: citation.uri)
            writer.append("}")
        }
        writer.append("]}")
    }

    private static func writeRatings(beside reason: String, to writer: inout JSONWriter) {
        guard SafetyRatings.stand(beside: reason) else { return }
        writer.member("safetyRatings")
        writer.append(SafetyRatings.bytes)
    }

    private static func write(_ part: Generation.Part, to writer: inout JSONWriter) {
        switch part {
        case .text(let text, let isThought):
            writer.append("{\"text\":")
            writer.write(quoted: text)
            writer.append(isThought ? ",\"thought\":true}" : "}")
        case .call(let call):
            writer.append("{\"functionCall\":")
            writer.write(call)
            writer.append("}")
        }
    }

    /// Counts of zero are left out (proto3 JSON).
    private func writeUsage(at step: Generation.Step?, to writer: inout JSONWriter) {
        let said = TokenCount.tokens(ofText: step?.answerBytes ?? 0) * candidateCount
        let thought = TokenCount.tokens(ofText: step?.thoughtBytes ?? 0) * candidateCount
        writer.append("{")
        if said > 0 {
            writer.append("\"candidatesTokenCount\":")
            writer.write(said)
            writer.append(",\"candidatesTokensDetails\":[{\"modality\":\"TEXT\",\"tokenCount\":")
            writer.write(said)
            writer.append("}]")
        }
        if !promptUsage.isEmpty {
            if said > 0 { writer.append(",") }
            writer.append(promptUsage)
        }
        if thought > 0 {
            writer.member("thoughtsTokenCount")
            writer.write(thought)
        }
        let total = promptTokens + said + thought
        if total > 0 {
            writer.member("totalTokenCount")
            writer.write(total)
        }
        writer.append("}")
    }
}
