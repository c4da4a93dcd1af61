/// Something that goes wrong in a session: what a fault point of ``GeminiFaultPoints`` does when it fires.
enum LiveTrouble: Sendable, Hashable {
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
