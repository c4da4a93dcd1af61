internal import Concurrency
internal import Services
import Synchronization

/// Sends the camera's newest picture to a session at a steady rate.
///
/// One picture is in flight at a time: while the receiver is slow, ticks pass unused and the next picture sent is
/// again the newest, so that no backlog can form.
struct FrameStreamer: Sendable {
    /// The newest picture, or `nil` when there is none.
    let latestFrame: @Sendable () async -> VideoFrame?
    let encoder: any FrameEncoder
    /// Asked again for every tick, so that a changed rate holds from the next one on.
    let framesPerSecond: @Sendable () -> Int
    let statistics: CurrentValue<StreamStatistics>
    /// Raised after every picture that was sent.
    let frameSent: WakeSignal
    /// The picture that was sent last, over all sessions.
    let memory = FrameMemory()

    /// Sends until the task is cancelled or the session ends.
    ///
    /// - Parameters:
    ///   - session: Where the pictures go.
    ///   - isResumed: Whether the session goes on with what earlier ones have seen, so that it needs no picture again.
    /// - Throws: The session's error when a picture could not be sent; never because of camera or encoder.
    func run(_ session: any LiveSession, isResumed: Bool) async throws(LiveModelError) {
        let clock = ContinuousClock()
        let start = clock.now
        var pacer = Pacer()
        var lastSent = isResumed ? memory.lastSent : nil
        defer { memory.lastSent = lastSent }
        while !Task.isCancelled {
            try await serveTick(session, lastSent: &lastSent)
            let skippedBefore = pacer.skipped
            let due = pacer.advance(now: clock.now - start, framesPerSecond: framesPerSecond())
            let overrun = pacer.skipped - skippedBefore
            if overrun > 0 { statistics.update { $0.drop(.overrun, count: overrun) } }
            // Cancellation is the only error of sleeping, and the loop's condition sees it.
            try? await Task.sleep(until: start + due, clock: clock)
        }
    }

    private func serveTick(
        _ session: any LiveSession,
        lastSent: inout FrameIdentity?
    ) async throws(LiveModelError) {
        guard let frame = await latestFrame() else { return drop(.noFrame) }
        let identity = FrameIdentity(frame)
        guard identity != lastSent else { return drop(.unchanged) }
        statistics.update { $0.framesRead += 1 }

        let jpeg: [UInt8]
        do {
            jpeg = try await encoder.encode(frame)
        } catch {
            // A picture that failed once fails again: wait for another.
            lastSent = identity
            return drop(.encoding)
        }
        // Stopping while the encoder worked must not let one more picture out.
        guard !Task.isCancelled else { return }

        let clock = ContinuousClock()
        let begun = clock.now
        do throws(LiveModelError) {
            try await session.send(frame: jpeg)
        } catch {
            drop(.sendFailed)
            throw error
        }
        lastSent = identity
        let latency = clock.now - begun
        statistics.update {
            $0.framesSent += 1
            $0.bytesSent += jpeg.count
            $0.sendLatency.add(latency)
        }
        frameSent.raise()
    }

    private func drop(_ reason: StreamStatistics.DropReason) {
        statistics.update { $0.drop(reason) }
    }
}

/// Remembers one picture.
final class FrameMemory: Sendable {
    private let identity = Mutex<FrameIdentity?>(nil)

    fileprivate var lastSent: FrameIdentity? {
        get { identity.withLock { $0 } }
        set { identity.withLock { $0 = newValue } }
    }
}

/// Tells pictures apart, also across a camera's reconnecting, which starts its count again.
private struct FrameIdentity: Hashable {
    private let sequence: Int
    private let timestamp: Duration

    init(_ frame: VideoFrame) {
        sequence = frame.sequence
        timestamp = frame.timestamp
    }
}
