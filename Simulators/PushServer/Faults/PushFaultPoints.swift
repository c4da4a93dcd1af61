import PeerKit

/// The fault points of the simulated push service.
enum PushFaultPoints {
    static let slow = PeerFaultPoint(
        "push.slow",
        "a provider's request is answered late",
        .init("seconds", 1, in: 0...3600)
    )
    static let tooMany = PeerFaultPoint(
        "push.429",
        "a provider's request is refused with 429 TooManyRequests, and nothing is sent"
    )
    static let failure = PeerFaultPoint(
        "push.500",
        "a provider's request is refused with 500 InternalServerError, and nothing is sent"
    )
    static let unavailable = PeerFaultPoint(
        "push.503",
        "a provider's request is refused with 503 ServiceUnavailable, and nothing is sent"
    )
    static let shutdown = PeerFaultPoint(
        "push.shutdown",
        "a provider's request is refused with 503 Shutdown, nothing is sent, and over HTTP/2 its connection gets GOAWAY"
    )
    static let answerLost = PeerFaultPoint(
        "push.answerLost",
        "a notification is taken; then nothing is heard for a time, until the answer is 503",
        .init("silence", 5, in: 0...3600)
    )
    static let lateGone = PeerFaultPoint(
        "push.lateGone",
        "a notification for a token that has ended is answered with 200, as if it had not, and dropped"
    )
    static let lost = PeerFaultPoint(
        "push.lost",
        "a notification is answered with 200, and dropped"
    )
    static let twice = PeerFaultPoint(
        "push.twice",
        "a notification is sent to its device twice"
    )
    static let late = PeerFaultPoint(
        "push.late",
        "a notification is sent to its device late, and others overtake it",
        .init("seconds", 5, in: 0...3600)
    )
    static let cut = PeerFaultPoint(
        "push.cut",
        "the connection of a device is cut in place of a notification, which is kept"
    )
    static let turnedAway = PeerFaultPoint(
        "push.turnedAway",
        "a device that connects is answered with 503"
    )
    static let tokenChanged = PeerFaultPoint(
        "push.tokenChanged",
        "a device that comes back gets another token, and the one that it had ends"
    )

    /// All of them.
    static let points: [PeerFaultPoint] = [
        slow, tooMany, failure, unavailable, shutdown, answerLost, lateGone, lost, twice, late, cut,
        turnedAway,
        tokenChanged,
    ]
}
