import PeerKit

extension PeerAnswer {
    /// A `google.rpc.Status`, the shape of every error of the API.
    static func failure(_ code: Int, _ status: String, _ message: String, details: [JSONValue] = [])
        -> PeerAnswer
    {
        GeminiFailure(code, status, message, details: details).answer
    }

    static func notFound(_ message: String) -> PeerAnswer { failure(404, "NOT_FOUND", message) }

    /// The refusal of a key, or `nil` when it is accepted.
    static func refusal(of judgement: Credentials.Judgement) -> PeerAnswer? {
        switch judgement {
        case .accepted: nil
        case .missing: failure(403, "PERMISSION_DENIED", Credentials.missingText)
        case .invalid: badKey(Credentials.invalidText)
        case .expired: badKey(Credentials.expiredText)
        }
    }

    private static func badKey(_ text: String) -> PeerAnswer {
        failure(
            400,
            "INVALID_ARGUMENT",
            text,
            details: [
                [
                    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                    "reason": "API_KEY_INVALID",
                    "domain": "googleapis.com",
                    "metadata": ["service": "generativelanguage.googleapis.com"],
                ],
                [
                    "@type": "type.googleapis.com/google.rpc.LocalizedMessage",
                    "locale": "en-US",
                    "message": .string(text),
                ],
            ]
        )
    }
}
