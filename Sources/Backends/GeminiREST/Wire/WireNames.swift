import Services

/// The service's words for values of ours.
///
/// Source: ai.google.dev/api/generate-content, `FinishReason`, `BlockReason`, `HarmProbability`; the names of
/// newer reasons from the Python SDK google-genai 3.4.0, `types.py`.
enum WireNames {
    static let probabilities: [String: SafetyRating.Probability] = [
        "NEGLIGIBLE": .negligible, "LOW": .low, "MEDIUM": .medium, "HIGH": .high,
    ]

    static let finishReasons: [String: FinishReason] = [
        "STOP": .stop, "MAX_TOKENS": .tokenLimit, "SAFETY": .safety, "RECITATION": .recitation,
        "LANGUAGE": .language, "OTHER": .other, "BLOCKLIST": .blocklist, "PROHIBITED_CONTENT": .prohibited,
        "SPII": .personalData, "MALFORMED_FUNCTION_CALL": .functionCall,
        "UNEXPECTED_TOOL_CALL": .functionCall, "TOO_MANY_TOOL_CALLS": .functionCall,
        "MISSING_THOUGHT_SIGNATURE": .functionCall, "MALFORMED_RESPONSE": .malformed,
        "IMAGE_SAFETY": .picture, "NO_IMAGE": .picture, "IMAGE_PROHIBITED_CONTENT": .picture,
        "IMAGE_RECITATION": .picture, "IMAGE_OTHER": .picture, "MODEL_ARMOR": .safety,
    ]

    static let blockReasons: [String: BlockReason] = [
        "SAFETY": .safety, "OTHER": .other, "BLOCKLIST": .blocklist, "PROHIBITED_CONTENT": .prohibited,
        "IMAGE_SAFETY": .picture, "JAILBREAK": .jailbreak, "MODEL_ARMOR": .safety,
    ]
}
