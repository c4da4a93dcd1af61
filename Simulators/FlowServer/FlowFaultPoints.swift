import PeerKit

/// The fault points of the simulated Flow backend, besides those of all services.
enum FlowFaultPoints {
    static let answerLost = PeerFaultPoint(
        "flow.answerLost",
        "a call takes effect; then nothing is heard for a time, until a proxy says 504",
        .init("silence", 0, in: 0...3600)
    )
    static let answerCut = PeerFaultPoint(
        "flow.answerCut",
        "a call takes effect; then the connection breaks inside the answer"
    )
    static let busy = PeerFaultPoint(
        "flow.busy",
        "a call is refused in the service's own form, and nothing is changed",
        .init("retryAfter", 1, in: 0...86_400)
    )
    static let empty = PeerFaultPoint(
        "flow.empty",
        "a call is answered without a body, and nothing is changed",
        .init("status", 500, in: 200...599)
    )
    static let otherForm = PeerFaultPoint(
        "flow.otherForm",
        "a refusal comes in the form that the project does not have: with 200, or with a status"
    )
    static let revoked = PeerFaultPoint(
        "flow.revoked",
        "all tokens that were given are revoked just before a call"
    )
    static let shortToken = PeerFaultPoint(
        "flow.token.short",
        "a token is valid for a short time; for 0 seconds it is expired when it is given",
        .init("seconds", 1, in: 0...3600)
    )
    static let isoExpiry = PeerFaultPoint("flow.token.iso", "`expires_on` is a date as text")
    static let wrongExpiry = PeerFaultPoint(
        "flow.token.wrongExpiry",
        "`expires_on` is milliseconds (0), seconds from now (1), absent (2) or past (3)",
        .init("form", 0, in: 0...3)
    )

    static let points =
        HTTPFaults.points + [
            answerLost, answerCut, busy, empty, otherForm, revoked, shortToken, isoExpiry, wrongExpiry,
        ]
}
