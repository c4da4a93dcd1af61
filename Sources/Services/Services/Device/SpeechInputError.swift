/// Why nothing can be heard or understood.
public struct SpeechInputError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure it is.
    public enum Code: String, Sendable, Hashable, Codable, CaseIterable {
        /// There is no recognizer or no microphone.
        case unavailable
        /// The user does not allow the microphone.
        case permissionDenied
        /// The microphone gives no sound.
        case microphoneFailed
        /// The recognizer has failed.
        case recognitionFailed
        /// Somebody listens already.
        case busy
        /// The calling task was cancelled.
        case cancelled
    }

    /// What kind of failure it is.
    public var code: Code
    /// What happened, in the words of the one that failed; may be empty.
    public var detail: String

    /// Makes an error.
    public init(_ code: Code, detail: String = "") {
        self.code = code
        self.detail = detail
    }

    /// The failure in words.
    public var description: String {
        let words =
            switch code {
            case .unavailable: "Speech input is not available"
            case .permissionDenied: "Microphone permission denied"
            case .microphoneFailed: "The microphone gives no sound"
            case .recognitionFailed: "Speech could not be recognized"
            case .busy: "Somebody is listened to already"
            case .cancelled: "Listening was cancelled"
            }
        return detail.isEmpty ? words : "\(words): \(detail)"
    }
}
