import PPPP
import Transport

/// One client of a simulated camera: its session, what it has asked for, and what is due to it.
struct ClientSession {
    var session: Session
    var seal: PacketSeal
    var assembler: CommandAssembler
    var state = ClientState()
    /// Answers that are not yet due.
    var replies: [(due: ContinuousClock.Instant, bytes: [UInt8])] = []
    /// Until when READY is sent to the client again and again.
    var storm: ContinuousClock.Instant?
    var nextFrame: ContinuousClock.Instant
    /// A data packet that was sent before, to be replayed.
    var oldPacket: Packet?
    /// When the session is forgotten although nothing is wrong with it.
    var end: ContinuousClock.Instant?

    init(_ session: Session, _ seal: PacketSeal, _ framing: CommandFraming, at now: ContinuousClock.Instant) {
        (self.session, self.seal) = (session, seal)
        assembler = CommandAssembler(framing)
        nextFrame = now
    }

    /// Requests without an answer at most; further ones are acknowledged and ignored.
    static let mostReplies = 64
}
