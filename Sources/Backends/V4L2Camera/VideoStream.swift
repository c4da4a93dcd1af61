import CV4L2
import Glibc
import Services
import VideoSystem

/// An open device that streams into mapped buffers.
///
/// What a driver says is checked before it is used: indices, lengths, formats.
@safe
final class VideoStream: @unchecked Sendable {
    // Invariant that makes this Sendable: what changes has one user at a time, the task that opens the stream and then that of its
    // connection, which waits for each piece of work that it gives to the device's thread. Others call `set` alone, which
    // touches the device and nothing else, and read `mode` and `description`, which are set before the stream is shared.

    /// What came of looking for a frame.
    enum Taken {
        /// Nothing is there yet.
        case nothing
        /// A frame that is damaged, by its driver's word or by its length.
        case damaged
        /// A frame, with the driver's number and time.
        case frame(VideoFrame.Content, sequence: UInt32, time: Duration?)
    }

    /// How many bytes of buffers are asked for.
    ///
    /// As long as they take frames, the process may be kept from running. They make nothing late, since all that are full are taken
    /// at once.
    private static let bufferMemory = 32 << 20
    private static let leastBuffers = 4
    /// More than any driver gives (`VIDEO_MAX_FRAME`).
    private static let mostBuffers = 32
    /// Larger than any picture that is possible at four bytes a pixel and 8,192×8,192.
    private static let largestBuffer = 256 << 20

    let path: String
    let device: any VideoDevice
    let description: VideoDeviceDescription
    private(set) var mode: VideoMode
    private var picture = PictureReader(format: .yuyv, size: PixelSize(width: 2, height: 2))
    /// The most bytes of a picture.
    private var imageBytes = 0
    private var buffers: [UnsafeMutableRawBufferPointer] = unsafe []
    /// Those that the driver has.
    private var isQueued: [Bool] = []

    /// How many buffers the driver gave.
    var bufferCount: Int { isQueued.count }

    private init(
        _ path: String,
        _ device: any VideoDevice,
        _ description: VideoDeviceDescription,
        _ mode: VideoMode
    ) {
        (self.path, self.device, self.description, self.mode) = (path, device, description, mode)
    }

    // MARK: Opening

    /// Opens a device and starts its stream; whatever fails, nothing is left open.
    static func open(
        _ path: String,
        of system: any VideoSystem,
        _ options: V4L2Camera.Options
    ) async throws(V4L2Failure) -> VideoStream {
        let device: any VideoDevice
        do { device = try await system.open(path) } catch { throw V4L2Failure(path, .open, error.number) }
        let opened = await device.perform {
            Result { () throws(V4L2Failure) in
                let stream = try prepared(path, device, options)
                do throws(V4L2Failure) {
                    try stream.start(options)
                } catch {
                    stream.releaseBuffers()
                    throw error
                }
                return stream
            }
        }
        do {
            return try opened.get()
        } catch {
            await device.close()
            throw error
        }
    }

    private static func prepared(
        _ path: String,
        _ device: any VideoDevice,
        _ options: V4L2Camera.Options
    ) throws(V4L2Failure) -> VideoStream {
        let description: VideoDeviceDescription
        do { description = try device.describe(path) } catch {
            throw V4L2Failure(path, .describe, error.number)
        }
        guard description.isCamera else { throw V4L2Failure(path, .describe, "it delivers no pictures") }
        guard
            let mode = description.nearestMode(
                to: options.size,
                rate: options.framesPerSecond,
                format: options.format
            )
        else {
            let offered = description.formats.map(\.format.description).joined(separator: ", ")
            let wanted = (options.format.map { [$0] } ?? VideoFormat.captured).map(\.description)
            throw V4L2Failure(
                path,
                .format,
                "it has none of \(wanted.joined(separator: ", ")); it has \(offered.isEmpty ? "none" : offered)"
            )
        }
        return VideoStream(path, device, description, mode)
    }

    private func start(_ options: V4L2Camera.Options) throws(V4L2Failure) {
        try setFormat()
        try setRate()
        resetZoom()
        try takeBuffers()
        try startStreaming()
    }

