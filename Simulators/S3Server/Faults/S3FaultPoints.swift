import PeerKit

/// The fault points of the simulated S3, besides those of all services.
enum S3FaultPoints {
    static let slowDown = PeerFaultPoint(
        "s3.slowDown",
        "a request is answered with SlowDown and 503, and nothing is read or changed",
        .init("retryAfter", 0, in: 0...86_400)
    )
    static let internalError = PeerFaultPoint(
        "s3.internalError",
        "a request is answered with InternalError and 500, and nothing is changed"
    )
    static let requestTimeout = PeerFaultPoint(
        "s3.upload.timeout",
        "an upload is answered with RequestTimeout and 400, and nothing is stored"
    )
    static let conflict = PeerFaultPoint(
        "s3.upload.conflict",
        "a conditional upload is answered with ConditionalRequestConflict and 409, and nothing is stored"
    )
    static let answerLost = PeerFaultPoint(
        "s3.answerLost",
        "a change takes effect; then nothing is heard for a time, until a proxy says 504",
        .init("silence", 0, in: 0...3600)
    )
    static let answerCut = PeerFaultPoint(
        "s3.answerCut",
        "a change takes effect; then the connection breaks inside the answer"
    )
    static let lateError = PeerFaultPoint(
        "s3.complete.lateError",
        "the completion of an upload in parts is answered with 200 and InternalError in its body, and nothing is stored"
    )
    static let downloadCut = PeerFaultPoint(
        "s3.download.cut",
        "a download breaks after a part of its bytes",
        .init("share", 0.5, in: 0...1)
    )

    static let points =
        HTTPFaults.points + [
            slowDown, internalError, requestTimeout, conflict, answerLost, answerCut, lateError, downloadCut,
        ]
}
