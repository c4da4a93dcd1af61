import Services

/// The service's words for values of ours.
///
/// Source: google-genai 3.4.0, `types.py`: `TurnCompleteReason`, `InteractionStatus`, `Outcome`, `UrlRetrievalStatus`,
/// `FunctionResponseScheduling`.
enum WireNames {
    static let turnReasons: [String: LiveTurnReason] = [
        "MALFORMED_FUNCTION_CALL": .malformedCall, "RESPONSE_REJECTED": .rejected,
        "NEED_MORE_INPUT": .needsMoreInput, "PROHIBITED_INPUT_CONTENT": .prohibitedInput,
        "BLOCKLIST": .blocklist, "GENERATED_CONTENT_PROHIBITED": .prohibitedAnswer,
        "GENERATED_CONTENT_SAFETY": .unsafeAnswer, "GENERATED_AUDIO_SAFETY": .unsafeSpeech,
    ]

    static let interactions: [String: LiveInteraction] = [
        "IN_PROGRESS": .inProgress, "REQUIRES_ACTION": .requiresAction, "IDLE": .idle,
    ]

    static let outcomes: [String: LiveCodeResult.Outcome] = [
        "OUTCOME_OK": .finished, "OUTCOME_FAILED": .failed, "OUTCOME_DEADLINE_EXCEEDED": .timedOut,
    ]

    static let addressStatuses: [String: LiveAddressRead.Status] = [
        "URL_RETRIEVAL_STATUS_SUCCESS": .read, "URL_RETRIEVAL_STATUS_ERROR": .failed,
        "URL_RETRIEVAL_STATUS_PAYWALL": .paywall, "URL_RETRIEVAL_STATUS_UNSAFE": .unsafe,
    ]

    static func name(of scheduling: LiveToolResponse.Scheduling) -> String {
        switch scheduling {
        case .silent: "SILENT"
        case .whenIdle: "WHEN_IDLE"
        case .interrupt: "INTERRUPT"
        }
    }
}
