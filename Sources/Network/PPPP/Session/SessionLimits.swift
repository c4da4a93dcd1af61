/// Times and bounds of one end of a session.
package struct SessionLimits: Sendable, Hashable {
    /// The most bytes of a channel's stream in one packet; the vendor's library sends no more than 1,024.
    package var chunkBytes = 1024
    /// How many packets of a channel may be on their way unacknowledged; the real number is not public.
    package var window = 64
    /// Bytes that wait for the window at most; a message that does not fit is refused as a whole.
    package var waitingBytes = 2 * 1024 * 1024
    /// When a packet that was not acknowledged is sent again; twice as long after each time, up to four times.
    package var resendAfter = Duration.milliseconds(200)
    /// How long the other side may leave a packet unacknowledged, or a gap in a channel unfilled.
    package var lostAfter = Duration.seconds(10)
    /// How far ahead of the expected packet one is kept; one that is further ahead is not acknowledged, and so comes again.
    package var aheadPackets = 512
    /// Bytes of all packets of a channel that are kept ahead.
    package var aheadBytes = 1024 * 1024
    /// How often the other side is asked whether it is there.
    package var aliveInterval = Duration.seconds(1)
    /// After which silence the other side counts as gone.
    package var silence = Duration.seconds(10)
    /// Whether packets of other channels than 0 may be acknowledged several at a time.
    ///
    /// Some clients read the first of several acknowledgements alone.
    package var joinsAcks = false
    /// How many of them wait for each other, unless a packet has come again or the next tick comes first.
    ///
    /// A sender with a smaller window would stand still until that tick. So they are half as many after each tick that finds some
    /// waiting and before which no such number was reached, down to one; and twice as many after ``aliveInterval``, up to this.
    package var joinedAcks = 16

    package init() {}

    /// How many channels there are.
    package static let channels: UInt8 = 8
}
