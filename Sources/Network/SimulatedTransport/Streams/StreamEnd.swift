import Transport

/// The two ends of a connection.
enum Side: Sendable {
    case client
    case server

    var other: Side { self == .client ? .server : .client }
}

/// A protocol above the stream, which sees every segment first.
protocol SegmentHandler: AnyObject, Sendable {
    /// Returns whether the segment is dealt with; others wait in the inbox.
    func handle(_ segment: Segment) -> Bool
    /// Reports that nothing more will come, or that the connection broke.
    func ended()
}

/// What one host knows of a connection.
final class StreamEnd: @unchecked Sendable {
    // Invariant that makes this Sendable: used only on the thread on which its simulation is current.

    let host: SimulatedHost
    let reader: Slot
    var inbox = Ring<Segment>()
    var handler: (any SegmentHandler)?
    /// Nothing follows what is in the inbox.
    var hasEnded = false
    /// The host has forgotten the connection: segments that still come are answered with a reset.
    var isGone = false
    /// The machine was switched off: it neither answers nor repeats anything.
    var isQuiet = false
    /// What comes is thrown away.
    var isDiscarding = false
    /// On the server, how many requests were answered.
    var answers = 0
    /// On the server, that it takes no further request and has said so.
    var isClosing = false
    /// Why the connection broke.
    var failure: Failure?
    /// On the server, what accepted the connection.
    var listener: SimulatedListener?

    struct Failure: Sendable {
        var code: TransportError.Code
        var detail: String
    }

    init(_ host: SimulatedHost) {
        self.host = host
        reader = Slot(host)
    }
}
