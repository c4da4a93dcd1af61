import Conformance
import Services

/// A harness, with what the cases do with its models.
struct Trial: Sendable {
    let harness: any ChatModelHarness

    var question: ChatRequest { ChatRequest(model: harness.model, contents: [.user("Hello")]) }

    func model(_ answers: ServiceAnswer...) async throws -> (any ChatModel, any ChatServiceWatch) {
        try await harness.makeModel(answering: answers)
    }

    /// The whole answer of a service that gives one.
    func answer(_ answer: ServiceAnswer) async throws -> ChatAnswer { try await generate(model(answer).0) }

    /// Asks for a whole answer, which must come.
    func generate(_ model: any ChatModel) async throws -> ChatAnswer {
        try await requireSuccess("it is answered") { try await model.generate(question) }
    }

    /// Begins a stream, which must succeed.
    func stream(_ model: any ChatModel) async throws -> ChatStream {
        try await requireSuccess("a stream begins") { try await model.stream(question) }
    }

    /// Streams the answer of a service to its end or its error.
    func streamed(_ answer: ServiceAnswer) async throws -> (events: [ChatEvent], error: ChatModelError?) {
        try await read(stream(model(answer).0))
    }

    /// Reads a stream to its end or its error.
    func read(_ stream: ChatStream) async throws -> (events: [ChatEvent], error: ChatModelError?) {
        var events: [ChatEvent] = []
        var failure: ChatModelError?
        var reader = stream.makeAsyncIterator()
        do throws(ChatModelError) {
            while events.count < 10_000, let event = try await reader.next() { events.append(event) }
        } catch {
            failure = error
            try require(events.endings, is: [], "an answer that breaks has no ending")
            try giveUp(on: error)
        }
        if let event = try await reader.next() {
            throw ConformanceFailure("a stream that is over gives nothing more", saw: "\(event)")
        }
        return (events, failure)
    }

    /// Reads a stream to its end; gives the error.
    func reading(
        _ model: any ChatModel,
        text: @escaping @Sendable (String) -> Void = { _ in }
    ) -> Task<ChatModelError?, Never> {
        Task {
            do throws(ChatModelError) {
                for try await event in try await model.stream(question) {
                    if case .text(let piece) = event { text(piece) }
                }
            } catch { return error }
            return nil
        }
    }

    /// Streams an answer that must break; returns the words before that.
    func breaking(_ answer: ServiceAnswer, _ code: ChatModelError.Code) async throws -> String {
        let (events, error) = try await streamed(answer)
        try require(events.endings, is: [], "an answer that breaks has no ending")
        guard let error else { throw ConformanceFailure("the stream breaks with an error", saw: "an end") }
        try check(error, code, "the error tells how it broke")
        return events.text
    }

    /// Runs something that must fail, with a code and an error that says what was tried.
    @discardableResult
    func failing<Value>(
        _ requirement: String,
        _ code: ChatModelError.Code,
        _ work: () async throws -> Value
    ) async throws -> ChatModelError {
        let error: ChatModelError = try await requireError(requirement, work)
        try check(error, code, requirement)
        return error
    }

    /// Waits until the service answers nothing any more: under faults it may learn only after them that nobody reads.
    func ends(_ service: any ChatServiceWatch) async {
        if isUnderFaults {
            onceFaultsAreOver { await service.untilIdle() }
        } else {
            await service.untilIdle()
        }
    }

    private func check(_ error: ChatModelError, _ code: ChatModelError.Code, _ requirement: String) throws {
        try harness.requireNoSecret(in: error)
        try harness.requireNoSecret(in: error.detail)
        if error.code != code { try giveUp(on: error) }
        try require(error.code == code, requirement, saw: error.description)
        try require(
            !error.operation.isEmpty,
            "an error says what was tried",
            saw: "nothing, in “\(error)”"
        )
    }
}

extension [ChatEvent] {
    /// All words.
    var text: String { reduce(into: "") { if case .text(let text) = $1 { $0 += text } } }

    var endings: [ChatEnding] { compactMap { if case .ended(let ending) = $0 { ending } else { nil } } }
}
