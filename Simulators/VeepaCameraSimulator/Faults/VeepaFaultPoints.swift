package import PeerKit

/// Where something may go wrong at a simulated camera.
package enum VeepaFaultPoints {
    static let searchMute = PeerFaultPoint("veepa.search.mute", "a search is not answered")
    static let searchWrongID = PeerFaultPoint(
        "veepa.search.wrongID",
        "a search is answered with another ID"
    )
    static let readyMute = PeerFaultPoint("veepa.ready.mute", "a client that punches gets no answer")
    static let readyStorm = PeerFaultPoint(
        "veepa.ready.storm",
        "READY is sent to a client without end",
        .init("seconds", 1, in: 0.05...60)
    )
    static let loginRejected = PeerFaultPoint(
        "veepa.login.rejected",
        "a login with the right password is refused"
    )
    static let loginFull = PeerFaultPoint("veepa.login.full", "a login meets more users than there may be")
    static let loginOther = PeerFaultPoint(
        "veepa.login.otherCamera",
        "a login is answered with the ID of another camera"
    )
    static let replyMute = PeerFaultPoint("veepa.reply.mute", "a request is acknowledged and not answered")
    static let replyEarly = PeerFaultPoint(
        "veepa.reply.early",
        "an answer is there before the acknowledgement"
    )
    static let replyHuge = PeerFaultPoint(
        "veepa.reply.huge",
        "an answer says that it is longer than any",
        .init("bytes", 1_000_000_000, in: 0...4_294_967_295)
    )
    static let replyMalformed = PeerFaultPoint("veepa.reply.malformed", "an answer has no header")
    static let replyUnsolicited = PeerFaultPoint(
        "veepa.reply.unsolicited",
        "a status comes before an answer, and nobody has asked for it"
    )
    static let frameTruncated = PeerFaultPoint(
        "veepa.frame.truncated",
        "a frame ends before its length",
        .init("bytes", 100, in: 1...1_000_000)
    )
    static let frameHuge = PeerFaultPoint(
        "veepa.frame.huge",
        "a frame says that it is longer than any",
        .init("bytes", 4_294_967_295, in: 0...4_294_967_295)
    )
    static let frameMalformed = PeerFaultPoint("veepa.frame.malformed", "a frame is no picture")
    static let frameBare = PeerFaultPoint("veepa.frame.bare", "a frame comes without its header")
    static let frameH264 = PeerFaultPoint("veepa.frame.h264", "a frame is one of H.264")
    static let frameSound = PeerFaultPoint("veepa.frame.sound", "a piece of sound comes between frames")
    static let streamStall = PeerFaultPoint(
        "veepa.stream.stall",
        "frames stay away for a while",
        .init("seconds", 6, in: 0...3600)
    )
    static let sessionClose = PeerFaultPoint(
        "veepa.session.close",
        "the camera closes a session in the middle of a frame"
    )
    static let sessionMute = PeerFaultPoint(
        "veepa.session.mute",
        "the camera forgets a session, and says nothing to its client any more"
    )
    static let packetReplayed = PeerFaultPoint(
        "veepa.packet.replayed",
        "a packet is sent again long after it was acknowledged"
    )
    static let packetForeign = PeerFaultPoint(
        "veepa.packet.foreign",
        "somebody else sends a packet of the session from another address"
    )
    static let datagramLost = PeerFaultPoint(
        "veepa.datagram.lost",
        "a datagram from or to the camera is lost"
    )
    static let datagramDoubled = PeerFaultPoint(
        "veepa.datagram.doubled",
        "a datagram of the camera comes twice"
    )
    static let datagramLate = PeerFaultPoint(
        "veepa.datagram.late",
        "a datagram of the camera is overtaken by those after it",
        .init("seconds", 0.04, in: 0...60)
    )

    package static let joinNever = PeerFaultPoint(
        "veepa.join.never",
        "a camera that has read its codes never joins the network"
    )
    package static let joinRefused = PeerFaultPoint(
        "veepa.join.refused",
        "the access point refuses a camera with the right password, and it waits for codes again"
    )
    package static let joinLate = PeerFaultPoint(
        "veepa.join.late",
        "a camera takes longer to join the network",
        .init("seconds", 40, in: 0...3600)
    )
    package static let codePartsOnly = PeerFaultPoint(
        "veepa.code.partsOnly",
        "a camera does not read a code that has both name and password"
    )

    static let points = [
        searchMute, searchWrongID, readyMute, readyStorm, loginRejected, loginFull, loginOther, replyMute,
        replyEarly, replyHuge, replyMalformed, replyUnsolicited, frameTruncated, frameHuge, frameMalformed,
        frameBare, frameH264, frameSound, streamStall, sessionClose, sessionMute, packetReplayed,
        packetForeign,
        datagramLost, datagramDoubled, datagramLate, joinNever, joinRefused, joinLate, codePartsOnly,
    ]
}
