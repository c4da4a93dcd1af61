import ChatModelConformance
import Foundation
import HTTPTypes
import Services
import Synchronization
import Transport

/// A service of the chat completions interface that gives the answers of a script.
///
/// What it models: one path, the key in the `Authorization` header, refusals with OpenAI's error documents, whole answers, and
/// streams of events in the two forms in which servers are met (``Form``), cut at every third byte; streams that break,
/// stop, fall silent, or report a failure in the middle.
///
/// What it does not model: a model (its words are the script's), tokens that are counted, functions, more than one choice, other
/// paths, pictures, limits on rate or size.
///
/// Compared with the real ones by their documentation and reports alone: platform.openai.com/docs/api-reference/chat,
/// llama.cpp `tools/server/README.md`, and for usage and errors in streams ggml-org/llama.cpp#15443 and #16109.
final class ScriptedCompletions: Server {
    /// How servers differ in what they stream.
    enum Form: CaseIterable {
        /// OpenAI's: the cost is a piece of its own, and a mark ends the stream.
        case separateCost
        /// As llama.cpp has sent it, the cost comes with the reason for the end. No mark follows, and the last line has no end.
        case costWithEnd
    }

    static let key = "sesame-42"

    /// Counts requests for the suite.
    let watch = ServiceWatch()
    /// The requests that were accepted, as they came.
    var requests: [(head: HTTPRequest, body: [UInt8])] { kept.withLock { $0 } }

    private let answers: [ServiceAnswer]
    private let form: Form
    private let kept = Mutex<[(head: HTTPRequest, body: [UInt8])]>([])

    /// - Parameters:
    ///   - answers: One to each request; the last again to all that follow.
    ///   - form: How streams are written.
    init(_ answers: [ServiceAnswer], form: Form = .separateCost) {
        self.answers = answers
        self.form = form
    }

    func respond(to request: HTTPRequest, body: HTTPBody) async -> (head: HTTPResponse, body: HTTPBody) {
        let open = OpenAnswer(watch)
        guard request.method == .post, request.path == "/v1/chat/completions" else {
            return Self.refusal(404, "no such path")
        }
        let authorization = request.headerFields[.authorization] ?? ""
        guard authorization == "Bearer \(Self.key)" else {
            return Self.refusal(401, "Incorrect API key provided: \(authorization)")
        }
        guard let bytes = try? await body.collect(upTo: 64 << 20),
            let asked = try? JSONDecoder().decode(Asked.self, from: Data(bytes)), asked.isComplete
        else { return Self.refusal(400, "no request of this interface") }
        kept.withLock { $0.append((request, bytes)) }
        let answer = answers[min(open.number, answers.count - 1)]
        if case .refuses(let refusal) = answer { return Self.refusal(refusal) }
        guard asked.stream == true else { return Self.ok(whole(answer), type: "application/json") }
        return Self.ok(events(answer, open), type: "text/event-stream")
    }

    // MARK: What is asked

    /// As much of a request as the script looks at.
    private struct Asked: Decodable {
        struct Message: Decodable {
            let role: String
            let content: String
        }

        let model: String
        let messages: [Message]
        let stream: Bool?

        var isComplete: Bool {
            !messages.isEmpty && messages.allSatisfy { ["system", "user", "assistant"].contains($0.role) }
        }
    }

    // MARK: What is answered

    private static func ok(_ body: HTTPBody, type: String) -> (head: HTTPResponse, body: HTTPBody) {
        (HTTPResponse(status: .ok, headerFields: [.contentType: type]), body)
    }

    private static func refusal(_ refusal: ServiceAnswer.Refusal) -> (head: HTTPResponse, body: HTTPBody) {
        switch refusal {
        case .invalidKey: Self.refusal(401, "Incorrect API key provided: \(key)")
        case .quotaExceeded: Self.refusal(429, "Rate limit reached for \(key)", kind: "rate_limit_exceeded")
        case .rejected: Self.refusal(400, "Unrecognized request argument, \(key)")
        case .notFound: Self.refusal(404, "The model does not exist, \(key)", kind: "model_not_found")
        case .tooLarge: Self.refusal(400, "maximum context length, \(key)", kind: "context_length_exceeded")
        case .unavailable: Self.refusal(503, "Loading model, \(key)", kind: "unavailable_error")
        }
    }

    private static func refusal(
        _ status: Int,
        _ message: String,
        kind: String = "invalid_request_error"
    ) -> (head: HTTPResponse, body: HTTPBody) {
        let body = ["error": ["message": .text(message), "type": .text(kind)]] as StructuredValue
        return (
            HTTPResponse(
                status: .init(code: status),
                headerFields: [.contentType: "application/json"]
            ), .bytes(bytes(body))
        )
    }

