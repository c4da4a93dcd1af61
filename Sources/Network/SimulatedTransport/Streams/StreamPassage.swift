import Transport

/// The way of a stream through a NAT, which forgets streams that are idle for long.
struct StreamPassage {
    private let nat: SimulatedNAT
    private let restarts: Int
    private var lastUse: Int64
    private var hasExpired = false

    init(_ nat: SimulatedNAT, now: Int64) {
        self.nat = nat
        restarts = nat.restarts
        lastUse = now
    }

    /// Whether the NAT has forgotten the stream: nothing of it passes any more, in silence.
    var isForgotten: Bool { hasExpired || nat.restarts != restarts }

    /// Something is sent, from either side.
    mutating func use(now: Int64) {
        if now - lastUse > nat.behaviour.streamTimeout.nanoseconds { hasExpired = true }
        lastUse = now
    }
}
