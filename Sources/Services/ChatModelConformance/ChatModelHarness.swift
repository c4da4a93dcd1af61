public import Services

/// What the suite needs of a model's author: how to make one whose service answers as a case wants.
///
/// ```swift
/// @Test(arguments: ChatModelConformance.cases)
/// func conforms(_ test: ChatModelConformance.Case) async throws {
///     try await test.run(with: MyModelHarness())
/// }
/// ```
public protocol ChatModelHarness: Sendable {
    /// A model whose service gives these answers, one to each request; the last again to all that follow.
    ///
    /// A service that sends bytes cuts them anywhere, also inside a character.
    func makeModel(answering answers: [ServiceAnswer]) async throws -> (any ChatModel, any ChatServiceWatch)

    /// Texts that no error may contain, such as the model's key; the service repeats them in its refusals.
    var secrets: [String] { get }
}

extension ChatModelHarness {
    /// No text is watched for.
    public var secrets: [String] { [] }
}

/// What happens at the service of a model on trial.
public protocol ChatServiceWatch: Sendable {
    /// Requests that came so far.
    var requests: Int { get }

    /// Returns once a request has come.
    func untilAsked() async

    /// Returns once no request is being answered any more.
    func untilIdle() async
}

/// What a service answers to one request.
public enum ServiceAnswer: Sendable, Hashable {
    /// A failure that has its own code.
    public enum Refusal: String, Sendable, Hashable, CaseIterable {
        case invalidKey, quotaExceeded, rejected, notFound, tooLarge, unavailable
    }

    /// These pieces, then an ending, then what it cost.
    case says([String], ChatEnding = .finished(.stop, []), TokenUsage = TokenUsage())
    /// The number of tokens.
    case counts(Int)
    /// No answer, but a refusal.
    case refuses(Refusal)
    /// These pieces, then the connection is lost.
    case breaks(after: [String])
    /// These pieces, then the service reports that it is unavailable.
    case fails(after: [String])
    /// These pieces, then the answer is over without an ending.
    case stops(after: [String])
    /// These pieces, then nothing, for as long as somebody waits.
    case fallsSilent(after: [String])
    /// Takes the request, and loses the connection before a word.
    case isLost
}
