/// An AI service that watches, listens and answers in one long conversation.
///
/// The guide `Documentation/ModelBackend.md` says what an implementation has to do, and the suite `LiveModelConformance` checks it.
public protocol LiveModel: Sendable {
    /// Opens a session and waits until the service has accepted its configuration.
    ///
    /// - Throws: `invalidKey`, `rejected`, `unreachable`, `timedOut`, `cancelled`.
    func startSession(_ configuration: LiveConfiguration) async throws(LiveModelError) -> any LiveSession
}

/// One open session.
public protocol LiveSession: Sendable {
    /// Puts something to the model; returns when the connection has taken it.
    ///
    /// Several tasks may send at once; each input goes out as a whole.
    ///
    /// - Throws: `closed`, `cancelled`; `rejected` for an input that no service could read, or that is too large.
    func send(_ input: LiveInput) async throws(LiveModelError)

    /// Waits for the next event; one task at a time. After `.closed` it returns the same again.
    ///
    /// - Throws: `cancelled` only.
    func nextEvent() async throws(LiveModelError) -> LiveEvent

    /// Ends the session. Idempotent.
    func close() async

    /// What a close by the service means, as far as its code and words tell.
    ///
    /// Services name quota and keys in words, under codes that mean something else.
    ///
    /// - Parameters:
    ///   - code: The code of `LiveEvent.closed`.
    ///   - reason: Its reason.
    /// - Returns: `closed` where nothing more is known.
    func cause(ofClose code: UInt16, reason: String) -> LiveModelError.Code
}

extension LiveSession {
    /// Sends a still picture as part of the running video.
    ///
    /// - Parameter jpeg: A whole JPEG file.
    /// - Throws: As ``send(_:)``.
    public func send(frame jpeg: [UInt8]) async throws(LiveModelError) { try await send(.frame(jpeg)) }

    /// Says something to the model, which answers.
    ///
    /// - Throws: As ``send(_:)``.
    public func send(text: String) async throws(LiveModelError) { try await send(.text(text)) }

    /// Lets the model hear a piece of the running sound.
    ///
    /// - Throws: As ``send(_:)``.
    public func send(audio: LiveAudio) async throws(LiveModelError) { try await send(.audio(audio)) }
}
