/// An AI service that answers one request at a time, each with the whole conversation.
///
/// It remembers nothing between calls. Three ways to ask: ``generate(_:)`` for a whole answer, ``stream(_:)`` for one that
/// grows, ``countTokens(_:)`` for what a request would cost.
///
/// For implementers: a request that may have taken effect is not sent again; the answer's text comes in order, and
/// complete or with an error; a refusal to answer for the sake of safety is a value and no error; cancelling the calling task
/// ends the request. A service that has no way to count tokens throws `notFound`. The guide `Documentation/ModelBackend.md` writes
/// one step by step, and the suite `ChatModelConformance` checks it.
public protocol ChatModel: Sendable {
    /// Asks for a whole answer.
    ///
    /// - Throws: Any ``ChatModelError``.
    func generate(_ request: ChatRequest) async throws(ChatModelError) -> ChatAnswer

    /// Asks for an answer that comes in pieces; returns once the service has begun to answer.
    ///
    /// The request ends with the stream: when its reader's task is cancelled, or nobody holds it any more.
    ///
    /// - Throws: Any ``ChatModelError``; one that comes later breaks the stream.
    func stream(_ request: ChatRequest) async throws(ChatModelError) -> ChatStream

    /// The number of tokens of a request, as the service counts them; nothing is generated.
    ///
    /// - Throws: Any ``ChatModelError``; `notFound` where the service cannot count.
    func countTokens(_ request: ChatRequest) async throws(ChatModelError) -> Int
}

extension ChatModel {
    /// The text of the answer to a text; empty when the answer has none.
    ///
    /// - Throws: Any ``ChatModelError``.
    public func text(for prompt: String, model: String) async throws(ChatModelError) -> String {
        try await generate(ChatRequest(model: model, contents: [.user(prompt)])).text
    }
}
