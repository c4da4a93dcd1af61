import ChatModelConformance
import Conformance
import Services

/// What LLMock does with all requests.
///
/// Source: `llmock/scenarios.py` of LLMock 0.2.2, github.com/JulienRabault/LLMock.
struct LLMockScript: Encodable {
    /// One behaviour; what is `nil` is left out.
    struct Behavior: Encodable {
        var type: String
        var status: Int?
        var text: String?
        var finishReason: String?
        var kind: String?
        var afterChunks: Int?
        var stallSeconds: Double?
        /// For how many requests.
        var times = 1_000

        enum CodingKeys: String, CodingKey {
            case type, status, text, kind, times
            case finishReason = "finish_reason"
            case afterChunks = "after_chunks"
            case stallSeconds = "stall_seconds"
        }
    }

    var behaviors: [Behavior]

    /// - Throws: `CaseSkipped` for what LLMock has no behaviour for.
    init(_ answer: ServiceAnswer) throws {
        switch answer {
        case .says(let pieces, .finished(let reason, _), TokenUsage()):
            let reasons: [FinishReason: String] = [
                .stop: "stop", .tokenLimit: "length", .safety: "content_filter",
            ]
            guard let word = reasons[reason] else { throw CaseSkipped("it has no ending \(reason)") }
            behaviors = [.init(type: "reply", text: pieces.joined(), finishReason: word)]
        case .says(_, .finished, _): throw CaseSkipped("LLMock counts tokens by itself")
        case .says(_, .blocked, _): throw CaseSkipped("LLMock blocks no requests")
        case .counts: throw CaseSkipped("the interface does not count tokens")
        case .refuses(let refusal):
            let statuses: [ServiceAnswer.Refusal: Int] = [
                .invalidKey: 401, .quotaExceeded: 429, .rejected: 400, .notFound: 404, .tooLarge: 413,
                .unavailable: 503,
            ]
            behaviors = [.init(type: "fail", status: statuses[refusal])]
        case .breaks(let pieces): behaviors = Self.speech(pieces, "disconnect")
        case .stops(let pieces): behaviors = Self.speech(pieces, "truncate")
        case .fallsSilent(let pieces): behaviors = Self.speech(pieces, "stall")
        case .fails: throw CaseSkipped("LLMock reports no failures in the middle of a stream")
        case .isLost: throw CaseSkipped("LLMock loses no connection before an answer")
        }
    }

    /// Words, and once a fault of the stream behind them.
    ///
    /// The first chunk has the role, each one after it a word with the space behind it, and the last one, which is never sent, the ending.
    private static func speech(_ pieces: [String], _ fault: String) -> [Behavior] {
        [
            .init(type: "reply", text: pieces.joined()),
            .init(
                type: "stream_fault",
                kind: fault,
                afterChunks: 1 + pieces.count,
                stallSeconds: 600,
                times: 1
            ),
        ]
    }
}
