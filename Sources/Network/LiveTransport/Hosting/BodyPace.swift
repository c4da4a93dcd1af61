import NIOCore

/// How fast a request's body has to come.
struct BodyPace {
    private let grace: TimeAmount
    private let bytesPerSecond: Int64
    private var start: NIODeadline
    private var bytes: Int64 = 0

    init(_ limits: LoopbackHost.Limits, start: NIODeadline = .now()) {
        grace = TimeAmount(limits.bodyGrace)
        bytesPerSecond = Int64(max(limits.bodyBytesPerSecond, 1))
        self.start = start
    }

    /// When the body is too slow unless more of it comes: each byte buys time.
    var deadline: NIODeadline { start + grace + .microseconds(bytes * 1_000_000 / bytesPerSecond) }

    mutating func received(_ count: Int) { bytes += Int64(count) }

    /// The peer was not to blame until now: it gets its time once more.
    mutating func excuse() { self = BodyPace(grace: grace, bytesPerSecond: bytesPerSecond, start: .now()) }

    private init(grace: TimeAmount, bytesPerSecond: Int64, start: NIODeadline) {
        self.grace = grace
        self.bytesPerSecond = bytesPerSecond
        self.start = start
    }
}
