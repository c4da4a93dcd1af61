import PeerKit
import Transport

/// The fault points of the simulated Gemini, besides those of all services.
///
/// A handshake passes `gemini.handshake.refused`, and a session whose setup was answered `gemini.session.goAway`. The points
/// of ``live`` are passed before the answer to a setup, after each frame, and before each chunk that is said; those of
/// ``content`` by each message with a piece of an answer, ``slowStart`` by each turn, and ``poisonedResume`` by each setup with
/// a handle that is known.
enum GeminiFaultPoints {
    static let handshake = PeerFaultPoint(
        "gemini.handshake.refused",
        "a handshake gets an HTTP status instead of a connection",
        .init("status", 503, in: 400...599)
    )
    static let farewell = PeerFaultPoint(
        "gemini.session.goAway",
        "a session is warned at a time after its setup, be it idle or not, and closed when its time is over",
        .init("after", 5, in: 0...3600),
        // So that one arming spreads over the sessions of a run.
        .init("spread", 0, in: 0...3600),
        .init("timeLeft", 5, in: 0...600)
    )
    static let goAway = PeerFaultPoint(
        "gemini.live.goAway",
        "a session is warned, and closed when its time is over",
        .init("timeLeft", 5, in: 0...600)
    )
    static let close = PeerFaultPoint(
        "gemini.live.close",
        "a session is closed with a code, which is 1011 when the given one may not be sent",
        .init("code", 1011, in: 1000...4999),
        // Which of the reasons that are known for the code, counted from 0 and over again.
        .init("reason", 0, in: 0...13)
    )
    static let drop = PeerFaultPoint("gemini.live.drop", "a session is cut without a close")
    static let malformed = PeerFaultPoint("gemini.live.malformed", "a message that is no JSON goes out")
    static let stall = PeerFaultPoint(
        "gemini.live.stall",
        "nothing is sent for a time; then all that has waited",
        .init("seconds", 5, in: 0...3600)
    )
    static let mute = PeerFaultPoint("gemini.live.mute", "nothing is sent any more on an open connection")
    static let slowReader = PeerFaultPoint(
        "gemini.live.slowReader",
        "nothing is read for a time, so that the client is held back",
        .init("seconds", 5, in: 0...3600)
    )

    static let duplicate = PeerFaultPoint(
        "gemini.live.duplicate",
        "a piece of an answer goes out twice"
    )
    static let reorder = PeerFaultPoint(
        "gemini.live.reorder",
        "a piece of an answer goes out after the one that follows it"
    )
    static let huge = PeerFaultPoint(
        "gemini.live.huge",
        "a message without meaning, and of a size that some clients refuse, goes out before a piece of an answer",
        // Python's clients refuse more than 1 MiB. More would only fill slow links for minutes, since the simulated network
        // does not take back what a sender had given it before a reset.
        .init("megabytes", 1.25, in: 0.001...1.5)
    )
    static let slowStart = PeerFaultPoint(
        "gemini.live.slowStart",
        "an answer begins late",
        .init("seconds", 10, in: 0...3600)
    )
    static let poisonedResume = PeerFaultPoint(
        "gemini.session.poisonedResume",
        "a session that goes on from a handle is accepted, and the model never speaks in it"
    )

    /// Passed by each piece of an answer.
    static let content = [duplicate, reorder, huge]
    static let live = [goAway, close, drop, malformed, stall, mute, slowReader]
    static let points =
        HTTPFaults.points + [handshake, farewell, poisonedResume] + live + content + [slowStart]
        + GenerateFaultPoints.points + FileFaultPoints.points

    /// What a fault at a point of a session does.
    static func trouble(_ point: PeerFaultPoint, _ fault: PeerFault) -> LiveTrouble? {
        switch point.name {
        case goAway.name: .goAway(timeLeft: fault.time("timeLeft"))
        case close.name: close(code: UInt16(fault.integer("code")), number: fault.integer("reason"))
        case drop.name: .drop
        case malformed.name: .malformed("{\"serverContent\":")
        case stall.name: .stall(fault.time("seconds"))
        case mute.name: .mute
        case slowReader.name: .stopReading(fault.time("seconds"))
        default: nil
        }
    }

    /// A close with what the service says along with that code.
    private static func close(code: UInt16, number: Int) -> LiveTrouble {
        // The numbers between the ranges of RFC 6455 section 7.4 may be drawn too.
        let code = WebSocketClose.mayBeSent(code) ? code : 1011
        let known = LiveRefusal.known(code, number: number)
        return .close(code: code, reason: known?.close.reason ?? "")
    }
}