    private func setFormat() throws(V4L2Failure) {
        var format = unsafe v4l2_format()
        unsafe format.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        unsafe format.fmt.pix = v4l2_pix_format()
        unsafe format.fmt.pix.width = UInt32(mode.size.width)
        unsafe format.fmt.pix.height = UInt32(mode.size.height)
        unsafe format.fmt.pix.pixelformat = mode.format.code
        unsafe format.fmt.pix.field = V4L2_FIELD_NONE.rawValue
        try unsafe call(.format, CV4L2_S_FMT, &format)
        let given = unsafe format.fmt.pix
        let size = PixelSize(width: Int(given.width), height: Int(given.height))
        // A driver that does not have what it is asked for answers with the nearest that it has.
        guard given.pixelformat == mode.format.code, size == mode.size else {
            throw V4L2Failure(
                path,
                .format,
                "asked for \(mode.format) \(mode.size), it gave \(VideoFormat(code: given.pixelformat)) \(size)"
            )
        }
        picture = PictureReader(
            format: mode.format,
            size: size,
            stride: Int(given.bytesperline),
            hasFullRange: given.hasFullRange
        )
        guard given.sizeimage <= Self.largestBuffer, picture.isPossible else {
            throw V4L2Failure(
                path,
                .format,
                "rows of \(given.bytesperline) bytes, pictures of \(given.sizeimage)"
            )
        }
        imageBytes = Int(given.sizeimage)
    }

    private func setRate() throws(V4L2Failure) {
        var parameters = v4l2_streamparm()
        parameters.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        // Without it the driver's own rate goes on, and nobody knows which it is.
        guard (try? device.call(CV4L2_G_PARM, &parameters)) != nil,
            unsafe parameters.parm.capture.capability & UInt32(V4L2_CAP_TIMEPERFRAME) != 0
        else { return mode.rate = nil }
        let rate = mode.rate ?? 0
        unsafe parameters.parm.capture.timeperframe =
            rate > 0
            ? v4l2_fract(numerator: 1000, denominator: UInt32((rate * 1000).rounded()))
            // The driver's default interval.
            : v4l2_fract(numerator: 0, denominator: 0)
        try call(.rate, CV4L2_S_PARM, &parameters)
        unsafe mode.rate = parameters.parm.capture.timeperframe.rate
    }

    /// A connection begins with all of the picture; what another program has set stays in the device.
    private func resetZoom() {
        guard let zoom = description.zoom, zoom.value != zoom.range.lowerBound else { return }
        try? device.set(zoom, to: zoom.range.lowerBound)
    }

    private func takeBuffers() throws(V4L2Failure) {
        var request = v4l2_requestbuffers()
        let fitting = Self.bufferMemory / max(1, imageBytes)
        request.count = UInt32(min(max(fitting, Self.leastBuffers), Self.mostBuffers))
        request.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        request.memory = V4L2_MEMORY_MMAP.rawValue
        try call(.buffers, CV4L2_REQBUFS, &request)
        guard (1...UInt32(Self.mostBuffers)).contains(request.count) else {
            throw V4L2Failure(path, .buffers, "it gave \(request.count)")
        }
        for index in 0..<request.count {
            var buffer = unsafe emptyBuffer(index)
            try unsafe call(.buffers, CV4L2_QUERYBUF, &buffer)
            let length = unsafe Int(buffer.length)
            guard length >= picture.leastBytes, length <= Self.largestBuffer else {
                throw V4L2Failure(path, .buffers, "buffer \(index) has \(length) bytes")
            }
            do {
                unsafe buffers.append(try device.map(length: length, offset: Int(buffer.m.offset)))
            } catch {
                throw V4L2Failure(path, .buffers, error.number)
            }
        }
    }

    private func startStreaming() throws(V4L2Failure) {
        unsafe isQueued = Array(repeating: false, count: buffers.count)
        for index in isQueued.indices { try queue(index, .start) }
        var type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        try call(.start, CV4L2_STREAMON, &type)
    }

    // MARK: Frames

