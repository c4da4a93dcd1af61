import PeerKit

/// The fault points of the simulated Supabase, besides those of all services.
enum StorageFaultPoints {
    /// The service's own refusal, before anything was read.
    static let uploadRefused = PeerFaultPoint(
        "supabase.upload.refused",
        "an upload is answered with an error in the service's own form, and nothing is stored",
        .init("status", 500, in: 400...599)
    )
    static let uploadAnswerLost = PeerFaultPoint(
        "supabase.upload.answerLost",
        "an upload is stored; then nothing is heard for a time, until a proxy says 504",
        .init("silence", 0, in: 0...3600)
    )
    static let uploadAnswerCut = PeerFaultPoint(
        "supabase.upload.answerCut",
        "an upload is stored; then the connection breaks inside the answer"
    )
    static let downloadCut = PeerFaultPoint(
        "supabase.download.cut",
        "a download breaks after a part of its bytes",
        .init("share", 0.5, in: 0...1)
    )

    static let partRefused = PeerFaultPoint(
        "supabase.resumable.refused",
        "a request for an upload in parts is answered with an error as plain text, and nothing is stored",
        .init("status", 500, in: 400...599)
    )
    static let partAnswerLost = PeerFaultPoint(
        "supabase.resumable.answerLost",
        "an upload is begun or a part of it stored; then nothing is heard for a time, until a proxy says 504",
        .init("silence", 0, in: 0...3600)
    )
    static let partCut = PeerFaultPoint(
        "supabase.resumable.cut",
        "a part breaks after a share of its bytes, which stay, and a proxy says 502",
        .init("share", 0.5, in: 0...1)
    )
    static let uploadExpired = PeerFaultPoint(
        "supabase.resumable.expired",
        "an upload in parts is gone before its time"
    )
    static let uploadLocked = PeerFaultPoint(
        "supabase.resumable.locked",
        "a request waits for an upload in parts, which another one has, until its time is over"
    )

    static let authRefused = PeerFaultPoint(
        "supabase.auth.refused",
        "a request for sign-in is answered with an error in the service's own form, and nothing is changed",
        .init("status", 500, in: 400...599)
    )
    static let authAnswerLost = PeerFaultPoint(
        "supabase.auth.answerLost",
        "a request for sign-in takes effect; then nothing is heard for a time, until a proxy says 504",
        .init("silence", 0, in: 0...3600)
    )
    static let authEnded = PeerFaultPoint(
        "supabase.auth.ended",
        "all sessions are ended just before a request for sign-in"
    )

    /// Those that storing and reading whole objects passes.
    static let objectPoints =
        HTTPFaults.points + [uploadRefused, uploadAnswerLost, uploadAnswerCut, downloadCut]
    static let points =
        objectPoints + [partRefused, partAnswerLost, partCut, uploadExpired, uploadLocked]
        + [authRefused, authAnswerLost, authEnded]
}
