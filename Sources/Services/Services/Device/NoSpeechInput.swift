/// The speech input of an app that has none: nothing hears, and nothing understands.
public struct NoSpeechInput: SpeechRecognizer, Microphone {
    /// Creates it.
    public init() {}

    /// Always throws `unavailable`.
    public func prepare() async throws(SpeechInputError) { throw Self.missing }

    /// Always throws `unavailable`.
    public func recognize(
        _ recording: any AudioRecording
    ) async throws(SpeechInputError) -> any SpeechRecognition { throw Self.missing }

    /// Always throws `unavailable`.
    public func record() async throws(SpeechInputError) -> any AudioRecording { throw Self.missing }

    private static var missing: SpeechInputError {
        SpeechInputError(.unavailable, detail: "the app was started without a recognizer")
    }
}
