import ChatModelConformance
import Conformance
import GeminiREST
import HTTPTypes
import Services
import TestSupport
import Transport

extension ScriptedChat {
    /// A service of the REST interface that gives a suite's answers.
    init(_ answers: [ServiceAnswer], _ watch: ServiceWatch) {
        self.init { _, request, _ in
            let number = watch.begin()
            let answer = answers[min(number, answers.count - 1)]
            let isStream = request.path?.contains("streamGenerateContent") ?? false
            if case .fallsSilent(let pieces) = answer {
                return Self.ok(Self.silent(pieces, OpenAnswer(watch)), type: "text/event-stream")
            }
            defer { watch.end() }
            return Self.answer(answer, isStream: isStream, key: Self.sentKey(request))
        }
    }

    private static func sentKey(_ request: HTTPRequest) -> String {
        HTTPField.Name("x-goog-api-key").flatMap { request.headerFields[$0] } ?? ""
    }

    private static func answer(_ answer: ServiceAnswer, isStream: Bool, key: String) -> ScriptedServer.Answer
    {
        let lost = TransportError(.reset, operation: "give body", peer: "test")
        switch answer {
        case .says(let pieces, let ending, let usage):
            let last = Self.last(ending, usage)
            guard isStream else { return ok(.text(whole(pieces, last))) }
            // Without the end of the last line, and the empty line after it.
            let bytes = events(pieces.map { piece($0) } + ["{\(last)}"]).dropLast(4)
            return ok(cut(Array(bytes)), type: "text/event-stream")
        case .counts(let number): return ok(.text(#"{"totalTokens":\#(number)}"#))
        case .refuses(let refusal): return Self.refusal(refusal, key)
        case .breaks(let pieces):
            return ok(body([events(pieces.map { piece($0) })], then: lost), type: "text/event-stream")
        case .fails(let pieces):
            let failure = error(503, "UNAVAILABLE", "overloaded \(key)")
            return ok(cut(events(pieces.map { piece($0) } + [failure])), type: "text/event-stream")
        case .stops(let pieces), .fallsSilent(let pieces):
            return ok(cut(events(pieces.map { piece($0) })), type: "text/event-stream")
        case .isLost: return ok(body([], then: lost))
        }
    }

    private static func refusal(_ refusal: ServiceAnswer.Refusal, _ key: String) -> ScriptedServer.Answer {
        let (status, name) =
            switch refusal {
            case .invalidKey: (400, "INVALID_ARGUMENT")
            case .quotaExceeded: (429, "RESOURCE_EXHAUSTED")
            case .rejected: (400, "INVALID_ARGUMENT")
            case .notFound: (404, "NOT_FOUND")
            case .tooLarge: (413, "INVALID_ARGUMENT")
            case .unavailable: (503, "UNAVAILABLE")
            }
        let words = refusal == .invalidKey ? "API key not valid: \(key)" : "no, \(key)"
        return Self.refusal(status, error(status, name, words))
    }

    /// The members that end an answer.
    private static func last(_ ending: ChatEnding, _ usage: TokenUsage) -> String {
        let cost =
            #""usageMetadata":{"promptTokenCount":\#(usage.prompt),"candidatesTokenCount":\#(usage.answer),"#
            + #""totalTokenCount":\#(usage.total)}"#
        switch ending {
        case .finished(let reason, _): return #""candidates":[{"finishReason":"\#(name(reason))"}],\#(cost)"#
        case .blocked(let reason, _): return #""promptFeedback":{"blockReason":"\#(name(reason))"},\#(cost)"#
        }
    }

    private static func whole(_ pieces: [String], _ last: String) -> String {
        let parts = pieces.map { #"{"text":"\#($0)"}"# }.joined(separator: ",")
        return "{\(last)}".replacing(
            #"[{"finishReason""#,
            with: #"[{"content":{"parts":[\#(parts)]},"finishReason""#
        )
    }

    private static func name(_ reason: FinishReason) -> String {
        switch reason {
        case .stop: "STOP"
        case .tokenLimit: "MAX_TOKENS"
        case .safety: "SAFETY"
        case .recitation: "RECITATION"
        default: "OTHER"
        }
    }

    private static func name(_ reason: BlockReason) -> String {
        reason == .prohibited ? "PROHIBITED_CONTENT" : "SAFETY"
    }

    /// Three bytes at a time.
    private static func cut(_ bytes: [UInt8]) -> HTTPBody {
        body(stride(from: 0, to: bytes.count, by: 3).map { Array(bytes[$0..<min($0 + 3, bytes.count)]) })
    }

    private static func silent(_ pieces: [String], _ answer: OpenAnswer) -> HTTPBody {
        let isFirst = Box(true)
        return .stream(
            ByteStream { () async throws(TransportError) in
                guard isFirst.value else {
                    await Signal.waitForCancellation()
                    return withExtendedLifetime(answer) { nil }
                }
                isFirst.set(false)
                return events(pieces.map { piece($0) })
            },
            length: nil
        )
    }
}

/// An answer that is being given until nobody holds its body: a request that is cancelled early has a body that is never
/// read.
private final class OpenAnswer: Sendable {
    private let watch: ServiceWatch

    init(_ watch: ServiceWatch) { self.watch = watch }

    deinit { watch.end() }
}

/// The REST client over a simulated network.
///
/// - Precondition: In a simulation.
struct SimulatedChatHarness: ChatModelHarness {
    let secrets = [ScriptedChat.key]

    func makeModel(answering answers: [ServiceAnswer]) async throws -> (any ChatModel, any ChatServiceWatch) {
        let watch = ServiceWatch()
        return (try await ScriptedChat(answers, watch).model(), watch)
    }
}

/// A model in memory, right or wrong in one point.
struct MemoryChatHarness: ChatModelHarness {
    var flaw: MemoryChatModel.Flaw?
    let secrets = ["hush"]

    func makeModel(answering answers: [ServiceAnswer]) async throws -> (any ChatModel, any ChatServiceWatch) {
        let watch = ServiceWatch()
        return (MemoryChatModel(answers, watch, flaw), watch)
    }
}
