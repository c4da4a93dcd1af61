public import Conformance
public import Services

/// What the suite needs of a recognizer's author: how to make one, and sound that it hears.
///
/// ```swift
/// struct MyRecognizerHarness: SpeechRecognizerHarness {
///     let capabilities: Set<SpeechRecognizerCapability> = [.understands]
///     func makeRecognizer(_ scene: SpeechScene) async throws -> MyRecognizer { MyRecognizer() }
///     func record(_ scene: SpeechScene, for recognizer: MyRecognizer) async throws -> any AudioRecording { … }
/// }
///
/// @Test(arguments: SpeechRecognizerConformance.cases)
/// func conforms(_ test: SpeechRecognizerConformance.Case) async throws {
///     try await test.run(with: MyRecognizerHarness())
/// }
/// ```
public protocol SpeechRecognizerHarness: Harness where Capability == SpeechRecognizerCapability {
    associatedtype Recognizer: SpeechRecognizer

    /// A recognizer for a scene; several recordings of the scene may be recognized, one after the other.
    func makeRecognizer(_ scene: SpeechScene) async throws -> Recognizer

    /// A recording of the scene, from its beginning.
    func record(_ scene: SpeechScene, for recognizer: Recognizer) async throws -> any AudioRecording

    /// Whether a text is what somebody could have understood of the sentence.
    func isRight(_ text: String) -> Bool

    /// Takes down what was made for a recognizer.
    func takeDown(_ recognizer: Recognizer) async
}

/// What there is to be heard.
public enum SpeechScene: String, Sendable, Hashable, CaseIterable {
    /// A sentence, after which the sound ends.
    case sentence
    /// A sentence, after which the recording goes on in silence.
    case open
    /// A microphone that fails; for ``SpeechRecognizerCapability/microphoneFailures``.
    case brokenMicrophone
    /// A sentence of which the recognizer fails; for ``SpeechRecognizerCapability/recognitionFailures``.
    case brokenRecognizer
    /// No recognizer on this machine; for ``SpeechRecognizerCapability/absence``.
    case noRecognizer
}

/// What not every recognizer does, or not every harness can make happen.
public enum SpeechRecognizerCapability: String, Sendable, Hashable, CaseIterable {
    /// There can be a recognizer; without one, only ``absence`` can be tried.
    case understands
    /// Words come before the sentence has ended.
    case partials
    /// The microphone can fail.
    case microphoneFailures
    /// The recognizer can fail.
    case recognitionFailures
    /// The recognizer can be missing.
    case absence
}

extension SpeechRecognizerHarness {
    /// A recognizer that is there.
    public var capabilities: Set<SpeechRecognizerCapability> { [.understands] }
    /// Any words.
    public func isRight(_ text: String) -> Bool { !text.isEmpty }
    /// Nothing is left to take down.
    public func takeDown(_ recognizer: Recognizer) async {}
}
