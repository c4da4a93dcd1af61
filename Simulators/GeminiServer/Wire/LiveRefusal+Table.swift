import Transport

/// The closes that reports about the public service show.
///
/// Reasons are quoted as far as the reports have them. Not confirmed: that a missing key is 1008; the end of the words about
/// the region and about concurrent sessions, which the reports cut; what brings about 1008 in the middle of a session.
extension LiveRefusal {
    static let region = LiveRefusal(1007, "User location is not supported for the API use.")
    static let notImplemented = LiveRefusal(
        1008,
        "Operation is not implemented, or supported, or enabled."
    )
    static let noEntity = LiveRefusal(1008, "Requested entity was not found.")
    static let aborted = LiveRefusal(1008, "The operation was aborted.")
    static let internalError = LiveRefusal(1011, "Internal error encountered.")
    static let quota = LiveRefusal(
        1011,
        "You exceeded your current quota, please check your plan and billing details."
    )
    static let sessions = LiveRefusal(1011, "RESOURCE_EXHAUSTED: Maximum concurrent sessions reached.")

    /// All of them that do not depend on the request, by code; of one code, the most frequent one first.
    static let table = [
        cancelled, invalidArgument, region, expiredKey, invalidKey,
        unknownSession, notImplemented, noEntity, aborted,
        unavailable, internalError, deadline, quota, sessions,
    ]

    /// The one of the table with that code, counted from 0 and over again; `nil` for codes that it does not have.
    static func known(_ code: UInt16, number: Int) -> LiveRefusal? {
        let known = table.filter { $0.close.code == code }
        return known.isEmpty ? nil : known[number % known.count]
    }
}
