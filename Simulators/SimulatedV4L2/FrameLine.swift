import CV4L2
import Glibc
import PeerKit

/// The memory of one buffer, which lives as long as the driver or a mapping has it.
@safe
final class FrameMemory: @unchecked Sendable {
    // Invariant that makes this Sendable: the driver's side writes under the system's lock, and only what it has; the other side
    // reads what it was given. A reader that keeps to no rule reads numbers that are wrong, which is what a test looks for.
    let start: UnsafeMutableRawPointer
    let length: Int
    /// Where mmap(2) finds it.
    let offset: Int

    init(length: Int, offset: Int) {
        unsafe start = UnsafeMutableRawPointer.allocate(byteCount: length, alignment: 4096)
        (self.length, self.offset) = (length, offset)
        fill(with: Self.taken, upTo: length)
    }

    deinit { unsafe start.deallocate() }

    /// What a buffer has in it that belongs to the driver.
    static let taken: UInt8 = 0xEE

    func fill(with byte: UInt8, upTo count: Int) {
        _ = unsafe memset(start, Int32(byte), min(count, length))
    }

    func put(_ file: [UInt8]) {
        for (index, byte) in file.prefix(length).enumerated() {
            unsafe start.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
        }
    }
}

/// The buffers of one opening, and the frames that come.
struct FrameLine: Sendable {
    struct Frame {
        var index: Int
        var used: Int
        var sequence: UInt32
        var isDamaged: Bool
        var time: Duration
    }

    /// When the simulated system was started, by its monotonic clock.
    private static let uptime: Duration = .seconds(1000)

    let memory: [FrameMemory]
    private let length: Int
    private let isFile: Bool
    private let period: Duration
    private var queued: [Int] = []
    private(set) var done: [Frame] = []
    private(set) var isStreaming = false
    private(set) var hasFailed = false
    private(set) var nextFrame = ContinuousClock.now
    private var sequence: UInt32 = 0
    private let made = ContinuousClock.now

    init(count: Int, length: Int, isFile: Bool, period: Duration) {
        memory = (0..<count).map { FrameMemory(length: length, offset: $0 * ((length + 4095) / 4096) * 4096) }
        self.length = length
        self.isFile = isFile
        self.period = period
    }

    // MARK: Requests

    mutating func start() {
        guard !isStreaming else { return }
        isStreaming = true
        hasFailed = false
        sequence = 0
        nextFrame = .now + period
    }

    mutating func stop() {
        isStreaming = false
        hasFailed = false
        (queued, done) = ([], [])
    }

    func describe(_ buffer: inout v4l2_buffer, _ faults: PeerFaults) -> Int32 {
        let index = unsafe Int(buffer.index)
        guard memory.indices.contains(index) else { return EINVAL }
        unsafe buffer.length = UInt32(length)
        if let fault = faults.strike(V4L2FaultPoints.wrongBuffer) {
            unsafe buffer.length = UInt32(fault.integer("bytes"))
        }
        unsafe buffer.m.offset = UInt32(memory[index].offset)
        return 0
    }

    mutating func add(_ buffer: v4l2_buffer) -> Int32 {
        if hasFailed { return EIO }
        let index = unsafe Int(buffer.index)
        guard memory.indices.contains(index), !queued.contains(index),
            !done.contains(where: { $0.index == index })
        else { return EINVAL }
        memory[index].fill(with: FrameMemory.taken, upTo: length)
        queued.append(index)
        return 0
    }

    mutating func take(_ buffer: inout v4l2_buffer, _ faults: PeerFaults) -> Int32 {
        guard isStreaming else { return EINVAL }
        if hasFailed { return EIO }
        guard !done.isEmpty else { return EAGAIN }
        let frame = done.removeFirst()
        unsafe buffer.index = UInt32(frame.index)
        unsafe buffer.bytesused = UInt32(frame.used)
        unsafe buffer.flags = UInt32(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC)
        if frame.isDamaged { unsafe buffer.flags |= UInt32(V4L2_BUF_FLAG_ERROR) }
        unsafe buffer.sequence = frame.sequence
        unsafe buffer.length = UInt32(length)
        unsafe buffer.timestamp = timeval(
            tv_sec: Int(frame.time.components.seconds),
            tv_usec: Int(frame.time.components.attoseconds / 1_000_000_000_000)
        )
        if let fault = faults.strike(V4L2FaultPoints.wrongIndex) {
            unsafe buffer.index = UInt32(fault.integer("index"))
        }
        if let fault = faults.strike(V4L2FaultPoints.wrongLength) {
            unsafe buffer.bytesused = UInt32(fault.integer("bytes"))
        }
        if let fault = faults.strike(V4L2FaultPoints.wrongClock) {
            unsafe buffer.sequence = UInt32(fault.integer("sequence"))
            unsafe buffer.timestamp.tv_sec = fault.integer("seconds")
        }
        return 0
    }

    // MARK: Frames

    /// Fills a buffer for each frame that is due.
    ///
    /// - Returns: After what time the device is put back that is pulled now; `nil` when it is not.
    mutating func fill(
        upTo now: ContinuousClock.Instant,
        _ camera: SimulatedVideoCamera,
        _ faults: PeerFaults
    ) -> Duration? {
        while nextFrame <= now, isStreaming, !hasFailed {
            if let fault = faults.strike(V4L2FaultPoints.unplug) { return fault.time("seconds") }
            if let fault = faults.strike(V4L2FaultPoints.stall) {
                nextFrame += fault.time("seconds")
                continue
            }
            if faults.strike(V4L2FaultPoints.failed) != nil {
                hasFailed = true
                return nil
            }
            deliver(camera, faults)
            sequence &+= 1
            nextFrame += period
        }
        return nil
    }

    private mutating func deliver(_ camera: SimulatedVideoCamera, _ faults: PeerFaults) {
        let isLost = faults.strike(V4L2FaultPoints.lost) != nil
        guard !isLost, let index = queued.first else { return }
        queued.removeFirst()
        var used = length
        if isFile, !camera.files.isEmpty {
            let file = camera.files[Int(sequence) % camera.files.count]
            memory[index].put(file)
            used = file.count
        } else {
            memory[index].fill(with: SimulatedVideoCamera.shade(of: sequence), upTo: length)
        }
        if faults.strike(V4L2FaultPoints.short) != nil { used /= 2 }
        done.append(
            Frame(
                index: index,
                used: used,
                sequence: sequence,
                isDamaged: faults.strike(V4L2FaultPoints.damaged) != nil,
                time: Self.uptime + (nextFrame - made)
            )
        )
    }
}
