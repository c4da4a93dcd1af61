import Concurrency
public import ServiceClient
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
    /// For a person who waits, and a model that may think for a minute before its answer begins.
    public static let policy = CallPolicy(
        retries: RetryPolicy(
            retries: 2,
            first: .milliseconds(500),
            longest: .seconds(1),
            longestServerWait: .seconds(10)
        ),
        limits: HTTPLimits(connect: .seconds(10), progress: .seconds(30), head: .seconds(90)),
        deadline: .seconds(300),
        answerBytes: 16 << 20
    )

    private let requests: CompletionsRequests

    /// Makes a model.
    ///
    /// - Parameters:
    ///   - client: Sends the requests.
    ///   - address: Where the service is: `http://127.0.0.1:8080`.
    ///   - policy: Limits and repetitions.
    ///   - key: Gives the key at each call; `nil` for a service that asks for none.
    public init(
        client: any HTTPClient,
        address: String,
        policy: CallPolicy = CompletionsModel.policy,
        key: @escaping @Sendable () throws(SecretStoreError) -> Secret?
    ) {
        requests = CompletionsRequests(client: client, address: address, policy: policy, key: key)
    }

    /// Asks for a whole answer.
    public func generate(_ request: ChatRequest) async throws(ChatModelError) -> ChatAnswer {
        let call = try requests.call("generate")
        let document = try RequestDocument(request, streams: false, call)
        return try ChatAnswer(await requests.answer(to: document, call), call)
    }

    /// Asks for an answer that comes in pieces.
    public func stream(_ request: ChatRequest) async throws(ChatModelError) -> ChatStream {
        let call = try requests.call("stream")
        let document = try RequestDocument(request, streams: true, call)
        let reader = AnswerReader(try await requests.events(of: document, call), call)
        return ChatStream { () async throws(ChatModelError) in try await reader.next() }
    }

    /// Throws `notFound`: the interface has no way to count.
    public func countTokens(_ request: ChatRequest) async throws(ChatModelError) -> Int {
        throw try requests.call("count tokens").error(.notFound, "the service does not count tokens")
    }
}
