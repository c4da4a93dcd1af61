public import GeminiAPI
import ServiceClient
public import Services
public import Transport

/// Google's Gemini over its REST interface.
///
/// The key travels in a header and appears nowhere else: words that come from outside are searched for it before they enter
/// an error. A request to generate is sent again only if nothing of it was sent, or the service has answered 429 or 503; the
/// wait that the service asks for, in `Retry-After` or `RetryInfo`, is kept, and one that is longer than
/// ``GeminiRESTOptions/retries`` allows is left to the caller.
///
/// Source: ai.google.dev/api/generate-content, ai.google.dev/api/tokens.
public struct GeminiChatModel: ChatModel {
    private let requests: GeminiRequests

    /// Makes a model whose key is asked for at each call.
    ///
    /// - Parameters:
    ///   - client: Sends the requests.
    ///   - endpoint: Where the service is.
    ///   - options: Limits and repetitions.
    ///   - key: Gives the key; `nil` or an empty one makes every call throw `missingKey`.
    public init(
        client: any HTTPClient,
        endpoint: GeminiEndpoint = .google,
        options: GeminiRESTOptions = GeminiRESTOptions(),
        key: @escaping @Sendable () throws(SecretStoreError) -> Secret?
    ) {
        requests = GeminiRequests(client: client, endpoint: endpoint, options: options, key: key)
    }

    /// Makes a model whose key is read from a secret store at each call.
    public init(
        client: any HTTPClient,
        endpoint: GeminiEndpoint = .google,
        options: GeminiRESTOptions = GeminiRESTOptions(),
        secrets: any SecretStore,
        keyName: String = "gemini_api_key"
    ) {
        self.init(client: client, endpoint: endpoint, options: options) { () throws(SecretStoreError) in
            try secrets.secret(named: keyName)
        }
    }

    /// Asks for a whole answer.
    public func generate(_ request: ChatRequest) async throws(ChatModelError) -> ChatAnswer {
        let call = try requests.call("generate")
        let question = try self.question("generateContent", request, RequestDocument(request), call)
        let document = try await requests.document(question, call, as: AnswerDocument.self)
        guard document.isAnswer else {
            throw call.error(.malformed, "a document that is no answer of the service", status: 200)
        }
        return ChatAnswer(document.events)
    }

    /// Asks for an answer that comes in pieces.
    public func stream(_ request: ChatRequest) async throws(ChatModelError) -> ChatStream {
        let call = try requests.call("stream")
        let question = try self.question(
            "streamGenerateContent?alt=sse",
            request,
            RequestDocument(request),
            call
        )
        let events = AnswerEvents(
            try await requests.events(question, call),
            call,
            candidates: request.settings.candidates ?? 1
        )
        return ChatStream { () async throws(ChatModelError) in try await events.next() }
    }

    /// Asks how many tokens a request has.
    public func countTokens(_ request: ChatRequest) async throws(ChatModelError) -> Int {
        let call = try requests.call("count tokens")
        let document = RequestDocument.counting(request, model: try ModelPath(request.model, call).text)
        let question = try self.question("countTokens", request, document, call, repeats: .always)
        let count = try await requests.document(question, call, as: TokenCount.self).totalTokens ?? 0
        guard count >= 0 else { throw call.error(.malformed, "a count of \(count) tokens", status: 200) }
        return count
    }

    private func question(
        _ method: String,
        _ request: ChatRequest,
        _ document: some Encodable,
        _ call: GeminiCall,
        repeats: Call.Repetition = .whenNothingWasDone
    ) throws(ChatModelError) -> Call {
        let path = try ModelPath(request.model, call).text
        guard !request.contents.isEmpty, request.contents.allSatisfy({ !$0.parts.isEmpty }) else {
            throw call.error(.rejected, "nothing is asked, or a content has no parts")
        }
        return try call.request("/\(path):\(method)", sending: document, repeats: repeats)
    }
}

/// The answer to `countTokens`; a count of zero is left out (proto3 JSON).
private struct TokenCount: Decodable {
    let totalTokens: Int?
}

extension ChatAnswer {
    /// Puts an answer together of its pieces.
    fileprivate init(_ events: [ChatEvent]) {
        self.init(parts: [], ending: .finished(.unknown, []))
        var others: [Int: [ChatEvent]] = [:]
        for event in events {
            switch event {
            case .text(let more):
                guard case .text(var text)? = parts.last else {
                    parts.append(.text(more))
                    continue
                }
                // Held here alone, so that it grows in place.
                parts.removeLast()
                text += more
                parts.append(.text(text))
            case .thought(let more): thoughts += more
            case .part(let part): parts.append(part)
            case .citation(let source): citations.append(source)
            case .alternative(let number, let event): others[number, default: []].append(event)
            case .usage(let value): usage = value
            case .ended(let value): ending = value
            }
        }
        // What they hold has no alternatives: a document's candidates are in one row.
        alternatives = others.sorted { $0.key < $1.key }.map { ChatAnswer($0.value) }
    }
}
