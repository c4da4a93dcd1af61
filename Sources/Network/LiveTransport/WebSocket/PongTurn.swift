/// Which pings are answered: one pong is on its way at a time, and behind it only the latest ping is owed an answer.
///
/// RFC 6455 section 5.5.3 allows this, and it bounds what pings from a peer that does not read make this side store,
/// however small they are.
package struct PongTurn {
    private var isUnderway = false
    /// The payload of the latest ping that came while a pong was on its way.
    private var owed: [UInt8]?

    /// Makes the state of a connection on which no ping has come.
    package init() {}

    /// A ping has come; returns the payload of the pong to send now, if any.
    package mutating func answer(_ payload: [UInt8]) -> [UInt8]? {
        if isUnderway {
            owed = payload
            return nil
        }
        isUnderway = true
        return payload
    }

    /// The pong that was on its way has left; returns the payload of the next one, if one is owed.
    package mutating func left() -> [UInt8]? {
        let next = owed.take()
        isUnderway = next != nil
        return next
    }

    /// No pong is owed any more.
    package mutating func forget() { owed = nil }
}
