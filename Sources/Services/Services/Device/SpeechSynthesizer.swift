/// Speaks sentences aloud, one after the other.
public protocol SpeechSynthesizer: Sendable {
    /// Speaks `text` and returns when it has been heard, or was cut off by ``stop()`` or cancellation.
    ///
    /// Calls do not overlap: the caller speaks one utterance at a time.
    func speak(_ text: String) async

    /// Falls silent at once.
    func stop() async
}
