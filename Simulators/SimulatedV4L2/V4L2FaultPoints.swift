import PeerKit

/// The fault points of the simulated drivers.
///
/// The points of ``calls`` are passed by their request, those of ``frames`` by each frame that is due.
enum V4L2FaultPoints {
    static let open = refusal("v4l2.open.refused", "a node cannot be opened", 13)
    static let format = refusal("v4l2.format.refused", "the format cannot be set", 16)
    static let otherFormat = PeerFaultPoint(
        "v4l2.format.other",
        "the driver takes another size than the one that it is asked for"
    )
    static let rate = refusal("v4l2.rate.refused", "the rate cannot be set", 5)
    static let buffers = refusal("v4l2.buffers.refused", "there are no buffers", 12)
    static let map = refusal("v4l2.map.refused", "a buffer cannot be mapped", 12)
    static let start = refusal("v4l2.start.refused", "the stream does not start", 28)
    static let queue = refusal("v4l2.queue.refused", "a buffer is not taken back", 22)
    static let control = refusal("v4l2.control.refused", "a control cannot be changed", 34)
    static let slow = PeerFaultPoint(
        "v4l2.call.slow",
        "what may block takes its time",
        .init("seconds", 1, in: 0...60)
    )

    static let damaged = PeerFaultPoint("v4l2.frame.damaged", "a frame is flagged as damaged")
    static let short = PeerFaultPoint("v4l2.frame.short", "a frame has half its bytes, and no flag")
    static let lost = PeerFaultPoint("v4l2.frame.lost", "a frame is counted, and not delivered")
    static let failed = PeerFaultPoint(
        "v4l2.queue.failed",
        "the queue fails, until the stream is started again"
    )
    static let stall = PeerFaultPoint(
        "v4l2.stream.stalled",
        "no frame comes for a time, and no error",
        .init("seconds", 5, in: 0...3600)
    )
    static let unplug = PeerFaultPoint(
        "v4l2.device.unplugged",
        "the device is pulled, and put back after a time",
        .init("seconds", 2, in: 0...3600)
    )
    static let spurious = PeerFaultPoint("v4l2.wait.spurious", "a wait ends, and nothing is there")

    static let late = PeerFaultPoint(
        "v4l2.wait.late",
        "a wait ends long after a frame is there, as in a process that gets no processor",
        .init("seconds", 3, in: 0...60)
    )

    static let wrongIndex = PeerFaultPoint(
        "v4l2.hostile.index",
        "a buffer comes with the number of another",
        .init("index", 200, in: 0...4_294_967_295)
    )
    static let wrongLength = PeerFaultPoint(
        "v4l2.hostile.used",
        "a frame is said to be longer than its buffer",
        .init("bytes", 4_294_967_295, in: 0...4_294_967_295)
    )
    static let wrongBuffer = PeerFaultPoint(
        "v4l2.hostile.length",
        "a buffer has another length than its pictures need",
        .init("bytes", 16, in: 0...4_294_967_295)
    )
    static let wrongRows = PeerFaultPoint(
        "v4l2.hostile.rows",
        "rows are said to have another length",
        .init("bytes", 1, in: 0...4_294_967_295)
    )
    static let wrongClock = PeerFaultPoint(
        "v4l2.hostile.clock",
        "number and time of a frame are any",
        .init("sequence", 4_000_000_000, in: 0...4_294_967_295),
        .init("seconds", 1_000_000_000, in: -1_000_000_000...1_000_000_000_000)
    )

    static let calls = [
        open, format, otherFormat, rate, buffers, map, start, queue, control, slow, wrongBuffer, wrongRows,
    ]
    static let frames = [
        damaged, short, lost, failed, stall, unplug, spurious, late, wrongIndex, wrongLength, wrongClock,
    ]

    private static func refusal(_ id: StaticString, _ summary: String, _ number: Double) -> PeerFaultPoint {
        // A number of errno(3), except EAGAIN and EINTR, which have a meaning of their own.
        PeerFaultPoint(id, summary, .init("number", number, in: 1...133))
    }
}
