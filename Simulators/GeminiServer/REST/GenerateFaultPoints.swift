import PeerKit

/// The fault points of requests for words.
///
/// A request passes `quota`, `overloaded` and `slowStart` once, and a stream passes the others before each of its events.
enum GenerateFaultPoints {
    static let quota = PeerFaultPoint(
        "gemini.generate.quota",
        "a request is refused with 429, and with when to come back in its details",
        .init("retryDelay", 34, in: 0...86_400)
    )
    static let overloaded = PeerFaultPoint(
        "gemini.generate.overloaded",
        "a request is refused with 503, and with no more than that"
    )
    static let slowStart = PeerFaultPoint(
        "gemini.generate.slowStart",
        "the first words come late",
        .init("seconds", 20, in: 0...3600)
    )
    static let stall = PeerFaultPoint(
        "gemini.generate.stall",
        "a stream stands still for a time",
        .init("seconds", 20, in: 0...3600)
    )
    static let cut = PeerFaultPoint("gemini.generate.cut", "a stream breaks off with its connection")
    static let error = PeerFaultPoint(
        "gemini.generate.error",
        "a stream ends with an error as its last event",
        .init("code", 500, in: 400...599)
    )
    static let malformed = PeerFaultPoint(
        "gemini.generate.malformed",
        "a stream has an event that is no JSON"
    )
    static let huge = PeerFaultPoint(
        "gemini.generate.huge",
        "an event of a stream is large, for the signature of a thought",
        .init("kilobytes", 2048, in: 1...16_384)
    )
    static let duplicate = PeerFaultPoint("gemini.generate.duplicate", "an event of a stream comes twice")
    static let crumbs = PeerFaultPoint(
        "gemini.generate.crumbs",
        "an event comes in pieces, at most 4096 of them, which are cut inside of characters too",
        .init("bytes", 1, in: 1...64),
        // So that the pieces are not joined on their way.
        .init("pause", 0.001, in: 0...1)
    )

    static let stream = [stall, cut, error, malformed, huge, duplicate, crumbs]
    static let points = [quota, overloaded, slowStart] + stream
}

extension GeminiFailure {
    /// A quota is used up, with all details that the service gives (google-gemini/gemini-cli#8437).
    static func quota(retryDelay: Duration, model: String) -> GeminiFailure {
        GeminiFailure(
            429,
            "RESOURCE_EXHAUSTED",
            "You exceeded your current quota, please check your plan and billing details. For more information on this error, "
                + "head to: https://ai.google.dev/gemini-api/docs/rate-limits.",
            details: [
                [
                    "@type": "type.googleapis.com/google.rpc.QuotaFailure",
                    "violations": [
                        [
                            "quotaMetric":
                                "generativelanguage.googleapis.com/generate_content_free_tier_requests",
                            "quotaId": "GenerateRequestsPerMinutePerProjectPerModel-FreeTier",
                            "quotaDimensions": ["location": "global", "model": .string(model)],
                            "quotaValue": "10",
                        ]
                    ],
                ],
                [
                    "@type": "type.googleapis.com/google.rpc.Help",
                    "links": [
                        [
                            "description": "Learn more about Gemini API quotas",
                            "url": "https://ai.google.dev/gemini-api/docs/rate-limits",
                        ]
                    ],
                ],
                retryInfo(retryDelay),
            ]
        )
    }
}
