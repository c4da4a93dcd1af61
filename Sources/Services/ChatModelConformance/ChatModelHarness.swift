public import Conformance
public import Services

/// What the suite needs of a model's author: how to make one whose service answers as a case wants.
///
/// ```swift
/// @Test(arguments: ChatModelConformance.cases)
/// func conforms(_ test: ChatModelConformance.Case) async throws {
///     try await test.run(with: MyModelHarness())
/// }
/// ```
public protocol ChatModelHarness: Harness where Capability == ChatCapability {
    /// A model whose service gives these answers, one to each request; the last again to all that follow.
    ///
    /// A service that sends bytes cuts them anywhere, also inside a character, and leaves out what may be missing at the end
    /// of its answers, such as the end of the last line.
    ///
    /// - Throws: `CaseSkipped` where the service cannot be made to answer so.
    func makeModel(answering answers: [ServiceAnswer]) async throws -> (any ChatModel, any ChatServiceWatch)

    /// A model whose service answers as it does by itself; one that only answers what it is given does so like this.
    func makeModel(like answer: ServiceAnswer) async throws -> any ChatModel

    /// The name of the model that is asked.
    var model: String { get }
}

extension ChatModelHarness {
    /// One whose service gives this answer.
    public func makeModel(like answer: ServiceAnswer) async throws -> any ChatModel {
        try await makeModel(answering: [answer]).0
    }

    /// Some name: the service answers to any.
    public var model: String { "conformance" }
    /// Everything.
    public var capabilities: Set<ChatCapability> { Set(ChatCapability.allCases) }
    /// A minute.
    public var timeLimit: Duration { .seconds(60) }
}

/// What not every service can do.
public enum ChatCapability: String, Sendable, Hashable, CaseIterable {
    /// It refuses wrong keys.
    case keys
    /// It says how many tokens a request has.
    case tokenCounts
    /// It says what an answer cost.
    case costs
    /// It refuses requests as harmful, and says so by a `BlockReason`.
    case blocking
    /// It ends answers as harmful, by `FinishReason.safety`.
    case safety
    /// It ends answers that repeat a source, by `FinishReason.recitation`.
    case recitation
    /// What was sent before a connection breaks arrives.
    ///
    /// It does on a simulated network. On sockets a client may drop what it holds when the connection ends:
    /// AsyncHTTPClient does, and `LiveTransport` with it.
    case delivery
}

/// What happens at the service of a model on trial; ``ServiceWatch`` is one for services that run beside the test.
public protocol ChatServiceWatch: Sendable {
    /// Requests that came so far.
    var requests: Int { get async }

    /// Returns once a request has come, or the calling task is cancelled.
    func untilAsked() async

    /// Returns once no request is being answered any more, or the calling task is cancelled.
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
