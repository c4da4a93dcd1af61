/// Something that goes wrong in a session.
public enum GeminiTrouble: Sendable, Hashable, Codable {
    /// The service closes; 1011 is its usual code for trouble of its own.
    case close(code: UInt16, reason: String)
    /// The connection is lost without a close: the client sees 1006.
    case drop
    /// A message with this text goes out, whatever it is, and the session goes on.
    case malformed(String)
    /// The client is warned, and the connection is closed after `timeLeft`.
    case goAway(timeLeft: Duration)
    /// Nothing is sent for so long; then all that has waited.
    case stall(Duration)
    /// Nothing is sent any more, and the connection stays open. At the setup, this is “never answered”.
    case mute
    /// Nothing is read for so long, so that the client is held back, and its pongs are late.
    case stopReading(Duration)
}

/// A trouble with its moment.
public struct GeminiFault: Sendable, Hashable, Codable {
    /// When trouble comes.
    public enum Moment: Sendable, Hashable, Codable {
        /// After the setup was read, before its answer.
        case setup
        /// When this many frames have arrived in the session; counts from 1.
        case frame(Int)
        /// Before the chunk of that index in the session's turn of that index; both count from 0.
        case chunk(turn: Int, chunk: Int)
        /// So long after the setup was accepted.
        case elapsed(Duration)
    }

    /// The session that it meets, counted by handshakes from 0; `nil` for every session.
    public var session: Int?
    /// When it comes.
    public var moment: Moment
    /// What happens.
    public var trouble: GeminiTrouble

    /// Makes a fault.
    public init(_ trouble: GeminiTrouble, at moment: Moment, session: Int? = nil) {
        self.trouble = trouble
        self.moment = moment
        self.session = session
    }
}
