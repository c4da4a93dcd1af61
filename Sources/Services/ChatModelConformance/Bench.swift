import Conformance
import Services

/// A harness, with what the cases do with its models.
struct Bench: Sendable {
    private let harness: any ChatModelHarness

    init(_ harness: some ChatModelHarness) { self.harness = harness }

    func model(_ answers: ServiceAnswer...) async throws -> (any ChatModel, any ChatServiceWatch) {
        try await harness.makeModel(answering: answers)
    }

    /// Whether the model and its service can do something that a part of a case needs.
    func can(_ capability: ChatCapability) -> Bool { harness.capabilities.contains(capability) }

    static let question = ChatRequest(model: "conformance", contents: [.user("Hello")])

    /// Runs something that must succeed.
    func succeeding<Value>(
        _ requirement: String,
        _ work: () async throws(ChatModelError) -> Value
    ) async throws -> Value {
        do { return try await work() } catch {
            throw ConformanceFailure(requirement, saw: error.description)
        }
    }

    /// Runs something that must fail, with one of some codes and an error that says what was tried.
    @discardableResult
    func failing<Value>(
        _ requirement: String,
        _ codes: Set<ChatModelError.Code>,
        _ work: () async throws(ChatModelError) -> Value
    ) async throws -> ChatModelError {
        do { _ = try await work() } catch {
            try check(error, codes, requirement)
            return error
        }
        throw ConformanceFailure(requirement, saw: "success")
    }

    /// Reads a stream to its end or its error.
    func read(_ stream: ChatStream) async throws -> (events: [ChatEvent], error: ChatModelError?) {
        var events: [ChatEvent] = []
        var reader = stream.makeAsyncIterator()
        do throws(ChatModelError) {
            while let event = try await reader.next() {
                events.append(event)
                guard events.count < 10_000 else { break }
            }
        } catch {
            try await expectOver(&reader)
            return (events, error)
        }
        try await expectOver(&reader)
        return (events, nil)
    }

    private func expectOver(_ reader: inout ChatStream.Iterator) async throws {
        guard let event = try await reader.next() else { return }
        throw ConformanceFailure("a stream that is over gives nothing more", saw: "\(event)")
    }

    /// Streams an answer that must break; returns the words before that.
    func breaking(
        _ answer: ServiceAnswer,
        _ codes: Set<ChatModelError.Code>
    ) async throws -> String {
        let (model, _) = try await model(answer)
        let (events, error) = try await read(
            try await succeeding("a stream begins") { () async throws(ChatModelError) in
                try await model.stream(Self.question)
            }
        )
        if events.contains(where: { if case .ended = $0 { true } else { false } }) {
            throw ConformanceFailure("an answer that breaks has no ending", saw: "\(events)")
        }
        guard let error else { throw ConformanceFailure("the stream breaks with an error", saw: "an end") }
        try check(error, codes, "the error tells how it broke")
        return events.text
    }

    func expect<Value: Equatable>(_ value: Value, _ expected: Value, _ requirement: String) throws {
        guard value == expected else {
            throw ConformanceFailure(requirement, saw: "\(value), not \(expected)")
        }
    }

    private func check(
        _ error: ChatModelError,
        _ codes: Set<ChatModelError.Code>,
        _ requirement: String
    ) throws {
        let texts = [error.description, error.detail, String(reflecting: error)]
        for secret in harness.secrets where texts.contains(where: { $0.contains(secret) }) {
            throw ConformanceFailure(
                "no error contains a credential",
                saw: "one, in an error of \(error.code)"
            )
        }
        guard codes.contains(error.code) else {
            throw ConformanceFailure(requirement, saw: error.description)
        }
        guard !error.operation.isEmpty else {
            throw ConformanceFailure("an error says what was tried", saw: "nothing, in “\(error)”")
        }
    }
}

extension [ChatEvent] {
    /// All words.
    var text: String { reduce(into: "") { if case .text(let text) = $1 { $0 += text } } }

    var endings: [ChatEnding] { compactMap { if case .ended(let ending) = $0 { ending } else { nil } } }
}
