import PeerKit

/// The fault points of the simulated hub, besides those of all services.
enum HubFaultPoints {
    static let answerLost = PeerFaultPoint(
        "argus.answerLost",
        "a call takes effect; then nothing is heard for a time, until a proxy says 504",
        .init("silence", 0, in: 0...3600)
    )
    static let answerCut = PeerFaultPoint(
        "argus.answerCut",
        "a call takes effect; then the connection breaks inside the answer"
    )
    static let busy = PeerFaultPoint(
        "argus.busy",
        "a call is refused with 503, or with 429, and nothing is changed",
        .init("status", 503, in: 429...503),
        .init("retryAfter", 1, in: 0...86_400)
    )
    static let failure = PeerFaultPoint(
        "argus.500",
        "the hub fails: 500 with a line of plain text, and nothing is changed"
    )
    static let missing = PeerFaultPoint(
        "argus.404",
        "what a call asks for is not there: 404, and nothing is changed"
    )
    static let malformed = PeerFaultPoint(
        "argus.malformed",
        "a call takes effect, and its answer is JSON of another form"
    )
    static let schema = PeerFaultPoint(
        "argus.422",
        "a call is refused with 422 and a list for `detail`, and nothing is changed"
    )
    static let revoked = PeerFaultPoint(
        "argus.revoked",
        "all access tokens that were given are revoked just before a call"
    )
    static let refreshLost = PeerFaultPoint(
        "argus.refresh.lost",
        "a refresh token is rotated; then nothing is heard for a time, until a proxy says 504",
        .init("silence", 0, in: 0...3600)
    )
    static let shortToken = PeerFaultPoint(
        "argus.token.short",
        "an access token is valid for a short time, whatever `expires_in` says; for 0 seconds it is expired when it is given",
        .init("seconds", 1, in: 0...3600)
    )
    static let wrongExpiry = PeerFaultPoint(
        "argus.token.expiresIn",
        "`expires_in` has nothing to do with the token: 0, negative or huge",
        .init("seconds", 0, in: -1e9...1e15)
    )
    static let codesForgotten = PeerFaultPoint(
        "argus.codes.forgotten",
        "the hub has lost its pairing codes just before one is sent"
    )
    static let pageSizeIgnored = PeerFaultPoint(
        "argus.events.pageSizeIgnored",
        "a page has another size than was asked for",
        .init("size", 50, in: 1...1000)
    )
    static let totalShrinks = PeerFaultPoint(
        "argus.events.totalShrinks",
        "the oldest events are removed just before a page is read",
        .init("count", 1, in: 1...1000)
    )
    static let eventMissing = PeerFaultPoint(
        "argus.event.missing",
        "an event that is in the list is answered with 404"
    )
    static let noPicture = PeerFaultPoint(
        "argus.thumbnail.noPicture",
        "a thumbnail is called a JPEG and is none"
    )

    static let points =
        HTTPFaults.points + [
            answerLost, answerCut, busy, failure, missing, malformed, schema, revoked, refreshLost,
            shortToken, wrongExpiry,
            codesForgotten, pageSizeIgnored, totalShrinks, eventMissing, noPicture,
        ]
}