    /// Takes the next frame that is ready, and gives its buffer back.
    func take() throws(V4L2Failure) -> Taken {
        var buffer = unsafe emptyBuffer(0)
        do {
            try unsafe device.call(CV4L2_DQBUF, &buffer)
        } catch {
            if error.number == EAGAIN { return .nothing }
            throw V4L2Failure(path, .frame, error.number)
        }
        let index = unsafe Int(buffer.index)
        guard isQueued.indices.contains(index), isQueued[index] else {
            throw V4L2Failure(path, .frame, "the driver gave buffer \(index), which it did not have")
        }
        isQueued[index] = false
        let used = unsafe Int(buffer.bytesused)
        var content: VideoFrame.Content?
        if unsafe buffer.flags & UInt32(V4L2_BUF_FLAG_ERROR) == 0, used > 0,
            unsafe used <= buffers[index].count
        {
            content = unsafe picture.read(UnsafeRawBufferPointer(rebasing: buffers[index][..<used]))
        }
        try queue(index, .frame)
        guard let content else { return .damaged }
        return unsafe .frame(content, sequence: buffer.sequence, time: Self.time(of: buffer))
    }

    /// Starts again after the queue has failed: what was in it is lost.
    func restart() async throws(V4L2Failure) {
        let outcome = await device.perform { [self] in
            Result { () throws(V4L2Failure) in
                var type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
                try call(.start, CV4L2_STREAMOFF, &type)
                try startStreaming()
            }
        }
        try outcome.get()
    }

    /// Ends the stream, and gives back all that it has; also of a device that has gone.
    func close() async {
        await device.perform { [self] in
            var type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
            try? device.call(CV4L2_STREAMOFF, &type)
            releaseBuffers()
        }
        await device.close()
    }

    /// Changes a control, on the device's thread.
    func set(_ control: VideoControl, to value: Int) async throws(V4L2Failure) {
        let outcome = await device.perform { [device] in
            Result { () throws(SystemError) in try device.set(control, to: value) }
        }
        do { try outcome.get() } catch { throw V4L2Failure(path, .control, error.number) }
    }

    private func releaseBuffers() {
        guard unsafe !buffers.isEmpty else { return }
        while let buffer = unsafe buffers.popLast() { unsafe device.unmap(buffer) }
        var request = v4l2_requestbuffers()
        request.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        request.memory = V4L2_MEMORY_MMAP.rawValue
        try? device.call(CV4L2_REQBUFS, &request)
    }

    private func queue(_ index: Int, _ step: V4L2Failure.Step) throws(V4L2Failure) {
        var buffer = unsafe emptyBuffer(UInt32(index))
        try unsafe call(step, CV4L2_QBUF, &buffer)
        isQueued[index] = true
    }

    private func emptyBuffer(_ index: UInt32) -> v4l2_buffer {
        var buffer = unsafe v4l2_buffer()
        unsafe buffer.index = index
        unsafe buffer.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        unsafe buffer.memory = V4L2_MEMORY_MMAP.rawValue
        return unsafe buffer
    }

    private func call<Structure>(
        _ step: V4L2Failure.Step,
        _ number: UInt,
        _ structure: inout Structure
    ) throws(V4L2Failure) {
        do { try device.call(number, &structure) } catch { throw V4L2Failure(path, step, error.number) }
    }

    /// When the frame was captured, by the system's monotonic clock; `nil` where the driver does not say so.
    private static func time(of buffer: v4l2_buffer) -> Duration? {
        guard
            unsafe buffer.flags & UInt32(V4L2_BUF_FLAG_TIMESTAMP_MASK)
                == UInt32(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC)
        else { return nil }
        return unsafe .seconds(buffer.timestamp.tv_sec) + .microseconds(Int64(buffer.timestamp.tv_usec))
    }
}

extension v4l2_pix_format {
    /// Whether numbers use all of 0…255, by the rules of `V4L2_MAP_QUANTIZATION_DEFAULT` for formats with luma and chroma.
    fileprivate var hasFullRange: Bool {
        if quantization == V4L2_QUANTIZATION_DEFAULT.rawValue {
            return colorspace == V4L2_COLORSPACE_JPEG.rawValue
        }
        return quantization == V4L2_QUANTIZATION_FULL_RANGE.rawValue
    }
}
