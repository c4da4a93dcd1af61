package import Services

/// What a request or a session costs, as it travels: over REST the answer is one of candidates, in a Live session the response.
///
/// Source: ai.google.dev/api/generate-content and ai.google.dev/api/live, `UsageMetadata`.
package struct UsageDocument: Decodable {
    private struct Detail: Decodable {
        let modality: String?
        let tokenCount: Int?
    }

    private let promptTokenCount: Int?
    private let candidatesTokenCount: Int?
    private let responseTokenCount: Int?
    private let thoughtsTokenCount: Int?
    private let totalTokenCount: Int?
    private let cachedContentTokenCount: Int?
    private let toolUsePromptTokenCount: Int?
    private let promptTokensDetails: [Detail]?
    private let candidatesTokensDetails: [Detail]?
    private let responseTokensDetails: [Detail]?

    /// In our words; counts of zero are left out (proto3 JSON).
    package var value: TokenUsage {
        TokenUsage(
            prompt: promptTokenCount ?? 0,
            answer: candidatesTokenCount ?? responseTokenCount ?? 0,
            thoughts: thoughtsTokenCount ?? 0,
            total: totalTokenCount,
            cached: cachedContentTokenCount ?? 0,
            toolUse: toolUsePromptTokenCount ?? 0,
            promptDetails: Self.counts(promptTokensDetails),
            answerDetails: Self.counts(candidatesTokensDetails ?? responseTokensDetails)
        )
    }

    private static let modalities: [String: TokenUsage.Modality] = [
        "TEXT": .text, "IMAGE": .image, "VIDEO": .video, "AUDIO": .audio, "DOCUMENT": .document,
    ]

    private static func counts(_ details: [Detail]?) -> [TokenUsage.Modality: Int] {
        var counts: [TokenUsage.Modality: Int] = [:]
        for detail in details ?? [] {
            guard let modality = modalities[detail.modality ?? ""] else { continue }
            counts[modality] = detail.tokenCount ?? 0
        }
        return counts
    }
}
