public import Conformance
public import Services

/// What the suite needs of a model's author: how to make one, and what it and its service can do.
///
/// ```swift
/// struct MyHarness: LiveModelHarness {
///     func makeModel(_ key: LiveKey) async throws -> any LiveModel { MyModel(key: key == .good ? "k" : "x") }
///     var configuration: LiveConfiguration { LiveConfiguration(model: "my-model") }
/// }
///
/// @Test(arguments: LiveModelConformance.cases)
/// func conforms(_ test: LiveModelConformance.Case) async throws {
///     try await test.run(with: MyHarness())
/// }
/// ```
public protocol LiveModelHarness: Harness where Capability == LiveCapability {
    /// A model whose service is there.
    func makeModel(_ key: LiveKey) async throws -> any LiveModel

    /// A configuration of a model that exists, which answers in writing.
    var configuration: LiveConfiguration { get }

    /// A JPEG file that the service can read.
    var jpeg: [UInt8] { get }
}

/// The key of a model.
public enum LiveKey: String, Sendable, Hashable, CaseIterable {
    /// One that is accepted.
    case good
    /// One that is not.
    case bad
    /// None at all.
    case none
}

/// What not every model can do.
public enum LiveCapability: String, Sendable, Hashable, CaseIterable {
    /// It judges keys: a wrong one is refused.
    case keys
    /// It gives handles, and goes on from them.
    case resumption
    /// It answers in sound, and shows what it says.
    case speech
    /// It hears speech of the test's kind, a tone, and ends the turn when the microphone is turned off.
    case hearing
    /// It takes marks of activity.
    case marks
    /// It calls a function that the words name.
    case functions
    /// It tells after each turn how many tokens the whole context has.
    case usage
}

extension LiveModelHarness {
    /// Everything.
    public var capabilities: Set<LiveCapability> { Set(LiveCapability.allCases) }
}
