internal import Synchronization

/// The frames of one connection of a camera, for one reader.
public protocol FrameStream: Sendable {
    /// Waits for the next frame; `nil` when the connection has ended, or the task is cancelled.
    ///
    /// One caller at a time. A frame that was there before the cancellation is not lost: the next call returns it.
    func next() async -> VideoFrame?

    /// How many frames were given up, because the reader was late.
    var dropped: Int { get }
}

/// A stream that the camera puts its frames into, as they come.
public final class FrameQueue: FrameStream {
    private struct State {
        var waiting: [VideoFrame] = []
        var dropped = 0
        var isOver = false
        var reader: CheckedContinuation<VideoFrame?, Never>?
    }

    private let limit: Int
    private let state = Mutex(State())

    /// Makes an empty stream, in which `limit` frames may wait.
    public init(limit: Int) {
        precondition(limit > 0, "a stream has room for a frame")
        self.limit = limit
    }

    /// Adds a frame, in the place of the oldest when there is no room; false when the stream has ended.
    @discardableResult
    public func add(_ frame: VideoFrame) -> Bool {
        let (isOpen, reader) = state.withLock { state -> (Bool, CheckedContinuation<VideoFrame?, Never>?) in
            guard !state.isOver else { return (false, nil) }
            if let reader = state.reader {
                state.reader = nil
                return (true, reader)
            }
            if state.waiting.count == limit {
                state.waiting.removeFirst()
                state.dropped += 1
            }
            state.waiting.append(frame)
            return (true, nil)
        }
        reader?.resume(returning: frame)
        return isOpen
    }

    /// Ends the stream: what waits is still read.
    ///
    /// Idempotent.
    public func end() {
        let reader = state.withLock { state in
            state.isOver = true
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: nil)
    }

    /// Ends the stream and discards buffered frames, which count as dropped.
    ///
    /// Idempotent.
    public func close() {
        let reader = state.withLock { state in
            // Together: a frame that comes in between would wait behind the end.
            state.isOver = true
            state.dropped += state.waiting.count
            state.waiting = []
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: nil)
    }

    /// How many frames were given up.
    public var dropped: Int { state.withLock(\.dropped) }

    /// Waits for the next frame.
    public func next() async -> VideoFrame? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = Task.isCancelled
                let ready = state.withLock { state -> VideoFrame?? in
                    if isCancelled { return .some(nil) }
                    if !state.waiting.isEmpty { return state.waiting.removeFirst() }
                    if state.isOver { return .some(nil) }
                    precondition(state.reader == nil, "a stream of frames has one reader")
                    state.reader = continuation
                    return nil
                }
                if let ready { continuation.resume(returning: ready) }
                // Cancelled between the look and the waiting: nobody else would notice.
                if ready == nil, Task.isCancelled { wake() }
            }
        } onCancel: {
            wake()
        }
    }

    private func wake() {
        let reader = state.withLock { state in
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: nil)
    }
}

/// A stream of a camera that makes its frames when they are asked for: no task runs, and what is dropped is never made.
public final class DueFrames: FrameStream {
    /// What there is at a time.
    public enum Due: Sendable {
        /// The connection has ended.
        case over
        /// The number of the newest frame, if there is one, and when to look again.
        case newest(Int?, again: ContinuousClock.Instant)
    }

    private struct State {
        /// The number of the frame that is read next.
        var next = 0
        var dropped = 0
    }

    private let limit: Int
    private let due: @Sendable () -> Due
    private let frame: @Sendable (Int) -> VideoFrame?
    private let state = Mutex(State())

    /// Makes a stream that begins with the newest frame that there is now.
    ///
    /// - Parameters:
    ///   - limit: How many frames a reader may be late.
    ///   - due: What there is at the time of the call.
    ///   - frame: Makes the frame of a number; `nil` for one that cannot be made, which is left out.
    public init(
        limit: Int,
        due: @escaping @Sendable () -> Due,
        frame: @escaping @Sendable (Int) -> VideoFrame?
    ) {
        precondition(limit > 0, "a stream has room for a frame")
        (self.limit, self.due, self.frame) = (limit, due, frame)
        guard case .newest(let newest, _) = due() else { return }
        state.withLock { $0.next = newest ?? 0 }
    }

    /// How many frames were given up.
    public var dropped: Int { state.withLock(\.dropped) }

    /// Waits for the next frame.
    public func next() async -> VideoFrame? {
        while !Task.isCancelled {
            guard case .newest(let newest, let again) = due() else { return nil }
            if let newest, let number = take(newest) {
                if let frame = frame(number) { return frame }
                continue
            }
            try? await Task.sleep(until: again, clock: .continuous)
        }
        return nil
    }

    private func take(_ newest: Int) -> Int? {
        state.withLock { state in
            guard state.next <= newest else { return nil }
            let first = max(state.next, newest - limit + 1)
            state.dropped += first - state.next
            state.next = first + 1
            return first
        }
    }
}

/// A stream of a camera of which only the newest frame is known: it is looked at again and again.
public final class PolledFrames: FrameStream {
    private struct State {
        var last: Int?
        var dropped = 0
    }

    private let period: Duration
    private let latestFrame: @Sendable () async -> VideoFrame?
    private let state = Mutex(State())

    /// Makes a stream that ends when there is no frame any more.
    ///
    /// - Parameters:
    ///   - period: The time between two looks.
    ///   - latestFrame: The newest frame.
    public init(
        every period: Duration = .milliseconds(33),
        latestFrame: @escaping @Sendable () async -> VideoFrame?
    ) {
        (self.period, self.latestFrame) = (period, latestFrame)
    }

    /// How many frames came between two looks, as their numbers tell.
    public var dropped: Int { state.withLock(\.dropped) }

    /// Waits for the next frame.
    public func next() async -> VideoFrame? {
        while !Task.isCancelled {
            let last = state.withLock(\.last)
            let frame = await latestFrame()
            if let frame, frame.sequence != last {
                state.withLock { state in
                    if let last { state.dropped += max(0, frame.sequence - last - 1) }
                    state.last = frame.sequence
                }
                return frame
            }
            if frame == nil, last != nil { return nil }
            guard (try? await Task.sleep(for: period)) != nil else { return nil }
        }
        return nil
    }
}
