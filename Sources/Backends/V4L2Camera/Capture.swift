import Glibc
import Services
import Synchronization
import VideoSystem

/// One connection of a camera: the task that takes its frames, and where they go.
final class Capture: Sendable {
    private struct State {
        var newest: VideoFrame?
        var readers: [WeakQueue] = []
        var statistics = CaptureStatistics()
        var isOver = false
    }

    private struct WeakQueue: Sendable {
        weak let queue: FrameQueue?
    }

    let stream: VideoStream
    private let patience: Duration
    private let beginning = ContinuousClock.now
    private let state = Mutex(State())

    init(_ stream: VideoStream, patience: Duration) {
        self.stream = stream
        // A camera that has a picture every two seconds is not at a standstill.
        self.patience = max(patience, stream.mode.rate.map { .seconds(5 / $0) } ?? patience)
    }

    var newest: VideoFrame? { state.withLock(\.newest) }
    var statistics: CaptureStatistics { state.withLock(\.statistics) }
    var isOver: Bool { state.withLock(\.isOver) }

    /// The frames from the newest on.
    func frames(limit: Int) -> FrameQueue {
        let queue = FrameQueue(limit: limit)
        let isOver = state.withLock { state in
            guard !state.isOver else { return true }
            if let newest = state.newest { queue.add(newest) }
            state.readers.removeAll { $0.queue == nil }
            state.readers.append(WeakQueue(queue: queue))
            return false
        }
        if isOver { queue.end() }
        return queue
    }

    /// Ends all streams, and gives up what waits in them: nobody has frames of a camera that was disconnected, also not when it was
    /// lost before.
    func close() {
        let readers = state.withLock { state in
            state.isOver = true
            state.newest = nil
            defer { state.readers = [] }
            return state.readers
        }
        for reader in readers { reader.queue?.close() }
    }

    /// Takes frames until the task is cancelled or the camera is lost, then gives everything back.
    ///
    /// What waits in streams is still read, until ``close()`` is called.
    ///
    /// - Returns: Why the camera was lost; `nil` when the task was cancelled.
    func run() async -> V4L2Failure? {
        var failure: V4L2Failure?
        do throws(V4L2Failure) { try await takeFrames() } catch { failure = error }
        await stream.close()
        let readers = state.withLock { state in
            state.isOver = true
            state.newest = nil
            return state.readers
        }
        for reader in readers { reader.queue?.end() }
        return Task.isCancelled ? nil : failure
    }

    /// How often the stream is started again, until it is steady.
    private static let mostRestarts = 3
    /// After so many frames a stream is steady: v4l2loopback gives its last frame once more after each start.
    private static let steadyFrames = 10
    /// After so many looks that found nothing, each one is followed by a pause: a driver that always says that there is
    /// something must not keep a processor busy.
    private static let busyLooks = 32

    private func takeFrames() async throws(V4L2Failure) {
        var clock = FrameClock(beginning: beginning)
        var restarts = 0
        var emptyLooks = 0
        var lastBuffer = ContinuousClock.now
        // Since the last restart.
        var wholeFrames = 0
        while !Task.isCancelled {
            let ready = await stream.device.wait(for: patience)
            guard !Task.isCancelled else { return }
            var trouble: V4L2Failure?
            switch ready {
            case .readable:
                do throws(V4L2Failure) {
                    let (taken, whole) = try takeReady(&clock)
                    emptyLooks = taken > 0 ? 0 : emptyLooks + 1
                    if taken > 0 { lastBuffer = .now }
                    wholeFrames += whole
                    // A driver that says again and again that there is something, and has nothing, stands still as well.
                    if taken == 0, ContinuousClock.now - lastBuffer > patience {
                        trouble = V4L2Failure(stream.path, .frame, "no frame for \(patience)")
                    }
                    if wholeFrames >= Self.steadyFrames { restarts = 0 }
                } catch {
                    trouble = error
                }
            case .failed: trouble = V4L2Failure(stream.path, .frame, EIO)
            case .hungUp: throw V4L2Failure(stream.path, .frame, ENODEV)
            case .timedOut: trouble = V4L2Failure(stream.path, .frame, "no frame for \(patience)")
            }
            if emptyLooks > Self.busyLooks { try? await Task.sleep(for: .milliseconds(5)) }
            guard let trouble else { continue }
            restarts += 1
            guard trouble.isWorthARestart, restarts <= Self.mostRestarts else { throw trouble }
            try await stream.restart()
            clock.restart()
            wholeFrames = 0
            lastBuffer = .now
            state.withLock { $0.statistics.restarts += 1 }
        }
    }

    /// Takes what is ready, up to as many frames as there are buffers.
    ///
    /// - Returns: How many were taken, and how many of them were whole.
    private func takeReady(_ clock: inout FrameClock) throws(V4L2Failure) -> (taken: Int, whole: Int) {
        var (taken, count) = (0, 0)
        for _ in 0..<stream.bufferCount {
            switch try stream.take() {
            case .nothing: return (taken, count)
            case .damaged:
                taken += 1
                state.withLock { $0.statistics.damaged += 1 }
            case .frame(let content, let sequence, let time):
                let noted = clock.note(sequence: sequence, time: time, arrival: .now)
                publish(
                    VideoFrame(
                        sequence: noted.number,
                        timestamp: noted.time,
                        size: stream.mode.size,
                        content: content
                    )
                )
                (taken, count) = (taken + 1, count + 1)
            }
        }
        state.withLock { $0.statistics.overruns += 1 }
        return (taken, count)
    }

    private func publish(_ frame: VideoFrame) {
        let readers = state.withLock { state in
            state.statistics.frames += 1
            let seen = state.statistics.frames + state.statistics.damaged
            state.statistics.lost = max(state.statistics.lost, frame.sequence + 1 - seen)
            if !state.isOver { state.newest = frame }
            return state.readers
        }
        for reader in readers { reader.queue?.add(frame) }
    }
}

extension V4L2Failure {
    /// Whether a stream that is started again may go on: a queue that has failed, or that stands still.
    fileprivate var isWorthARestart: Bool {
        switch reason {
        // A driver that names a wrong buffer refuses it when it comes back.
        case .number(let number): number == EIO || number == EINVAL
        case .words: true
        }
    }
}
