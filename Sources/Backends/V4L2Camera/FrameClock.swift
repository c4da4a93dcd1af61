/// Numbers and times of the frames of one connection, whatever the driver says of them.
struct FrameClock {
    private let beginning: ContinuousClock.Instant
    private var last: (sequence: UInt32, number: Int, time: Duration)?
    /// The driver's time of the first frame, and ours.
    private var anchor: (driver: Duration, ours: Duration)?

    /// Begins with the connection.
    init(beginning: ContinuousClock.Instant) { self.beginning = beginning }

    /// How far the driver's clock may be from when a frame arrives, before it is no longer believed.
    private static let trust: Duration = .seconds(1)
    /// A gap that is larger is none, but a counter that was set.
    private static let largestGap: UInt32 = 10_000

    /// The frame's number from 0, with a gap for each that was lost, and its time since the beginning.
    ///
    /// Times never decrease. A driver's counter wraps at 2^32.
    mutating func note(
        sequence: UInt32,
        time: Duration?,
        arrival: ContinuousClock.Instant
    ) -> (number: Int, time: Duration) {
        let arrived = arrival - beginning
        var ours = arrived
        if let time {
            let anchor = self.anchor ?? (time, arrived)
            self.anchor = anchor
            let told = anchor.ours + (time - anchor.driver)
            if (arrived - Self.trust...arrived + Self.trust).contains(told) {
                ours = told
            } else {
                self.anchor = (time, arrived)
            }
        }
        var number = 0
        if let last {
            let step = sequence &- last.sequence
            number = last.number + ((1...Self.largestGap).contains(step) ? Int(step) : 1)
            ours = max(ours, last.time)
        }
        last = (sequence, number, max(.zero, ours))
        return (number, max(.zero, ours))
    }

    /// The driver counts from its beginning after a restart of the stream.
    mutating func restart() {
        if let last { self.last = (.max, last.number, last.time) }
        anchor = nil
    }
}
