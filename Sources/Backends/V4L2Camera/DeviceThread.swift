import CV4L2
import Glibc
import Synchronization
import VideoSystem

/// The thread of one open device: it blocks in its driver's calls and in poll(2), so that no thread of Swift's pool does.
///
/// Work that was given to it is done in its order, also while somebody waits for the device. Ends with ``end()``, which must be
/// called once.
final class DeviceThread: Sendable {
    private struct Wait {
        var number: Int
        var descriptor: Int32
        var deadline: ContinuousClock.Instant
        var waiter: CheckedContinuation<Int32, Never>
    }

    private struct State {
        var work: [@Sendable () -> Void] = []
        var wait: Wait?
        var waits = 0
        var isEnding = false
    }

    private let state = Mutex(State())
    /// Readable while there is something to look at besides the device.
    private let wakeUp: Int32

    /// Starts a thread.
    ///
    /// - Throws: When the process has no descriptor or no thread left.
    init() throws(SystemError) {
        wakeUp = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard wakeUp >= 0 else { throw SystemError(errno) }
        let retained = unsafe Unmanaged.passRetained(self)
        var thread = pthread_t()
        let failure = unsafe pthread_create(
            &thread,
            nil,
            { start in
                if let start = unsafe start {
                    unsafe Unmanaged<DeviceThread>.fromOpaque(start).takeRetainedValue().loop()
                }
                return nil
            },
            retained.toOpaque()
        )
        guard failure == 0 else {
            unsafe retained.release()
            throw SystemError(failure)
        }
        pthread_detach(thread)
    }

    deinit { close(wakeUp) }

    /// Runs `work` on the thread; when that has ended, at once, since nothing of a closed device blocks.
    func perform<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            let isTaken = state.withLock { state in
                guard !state.isEnding else { return false }
                state.work.append { continuation.resume(returning: work()) }
                return true
            }
            if isTaken { wake() } else { continuation.resume(returning: work()) }
        }
    }

    /// Waits until the descriptor is readable or has an error: the events of poll(2), 0 when the time is over.
    ///
    /// One caller at a time; a cancelled task gets 0, and so does everyone when the thread has ended.
    func wait(for descriptor: Int32, _ patience: Duration) async -> Int32 {
        let number = state.withLock { state in
            state.waits += 1
            return state.waits
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = Task.isCancelled
                let isWaiting = state.withLock { state in
                    precondition(state.wait == nil, "a device has one reader")
                    // A cancellation that came before has left its mark.
                    guard !isCancelled, !state.isEnding, state.waits == number else { return false }
                    state.wait = Wait(
                        number: number,
                        descriptor: descriptor,
                        deadline: .now + patience,
                        waiter: continuation
                    )
                    return true
                }
                if isWaiting { wake() } else { continuation.resume(returning: 0) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                if state.waits == number { state.waits += 1 }
                guard state.wait?.number == number else { return nil as CheckedContinuation<Int32, Never>? }
                defer { state.wait = nil }
                return state.wait?.waiter
            }
            waiter?.resume(returning: 0)
            wake()
        }
    }

    /// Lets the thread end, when its work is done.
    func end() {
        state.withLock { $0.isEnding = true }
        wake()
    }

    private func wake() {
        var one: UInt64 = 1
        // Full only while it is readable anyway.
        _ = unsafe write(wakeUp, &one, 8)
    }

    private func loop() {
        while true {
            let (work, wait, isEnding) = state.withLock { state in
                defer { state.work = [] }
                return (
                    state.work, state.wait.map { ($0.number, $0.descriptor, $0.deadline) }, state.isEnding
                )
            }
            for item in work { item() }
            guard work.isEmpty else { continue }
            guard !isEnding else { return }
            var polled = [pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0)]
            var milliseconds: Int32 = -1
            if let (_, descriptor, deadline) = wait {
                polled.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
                milliseconds = Self.milliseconds(until: deadline)
            }
            let count = unsafe poll(&polled, nfds_t(polled.count), milliseconds)
            if polled[0].revents != 0 {
                var count: UInt64 = 0
                _ = unsafe read(wakeUp, &count, 8)
            }
            guard let (number, _, deadline) = wait, count >= 0 else { continue }
            let events = Int32(polled[1].revents)
            if events != 0 || deadline <= .now { answer(number, events) }
        }
    }

    private func answer(_ number: Int, _ events: Int32) {
        let waiter = state.withLock { state in
            guard state.wait?.number == number else { return nil as CheckedContinuation<Int32, Never>? }
            defer { state.wait = nil }
            return state.wait?.waiter
        }
        waiter?.resume(returning: events)
    }

    /// Rounded up, so that a wait does not end before its time, again and again.
    private static func milliseconds(until deadline: ContinuousClock.Instant) -> Int32 {
        let left = max(.zero, deadline - .now)
        return Int32(
            clamping: left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000 + 1
        )
    }
}
