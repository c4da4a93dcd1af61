public import Conformance
public import Services

/// What the suite needs of a voice's author: how to make one, and what it was heard to say.
///
/// Only ``makeVoice()`` is required:
///
/// ```swift
/// struct MyVoiceHarness: SpeechSynthesizerHarness {
///     func makeVoice() async throws -> MyVoice { MyVoice() }
/// }
///
/// @Test(arguments: SpeechSynthesizerConformance.cases)
/// func conforms(_ test: SpeechSynthesizerConformance.Case) async throws {
///     try await test.run(with: MyVoiceHarness())
/// }
/// ```
///
/// A voice that speaks at the pace of people takes as long as people do, in real time too: the patience is how soon a voice that is
/// cut off must be silent, and cases cut off texts of four times that.
public protocol SpeechSynthesizerHarness: Harness where Capability == SpeechSynthesizerCapability {
    associatedtype Voice: SpeechSynthesizer

    /// A voice that has said nothing yet.
    func makeVoice() async throws -> Voice

    /// What was said and is over, oldest first; for ``SpeechSynthesizerCapability/heard``.
    func heard(from voice: Voice) async throws -> [HeardUtterance]

    /// Takes down what was made for a voice.
    func takeDown(_ voice: Voice) async
}

/// Something that a voice has said.
public struct HeardUtterance: Sendable, Hashable {
    /// What was to be said.
    public var text: String
    /// Whether it was cut off.
    public var wasCutOff: Bool

    /// Makes one.
    public init(_ text: String, wasCutOff: Bool = false) { (self.text, self.wasCutOff) = (text, wasCutOff) }
}

/// What not every voice does, or not every harness can observe.
public enum SpeechSynthesizerCapability: String, Sendable, Hashable, CaseIterable {
    /// The harness knows what was said.
    case heard
    /// It speaks about as fast as people do.
    case paced
}

extension SpeechSynthesizerHarness {
    /// None: only what every voice can show.
    public var capabilities: Set<SpeechSynthesizerCapability> { [] }
    /// Nothing is left to take down.
    public func takeDown(_ voice: Voice) async {}

    /// Fails: a harness that names a capability must have what it needs.
    public func heard(from voice: Voice) async throws -> [HeardUtterance] { throw Self.missing("heard") }
}
