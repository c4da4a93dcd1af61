import PeerKit

/// The fault points of the simulated Nova, besides those of all services.
enum NovaFaultPoints {
    // MARK: Before a call

    static let failure = PeerFaultPoint(
        "nova.500",
        "a call fails inside: 500, or another status from 500 on, with a request ID, and nothing is changed",
        .init("status", 500, in: 500...599)
    )
    static let tooMany = PeerFaultPoint(
        "nova.429",
        "a call is refused with 429, and nothing is changed; hint 0: seconds in body and header, 1: in the body alone, 2: a line of plain text without any, "
            + "3: the header has a date, 4: the header makes no sense, 5: the header has a date that is past",
        .init("retryAfter", 1, in: 0...86_400),
        .init("hint", 0, in: 0...5)
    )
    static let html = PeerFaultPoint(
        "nova.html",
        "a captive portal answers a call with its page and 200; effect 0: nothing is changed, 1: the call has taken effect",
        .init("effect", 0, in: 0...1)
    )
    static let early = PeerFaultPoint(
        "nova.401Early",
        "an access token ends before its time: this call and all later ones with it are refused with 401"
    )
    static let emptyRefusal = PeerFaultPoint(
        "nova.401Empty",
        "a call with an access token is refused with 401 and an empty body, and nothing is changed"
    )
    static let inProgress = PeerFaultPoint(
        "nova.409InProgress",
        "a call with an idempotency key is refused as if the same one were in progress, and nothing is changed"
    )
    static let broken = PeerFaultPoint(
        "nova.callBroken",
        "a call breaks off before its effect: 500, and its idempotency key stays in progress until the lease ends"
    )
    static let forgotten = PeerFaultPoint(
        "nova.keysForgotten",
        "the service has forgotten all idempotency keys just before a call"
    )
    static let slow = PeerFaultPoint(
        "nova.slow",
        "the service works for a while before a call takes effect; its idempotency key is in progress meanwhile",
        .init("seconds", 5, in: 0...3600)
    )

    // MARK: After a call

    static let answerLost = PeerFaultPoint(
        "nova.answerLost",
        "a change takes effect; then nothing is heard for a time, until a proxy says 504",
        .init("silence", 0, in: 0...3600)
    )
    static let answerCut = PeerFaultPoint(
        "nova.answerCut",
        "a call takes effect; then the connection breaks inside the answer"
    )
    static let malformed = PeerFaultPoint(
        "nova.malformed",
        "a call takes effect, and its answer is JSON of another form"
    )

    // MARK: Of single calls

    static let refreshLost = PeerFaultPoint(
        "nova.refresh.lost",
        "a refresh token is exchanged; then nothing is heard for a time, until a proxy says 504",
        .init("silence", 0, in: 0...3600)
    )
    static let refreshFails = PeerFaultPoint(
        "nova.refresh.503",
        "an exchange of a refresh token fails with 503, and nothing is changed"
    )
    static let shortToken = PeerFaultPoint(
        "nova.token.short",
        "an access token is valid for a short time; for 0 seconds it is expired when it is given",
        .init("seconds", 1, in: 0...3600)
    )
    static let presignFails = PeerFaultPoint(
        "nova.presign.500",
        "an address for an upload is refused with 500"
    )
    static let presignShort = PeerFaultPoint(
        "nova.presignShort",
        "an address for an upload can be used for a short time, which `expires_at` says",
        .init("seconds", 1, in: 0...3600)
    )
    static let publishFails = PeerFaultPoint(
        "nova.publish.500",
        "a new post is refused with 500, and nothing is changed"
    )
    static let likeFails = PeerFaultPoint(
        "nova.like.500",
        "a like, or taking one back, is refused with 500, and nothing is changed"
    )
    static let analyticsRefused = PeerFaultPoint(
        "nova.analytics.400",
        "a batch of events is refused with 400, and nothing is kept"
    )
    static let feedGrows = PeerFaultPoint(
        "nova.feed.grows",
        "others publish posts just before a later page of the feed is read",
        .init("count", 3, in: 1...100)
    )
    static let feedShrinks = PeerFaultPoint(
        "nova.feed.shrinks",
        "others remove their newest posts just before a later page of the feed is read",
        .init("count", 3, in: 1...100)
    )
    static let postGone = PeerFaultPoint(
        "nova.post.gone",
        "a post is removed just before a call about it, which is answered with 404"
    )

    static let points =
        HTTPFaults.points + [
            failure, tooMany, html, early, emptyRefusal, inProgress, broken, forgotten, slow,
            answerLost, answerCut, malformed,
            refreshLost, refreshFails, shortToken, presignFails, presignShort, publishFails, likeFails,
            analyticsRefused, feedGrows, feedShrinks, postGone,
        ]
}
