/// Turns speech into text.
public protocol SpeechRecognizer: Sendable {
    /// Makes the recognizer ready, such as by loading its words.
    ///
    /// Repeated calls are cheap. A cancelled task is answered promptly.
    ///
    /// - Throws: `unavailable` when there is none on this machine.
    func prepare() async throws(SpeechInputError)

    /// Begins to recognize what a recording hears, until its end. A cancelled task is answered promptly.
    ///
    /// - Throws: `unavailable`, `recognitionFailed`, `cancelled`.
    func recognize(_ recording: any AudioRecording) async throws(SpeechInputError) -> any SpeechRecognition
}

/// One stretch of speech that is being recognized.
public protocol SpeechRecognition: Sendable {
    /// Waits for the next transcript: each replaces the one before, and the last one is final.
    ///
    /// One caller at a time. A cancelled task is answered promptly.
    ///
    /// - Returns: `nil` after the final transcript.
    /// - Throws: `recognitionFailed`, `microphoneFailed`, `cancelled`; nothing comes after that.
    func next() async throws(SpeechInputError) -> Transcript?

    /// Ends the speech here: ``next()`` gives what was heard until now, as final.
    ///
    /// Idempotent.
    func finish() async
}

/// What was understood of a stretch of speech.
public struct Transcript: Sendable, Hashable {
    /// All words of the stretch so far.
    public var text: String
    /// Whether it does not change any more.
    public var isFinal: Bool

    /// Makes a transcript.
    public init(_ text: String, isFinal: Bool = false) {
        self.text = text
        self.isFinal = isFinal
    }
}

/// Records sound.
public protocol Microphone: Sendable {
    /// Begins to record. A cancelled task is answered promptly.
    ///
    /// - Throws: `microphoneFailed`, also when another recording has it; `cancelled`.
    func record() async throws(SpeechInputError) -> any AudioRecording
}

/// Sound that is being recorded.
public protocol AudioRecording: Sendable {
    /// Samples a second of one channel, each 16 bits with a sign, the low byte first.
    var sampleRate: Int { get }

    /// Waits for more sound: whole samples, in order; `nil` after ``stop()``.
    ///
    /// One caller at a time. A cancelled task is answered promptly.
    func read() async throws(SpeechInputError) -> [UInt8]?

    /// Ends the recording, and returns when the microphone is free.
    ///
    /// Idempotent.
    func stop() async
}
