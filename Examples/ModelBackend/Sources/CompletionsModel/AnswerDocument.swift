import Foundation
import Services

/// What comes back: a whole answer, a piece of one, or an error; members that are not needed are passed over.
struct AnswerDocument: Decodable {
    struct Choice: Decodable {
        struct Words: Decodable {
            let content: String?
        }

        /// Of a whole answer.
        let message: Words?
        /// Of a piece.
        let delta: Words?
        let finish_reason: String?
    }

    struct Usage: Decodable {
        let prompt_tokens: Int?
        let completion_tokens: Int?
        let total_tokens: Int?
    }

    struct Failure: Decodable {
        let message: String?
        /// The HTTP status that fits, where the service gives one: llama.cpp and vLLM have it in `code`.
        let status: Int?
        /// The names of what went wrong: OpenAI has them in `code` and `type`.
        let kinds: [String]

        private enum CodingKeys: CodingKey { case message, type, code }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            message = try? fields.decode(String.self, forKey: .message)
            status = try? fields.decode(Int.self, forKey: .code)
            kinds = [CodingKeys.code, .type].compactMap { try? fields.decode(String.self, forKey: $0) }
        }
    }

    /// The first is the one that was asked for; none in a piece that has the cost alone.
    let choices: [Choice]?
    let usage: Usage?
    let error: Failure?

    init(json: [UInt8]) throws { self = try JSONDecoder().decode(Self.self, from: Data(json)) }
}

extension ChatAnswer {
    /// - Throws: `malformed` for a document without an answer.
    init(_ document: AnswerDocument, _ call: CompletionsCall) throws(ChatModelError) {
        guard let choice = document.choices?.first, let message = choice.message else {
            throw call.error(.malformed, "a document without an answer", status: 200)
        }
        let text = message.content ?? ""
        self.init(
            parts: text.isEmpty ? [] : [.text(text)],
            ending: .finished(FinishReason(wire: choice.finish_reason ?? ""), [])
        )
        if let cost = document.usage { usage = TokenUsage(cost) }
    }
}

extension TokenUsage {
    init(_ usage: AnswerDocument.Usage) {
        self.init(
            prompt: usage.prompt_tokens ?? 0,
            answer: usage.completion_tokens ?? 0,
            total: usage.total_tokens ?? 0
        )
    }
}

extension FinishReason {
    /// Reads the service's word for why the model has stopped.
    init(wire: String) {
        self =
            switch wire {
            case "stop": .stop
            case "length": .tokenLimit
            case "content_filter": .safety
            case "tool_calls", "function_call": .functionCall
            default: .unknown
            }
    }
}
