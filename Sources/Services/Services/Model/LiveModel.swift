/// An AI service that watches and answers in one long conversation.
public protocol LiveModel: Sendable {
    /// Opens a session and waits until the service has accepted its configuration.
    ///
    /// - Throws: `invalidKey`, `rejected`, `unreachable`, `timedOut`, `cancelled`.
    func startSession(_ configuration: LiveConfiguration) async throws(LiveModelError) -> any LiveSession
}

/// What a session is asked to be.
///
/// It cannot change while the session is open.
public struct LiveConfiguration: Sendable, Hashable {
    /// The service's name for the model, with or without a `models/` prefix.
    public var model: String
    /// Standing instructions, or `nil` for the model's own manner.
    public var instructions: String?
    /// A handle from an earlier session, to go on where it stopped.
    public var resumption: String?

    /// Makes a value of its parts.
    public init(model: String, instructions: String? = nil, resumption: String? = nil) {
        self.model = model
        self.instructions = instructions
        self.resumption = resumption
    }
}

/// One open session.
public protocol LiveSession: Sendable {
    /// Sends a still picture as part of the running video.
    ///
    /// Pictures alone do not make the model speak: only text or sound does.
    ///
    /// - Parameter jpeg: A whole JPEG file.
    /// - Throws: `closed`, `cancelled`.
    func send(frame jpeg: [UInt8]) async throws(LiveModelError)

    /// Says something to the model, which answers.
    ///
    /// - Throws: `closed`, `cancelled`.
    func send(text: String) async throws(LiveModelError)

    /// Waits for the next event; one task at a time. After `.closed` it returns the same again.
    ///
    /// - Throws: `cancelled` only.
    func nextEvent() async throws(LiveModelError) -> LiveEvent

    /// Ends the session. Harmless when repeated.
    func close() async
}

/// What the model side of a session says.
public enum LiveEvent: Sendable, Hashable {
    /// More text of the current turn; may be cut anywhere, even inside a word.
    case text(String)
    /// The current turn is complete.
    case turnComplete
    /// The current turn was cut short, for example by new input; `turnComplete` follows.
    case interrupted
    /// A handle with which a later session can go on.
    case resumable(handle: String)
    /// The service will close the connection after `timeLeft`.
    case goingAway(timeLeft: Duration)
    /// Tokens so far, for the whole session.
    case usage(prompt: Int, response: Int)
    /// A message that carries nothing of interest here (audio, transcripts).
    case other
    /// A message that could not be understood; the session goes on.
    case unreadable(detail: String)
    /// The end. `code` is the WebSocket close code (1006 for a lost connection).
    case closed(code: UInt16, reason: String)
}
