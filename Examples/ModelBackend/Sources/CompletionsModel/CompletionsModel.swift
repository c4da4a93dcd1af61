public import Concurrency
import Foundation
public import Services
public import Transport

/// A chat model behind the `/v1/chat/completions` of OpenAI's interface, which llama.cpp's server, Ollama and vLLM have as well.
///
/// Words go in, words come out. What it does not do: pictures, functions and JSON output (a request that has these is
/// `rejected`), safety thresholds (left out: the interface has none) and counting tokens.
///
/// Sources: platform.openai.com/docs/api-reference/chat; llama.cpp `tools/server/README.md`;
/// docs.ollama.com/api/openai-compatibility; docs.vllm.ai/en/latest/serving/openai_compatible_server.html.
public struct CompletionsModel: ChatModel {
    private let requests: CompletionsRequests

    /// Makes a model.
    ///
    /// - Parameters:
    ///   - client: Sends the requests.
    ///   - endpoint: Where the service is.
    ///   - options: Limits and repetitions.
    ///   - key: Gives the key at each call; `nil` for a service that asks for none.
    public init(
        client: any HTTPClient,
        endpoint: CompletionsEndpoint,
        options: CompletionsOptions = CompletionsOptions(),
        key: @escaping @Sendable () throws(SecretStoreError) -> Secret?
    ) {
        requests = CompletionsRequests(client: client, endpoint: endpoint, options: options, key: key)
    }

    /// Asks for a whole answer.
    public func generate(_ request: ChatRequest) async throws(ChatModelError) -> ChatAnswer {
        let call = try requests.call("generate")
        let body = try await requests.send(RequestDocument(request, streams: false, call), call)
        return try ChatAnswer(await requests.read(body, call), call)
    }

    /// Asks for an answer that comes in pieces.
    public func stream(_ request: ChatRequest) async throws(ChatModelError) -> ChatStream {
        let call = try requests.call("stream")
        let body = try await requests.send(RequestDocument(request, streams: true, call), call)
        let reader = AnswerReader(body, call, requests.options)
        return ChatStream { () async throws(ChatModelError) in try await reader.next() }
    }

    /// Throws `notFound`: the interface has no way to count.
    public func countTokens(_ request: ChatRequest) async throws(ChatModelError) -> Int {
        throw try requests.call("count tokens").error(.notFound, "the service does not count tokens")
    }
}

/// Where a service of the interface is.
public struct CompletionsEndpoint: Sendable, Hashable {
    /// Host, and port unless it is the scheme's own: `127.0.0.1:8080`.
    public var authority: String
    /// Whether the connection is encrypted.
    public var isSecure: Bool

    /// Makes an endpoint.
    public init(authority: String, isSecure: Bool = true) {
        self.authority = authority
        self.isSecure = isSecure
    }
}

/// Limits of requests, and how they are repeated.
public struct CompletionsOptions: Sendable, Hashable {
    /// How long one try of a request may stand still; a model may think for a minute before its answer begins.
    public var limits = HTTPLimits(connect: .seconds(10), progress: .seconds(30), head: .seconds(90))
    /// The longest that a call takes, with all its tries and the pauses between them.
    public var deadline = Duration.seconds(300)
    /// How a request is repeated that was not sent, or was refused with 429 or 503.
    public var retries = RetryPolicy(
        retries: 2,
        first: .milliseconds(500),
        longest: .seconds(1),
        longestServerWait: .seconds(10)
    )
    /// The most bytes of a whole answer, streamed or not.
    public var answerBytes = 16 << 20
    /// The most bytes of one line of a stream.
    public var lineBytes = 1 << 20

    /// Makes options for a person who waits.
    public init() {}
}
