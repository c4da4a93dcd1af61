import CV4L2
import Glibc
import PeerKit
import Services
import VideoSystem

/// The driver's side of one simulated device.
struct SimulatedNode: Sendable {
    let camera: SimulatedVideoCamera
    /// Whether it is plugged in.
    var isThere = true
    var values: [UInt32: Int32] = [:]
    var format: (code: UInt32, size: PixelSize)
    var rate: UInt32
    /// How often it was pulled: openings of before are dead.
    private var pulls = 0
    private var openings: [Int: Opening] = [:]
    private var lastOpening = 0
    /// Addresses of mapped buffers, with the buffer of each.
    private var mapped: [UInt: FrameMemory] = [:]

    struct Opening {
        var pulls: Int
        var queue: FrameLine?
    }

    init(_ camera: SimulatedVideoCamera) {
        self.camera = camera
        let first = camera.formats.first
        format = (
            code: first.map { Self.code($0.code) } ?? 0,
            size: first?.sizes.first ?? PixelSize(width: 64, height: 48)
        )
        rate = first?.usualRate ?? 30
    }

    static func code(_ text: String) -> UInt32 { text.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) } }

    var openCount: Int { openings.count }
    var mappedCount: Int { mapped.count }

    mutating func unplug() {
        isThere = false
        pulls += 1
        values = [:]
    }

    mutating func open() -> Int {
        lastOpening += 1
        openings[lastOpening] = Opening(pulls: pulls)
        return lastOpening
    }

    mutating func close(_ number: Int) {
        precondition(openings.removeValue(forKey: number) != nil, "an opening is closed once")
    }

    private func isDead(_ number: Int) -> Bool { openings[number]?.pulls != pulls }

    /// Whether another opening has the device's buffers.
    private func isTaken(from number: Int) -> Bool {
        openings.contains { $0.key != number && $0.value.queue != nil && $0.value.pulls == pulls }
    }

    // MARK: Frames

    /// What a wait sees: how it ends, when to look again, and when a device that was pulled just now is put back.
    mutating func look(
        _ number: Int,
        _ faults: PeerFaults
    ) -> (readiness: VideoReadiness?, next: ContinuousClock.Instant, back: Duration?) {
        let now = ContinuousClock.now
        guard !isDead(number) else { return (.hungUp, now, nil) }
        guard var queue = openings[number]?.queue, queue.isStreaming else { return (.failed, now, nil) }
        let back = queue.fill(upTo: now, camera, faults)
        openings[number]?.queue = queue
        if back != nil {
            unplug()
            return (.hungUp, now, back)
        }
        if queue.hasFailed { return (.failed, now, nil) }
        return (queue.done.isEmpty ? nil : .readable, queue.nextFrame, nil)
    }

    mutating func map(length: Int, offset: Int, of number: Int) -> UnsafeMutableRawPointer? {
        guard let queue = openings[number]?.queue,
            let memory = queue.memory.first(where: {
                $0.offset == offset && length > 0 && length <= $0.length
            })
        else { return nil }
        unsafe mapped[UInt(bitPattern: memory.start)] = memory
        return unsafe memory.start
    }

    mutating func unmap(_ address: UInt) {
        precondition(mapped.removeValue(forKey: address) != nil, "a mapping is ended once")
    }

    // MARK: Requests

    /// Answers a request; its structure is the one that belongs to it.
    mutating func answer(
        _ request: UInt,
        _ argument: UnsafeMutableRawPointer,
        of number: Int,
        _ faults: PeerFaults
    ) -> Int32 {
        guard !isDead(number) else { return ENODEV }
        switch request {
        case CV4L2_QUERYCAP: return unsafe describe(&argument.to(v4l2_capability.self).pointee)
        case CV4L2_ENUM_FMT: return unsafe list(&argument.to(v4l2_fmtdesc.self).pointee)
        case CV4L2_ENUM_FRAMESIZES: return unsafe list(&argument.to(v4l2_frmsizeenum.self).pointee)
        case CV4L2_ENUM_FRAMEINTERVALS: return unsafe list(&argument.to(v4l2_frmivalenum.self).pointee)
        case CV4L2_QUERYCTRL: return unsafe list(&argument.to(v4l2_queryctrl.self).pointee)
        case CV4L2_G_CTRL: return unsafe get(&argument.to(v4l2_control.self).pointee)
        case CV4L2_S_CTRL:
            if let number = faults.number(at: V4L2FaultPoints.control) { return number }
            return unsafe set(&argument.to(v4l2_control.self).pointee)
        case CV4L2_G_PARM: return unsafe get(&argument.to(v4l2_streamparm.self).pointee)
        case CV4L2_S_PARM:
            if let number = faults.number(at: V4L2FaultPoints.rate) { return number }
            return unsafe set(&argument.to(v4l2_streamparm.self).pointee)
        case CV4L2_S_FMT:
            guard !isTaken(from: number), openings[number]?.queue == nil else { return EBUSY }
            if let number = faults.number(at: V4L2FaultPoints.format) { return number }
            return unsafe set(&argument.to(v4l2_format.self).pointee, faults)
        default: return unsafe answerQueue(request, argument, of: number, faults)
        }
    }

    private mutating func answerQueue(
        _ request: UInt,
        _ argument: UnsafeMutableRawPointer,
        of number: Int,
        _ faults: PeerFaults
    ) -> Int32 {
        guard !isTaken(from: number) else { return EBUSY }
        if request == CV4L2_REQBUFS {
            return unsafe giveBuffers(&argument.to(v4l2_requestbuffers.self).pointee, to: number, faults)
        }
        guard var queue = openings[number]?.queue else { return EINVAL }
        defer { openings[number]?.queue = queue }
        switch request {
        case CV4L2_QUERYBUF: return unsafe queue.describe(&argument.to(v4l2_buffer.self).pointee, faults)
        case CV4L2_QBUF:
            if let number = faults.number(at: V4L2FaultPoints.queue) { return number }
            return unsafe queue.add(argument.to(v4l2_buffer.self).pointee)
        case CV4L2_DQBUF: return unsafe queue.take(&argument.to(v4l2_buffer.self).pointee, faults)
        case CV4L2_STREAMON:
            if let number = faults.number(at: V4L2FaultPoints.start) { return number }
            queue.start()
            return 0
        case CV4L2_STREAMOFF:
            queue.stop()
            return 0
        default: return ENOTTY
        }
    }

    private mutating func giveBuffers(
        _ asked: inout v4l2_requestbuffers,
        to number: Int,
        _ faults: PeerFaults
    ) -> Int32 {
        if asked.count == 0 {
            // A mapping keeps the buffers.
            let isMapped = openings[number]?.queue?.memory.contains { memory in
                unsafe mapped[UInt(bitPattern: memory.start)] != nil
            }
            guard isMapped != true else { return EBUSY }
            openings[number]?.queue = nil
            return 0
        }
        if let number = faults.number(at: V4L2FaultPoints.buffers) { return number }
        guard openings[number]?.queue == nil else { return EBUSY }
        asked.count = min(max(asked.count, 2), 32)
        let queue = FrameLine(
            count: Int(asked.count),
            length: imageBytes,
            isFile: isFile,
            period: .nanoseconds(1_000_000_000 / Int64(rate))
        )
        openings[number]?.queue = queue
        return 0
    }

    private var isFile: Bool { [Self.code("MJPG"), Self.code("JPEG")].contains(format.code) }

    var rowBytes: Int {
        if isFile { return 0 }
        return (format.code == Self.code("NV12") ? 1 : 2) * format.size.width + camera.padding
    }

    var imageBytes: Int {
        if isFile { return max(4096, (camera.files.map(\.count).max() ?? 0) * 2) }
        return format.code == Self.code("NV12")
            ? rowBytes * (format.size.height + (format.size.height + 1) / 2) : rowBytes * format.size.height
    }
}

extension PeerFaults {
    /// The error's number, when the fault of a refused call happens.
    func number(at point: PeerFaultPoint) -> Int32? { strike(point).map { Int32($0.integer("number")) } }
}

extension UnsafeMutableRawPointer {
    /// Where a structure is.
    fileprivate func to<Structure>(_ type: Structure.Type) -> UnsafeMutablePointer<Structure> {
        unsafe assumingMemoryBound(to: type)
    }
}
