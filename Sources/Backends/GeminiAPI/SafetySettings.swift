package import Services

/// What is let through, in the service's words.
///
/// Source: ai.google.dev/api/generate-content, `HarmCategory`, `HarmBlockThreshold`.
package enum SafetySettings {
    /// The kinds of harm.
    package static let categories: [String: HarmCategory] = [
        "HARM_CATEGORY_HARASSMENT": .harassment,
        "HARM_CATEGORY_HATE_SPEECH": .hateSpeech,
        "HARM_CATEGORY_SEXUALLY_EXPLICIT": .sexuallyExplicit,
        "HARM_CATEGORY_DANGEROUS_CONTENT": .dangerous,
        "HARM_CATEGORY_CIVIC_INTEGRITY": .civicIntegrity,
    ]

    /// The settings, sorted by kind, without kinds that the service does not know; `nil` for none.
    package static func document(_ safety: [HarmCategory: HarmThreshold]) -> StructuredValue? {
        let settings = safety.sorted { $0.key.rawValue < $1.key.rawValue }
            .compactMap { category, threshold -> StructuredValue? in
                guard let name = categories.first(where: { $0.value == category })?.key else { return nil }
                return ["category": .text(name), "threshold": .text(self.name(of: threshold))]
            }
        return settings.isEmpty ? nil : .list(settings)
    }

    private static func name(of threshold: HarmThreshold) -> String {
        switch threshold {
        case .low: "BLOCK_LOW_AND_ABOVE"
        case .medium: "BLOCK_MEDIUM_AND_ABOVE"
        case .high: "BLOCK_ONLY_HIGH"
        case .nothing: "BLOCK_NONE"
        case .off: "OFF"
        }
    }
}
