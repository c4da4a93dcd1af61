/// What a request has done at the simulated Flow backend.
public enum FlowEvent: Sendable, Hashable {
    /// A token was given.
    case tokenGiven
    /// A device has a session.
    case sessionBegun(deviceID: String, sessionID: String)
    /// A session has an account.
    case loggedIn(sessionID: String, userID: String)
    /// A session is verified.
    case verified(sessionID: String)
    /// The data of a step were stored, for the first time or again.
    case stepStored(sessionID: String, step: Int)
    /// An event of analytics has arrived.
    case tracked(sessionID: String, name: String)
    /// A call was refused.
    case refused(path: String, code: Int)
}