    private func whole(_ answer: ServiceAnswer) -> HTTPBody {
        guard case .says(let pieces, let ending, let usage) = answer else {
            // The connection breaks before a word.
            return .stream(ByteStream { () async throws(TransportError) in throw Self.lost }, length: nil)
        }
        let message: StructuredValue = ["role": "assistant", "content": .text(pieces.joined())]
        let choice: StructuredValue = [
            "index": 0, "message": message, "finish_reason": .text(Self.name(ending)),
        ]
        let document: StructuredValue = [
            "object": "chat.completion", "choices": [choice], "usage": Self.cost(usage),
        ]
        return .bytes(Self.bytes(document))
    }

    private func events(_ answer: ServiceAnswer, _ open: OpenAnswer) -> HTTPBody {
        func said(_ pieces: [String]) -> [UInt8] {
            // A comment, as servers send it to keep the connection alive, and a piece without words.
            let beginning = Array(": ping\n\n".utf8) + Self.event(Self.piece(["role": "assistant"]))
            return pieces.reduce(into: beginning) { $0 += Self.event(Self.piece(["content": .text($1)])) }
        }
        switch answer {
        case .says(let pieces, let ending, let usage):
            let end = Self.piece([:], finish: .text(Self.name(ending)))
            switch form {
            case .separateCost:
                let cost: StructuredValue = ["choices": [], "usage": Self.cost(usage)]
                let rest = Self.event(end) + Self.event(cost) + Array("data: [DONE]\n\n".utf8)
                return body(said(pieces) + rest, open)
            case .costWithEnd:
                let last = Self.event(end.adding("usage", Self.cost(usage)))
                return body(said(pieces) + last.dropLast(2), open)
            }
        case .breaks(let pieces):
            return body(said(pieces), open) { () async throws(TransportError) in throw Self.lost }
        case .fails(let pieces):
            let failure: StructuredValue = [
                "error": [
                    "code": 503, "message": .text("slot lost, \(Self.key)"), "type": "unavailable_error",
                ]
            ]
            return body(said(pieces) + Self.event(failure), open)
        case .stops(let pieces): return body(said(pieces) + Array("data: [DONE]\n\n".utf8), open)
        case .fallsSilent(let pieces):
            return body(said(pieces), open) { () async throws(TransportError) in
                // Until somebody cancels.
                try? await Task.sleep(for: .seconds(86_400))
            }
        case .isLost, .counts, .refuses:
            return body([], open) { () async throws(TransportError) in throw Self.lost }
        }
    }

    /// Gives bytes three at a time, and ends as `end` does.
    private func body(
        _ bytes: [UInt8],
        _ open: OpenAnswer,
        end: @escaping @Sendable () async throws(TransportError) -> Void = {}
    ) -> HTTPBody {
        let left = Mutex(bytes[...])
        let stream = ByteStream { () async throws(TransportError) in
            let chunk = left.withLock { left in
                defer { left = left.dropFirst(3) }
                return Array(left.prefix(3))
            }
            if !chunk.isEmpty { return chunk }
            try await end()
            return withExtendedLifetime(open) { nil }
        }
        return .stream(stream, length: nil)
    }

    // MARK: Documents

    private static let lost = TransportError(.reset, operation: "give body", peer: "client")

    private static func piece(
        _ delta: StructuredValue,
        finish: StructuredValue = .null
    ) -> StructuredValue {
        [
            "object": "chat.completion.chunk",
            "choices": [["index": 0, "delta": delta, "finish_reason": finish]],
        ]
    }

    private static func cost(_ usage: TokenUsage) -> StructuredValue {
        [
            "prompt_tokens": .integer(usage.prompt), "completion_tokens": .integer(usage.answer),
            "total_tokens": .integer(usage.total),
        ]
    }

    private static func name(_ ending: ChatEnding) -> String {
        guard case .finished(let reason, _) = ending else { return "content_filter" }
        return switch reason {
        case .tokenLimit: "length"
        case .safety: "content_filter"
        default: "stop"
        }
    }

    private static func event(_ document: StructuredValue) -> [UInt8] {
        Array("data: ".utf8) + bytes(document) + Array("\n\n".utf8)
    }

    private static func bytes(_ document: StructuredValue) -> [UInt8] {
        // A value of JSON's shape can always be written.
        (try? JSONEncoder().encode(document)).map { Array($0) } ?? []
    }
}

extension StructuredValue {
    fileprivate func adding(_ name: String, _ value: StructuredValue) -> StructuredValue {
        guard case .object(var members) = self else { return self }
        members[name] = value
        return .object(members)
    }
}

/// An answer that is being given until nobody holds its body any more.
private final class OpenAnswer: Sendable {
    let number: Int
    private let watch: ServiceWatch

    init(_ watch: ServiceWatch) {
        self.watch = watch
        number = watch.begin()
    }

    deinit { watch.end() }
}
