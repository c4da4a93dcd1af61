import Foundation
import GeminiAPI
import Services

/// A document of the service's answer: all of it, or a piece of a stream; unknown members are passed over.
struct AnswerDocument: Decodable {
    /// What is under `error`, wherever it comes: its own words are read from the bytes.
    private struct Presence: Decodable {
        init(from decoder: any Decoder) throws {}
    }

    private struct Candidate: Decodable {
        struct Content: Decodable {
            let parts: [Part]?
        }

        let content: Content?
        let finishReason: String?
        let index: Int?
        let safetyRatings: [Rating]?
        let citationMetadata: Citations?
    }

    /// Source: ai.google.dev/api/generate-content#CitationMetadata.
    private struct Citations: Decodable {
        struct Source: Decodable {
            let startIndex: Int?
            let endIndex: Int?
            let uri: String?
            let license: String?

            /// A start of zero may be left out (proto3 JSON).
            var value: Citation {
                var range: Range<Int>?
                if let endIndex, (0...endIndex).contains(startIndex ?? 0) {
                    range = (startIndex ?? 0)..<endIndex
                }
                return Citation(
                    range: range,
                    address: uri,
                    license: license.flatMap { $0.isEmpty ? nil : $0 }
                )
            }
        }

        let citationSources: [Source]?
    }

    private struct Part: Decodable {
        struct Blob: Decodable {
            let mimeType: String?
            let data: String?
        }

        struct Call: Decodable {
            let id: String?
            let name: String
            let args: [String: StructuredValue]?
        }

        let text: String?
        let thought: Bool?
        let thoughtSignature: String?
        let inlineData: Blob?
        let functionCall: Call?
    }

    private struct Rating: Decodable {
        let category: String?
        let probability: String?
        let blocked: Bool?

        var value: SafetyRating {
            SafetyRating(
                category: SafetySettings.categories[category ?? ""] ?? .unknown,
                probability: WireNames.probabilities[probability ?? ""] ?? .unknown,
                isBlocking: blocked ?? false
            )
        }
    }

    private struct Feedback: Decodable {
        let blockReason: String?
        let safetyRatings: [Rating]?
    }

    private let candidates: [Candidate]?
    private let promptFeedback: Feedback?
    private let usageMetadata: UsageDocument?
    private let error: Presence?

    /// Whether it is one of the service's answers at all; an empty object is none.
    var isAnswer: Bool { candidates != nil || promptFeedback != nil || usageMetadata != nil }

    /// Whether it tells of a failure.
    var isError: Bool { error != nil }

    /// What it says: of other candidates than the first what they have, then of the first parts, thoughts and citations, usage, and the
    /// end if it is one.
    var events: [ChatEvent] {
        var events: [ChatEvent] = []
        let candidates = candidates ?? []
        for other in candidates {
            guard let index = other.index, index > 0 else { continue }
            let ending = Self.ending(of: other).map { [ChatEvent.ended($0)] } ?? []
            events += (Self.events(of: other) + ending).map { .alternative(index, $0) }
        }
        let first = candidates.first { ($0.index ?? 0) == 0 }
        events += Self.events(of: first)
        if let usage = usageMetadata { events.append(.usage(usage.value)) }
        if let ending = Self.ending(of: first) ?? blocked { events.append(.ended(ending)) }
        return events
    }

    /// Parts, thoughts and citations.
    private static func events(of candidate: Candidate?) -> [ChatEvent] {
        var events: [ChatEvent] = []
        for part in candidate?.content?.parts ?? [] {
            if part.thought == true {
                if let thought = part.text, !thought.isEmpty { events.append(.thought(thought)) }
            } else if let call = part.functionCall {
                let value = FunctionCall(
                    id: call.id,
                    name: call.name,
                    arguments: call.args ?? [:],
                    signature: part.thoughtSignature
                )
                events.append(.part(.functionCall(value)))
            } else if let blob = part.inlineData, let bytes = Data(anyBase64: blob.data ?? "") {
                events.append(.part(.inline(mediaType: blob.mimeType ?? "", Array(bytes))))
            } else if let text = part.text, !text.isEmpty {
                events.append(.text(text))
            }
        }
        events += (candidate?.citationMetadata?.citationSources ?? []).map { .citation($0.value) }
        return events
    }

    private static func ending(of candidate: Candidate?) -> ChatEnding? {
        guard let reason = candidate?.finishReason, reason != "FINISH_REASON_UNSPECIFIED" else { return nil }
        let ratings = candidate?.safetyRatings?.map(\.value) ?? []
        return .finished(WireNames.finishReasons[reason] ?? .unknown, ratings)
    }

    /// The end of a request that is refused without an answer.
    private var blocked: ChatEnding? {
        guard let reason = promptFeedback?.blockReason, reason != "BLOCK_REASON_UNSPECIFIED" else {
            return nil
        }
        let ratings = promptFeedback?.safetyRatings?.map(\.value) ?? []
        return .blocked(WireNames.blockReasons[reason] ?? .unknown, ratings)
    }
}

extension Data {
    /// Reads base64 of either alphabet, padded or not.
    fileprivate init?(anyBase64 text: String) {
        var plain = text.replacing("-", with: "+").replacing("_", with: "/")
        plain += String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
        self.init(base64Encoded: plain)
    }
}
