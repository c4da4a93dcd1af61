public import Services

/// What speaks and hears in a demonstration that is spoken.
public struct DemoSpeech: Sendable {
    /// Speaks the replies.
    public var voice: any SpeechSynthesizer
    /// Understands the user.
    public var recognizer: any SpeechRecognizer
    /// Hears the user's question, once.
    public var microphone: any Microphone

    /// Brings them together.
    public init(
        voice: any SpeechSynthesizer,
        recognizer: any SpeechRecognizer,
        microphone: any Microphone
    ) {
        self.voice = voice
        self.recognizer = recognizer
        self.microphone = microphone
    }
}
