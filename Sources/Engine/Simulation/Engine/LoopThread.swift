import CSimulation
import Glibc
import Synchronization

/// A thread that may be lost.
///
/// Code in a simulation may block its thread forever, for example by a semaphore that nobody signals. There is no way to
/// unwind it: the thread stays as it is, and the run is reported by somebody else. So each run has a thread that its
/// caller does not need; threads are used again.
final class LoopThread: Sendable {
    private struct Job: Sendable {
        var work: @Sendable () -> Void
        var end: @Sendable () -> Void
    }

    private static let idle = Mutex<[LoopThread]>([])
    private let job = Mutex<Job?>(nil)
    private let wakeUp = Signal()

    private init() {}

    /// Runs `work` on such a thread; the caller goes on.
    ///
    /// - Parameters:
    ///   - work: What is run.
    ///   - end: Called when `work` has returned, and the thread holds nothing of it any more.
    static func start(_ work: @escaping @Sendable () -> Void, end: @escaping @Sendable () -> Void) {
        let known = idle.withLock { $0.popLast() }
        let thread = known ?? LoopThread()
        thread.job.withLock { $0 = Job(work: work, end: end) }
        if known == nil { startThread { thread.loop() } }
        thread.wakeUp.send()
    }

    /// Runs what there is, and gives back what is left to call.
    private func runJob() -> (@Sendable () -> Void)? {
        let job = job.withLock { $0.take() }
        job?.work()
        return job?.end
    }

    private func loop() {
        while true {
            wakeUp.wait()
            let end = runJob()
            Self.idle.withLock { $0.append(self) }
            end?()
        }
    }
}

/// Lets one thread wait for another.
@safe package final class Signal: @unchecked Sendable {
    // Invariant that makes this Sendable: a semaphore may be used from any thread.
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    /// Makes one that was not sent.
    package init() { unsafe sem_init(semaphore, 0, 0) }

    deinit {
        unsafe sem_destroy(semaphore)
        unsafe semaphore.deallocate()
    }

    /// Lets one call of ``wait()`` return.
    package func send() { unsafe sem_post(semaphore) }

    /// Blocks the calling thread until the signal is sent once more than it was waited for.
    package func wait() {
        while unsafe sem_wait(semaphore) != 0 {}  // interrupted by a signal
    }

    /// Does so for some nanoseconds at most, or less where a signal interrupts it.
    func wait(atMost nanoseconds: Int64) {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        let whole = Int64(time.tv_nsec) + max(0, nanoseconds)
        time.tv_sec += Int(whole / 1_000_000_000)
        time.tv_nsec = Int(whole % 1_000_000_000)
        _ = unsafe sem_timedwait(semaphore, &time)
    }
}

/// Hands over how a run has ended to one that waits for it.
final class RunEnd<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let signal = Signal()

    func set(_ value: Value) { self.value.withLock { $0 = value } }

    func send() { signal.send() }

    func wait() -> Value {
        signal.wait()
        return take()
    }

    func take() -> Value {
        guard let value = value.withLock({ $0.take() }) else {
            preconditionFailure("a run ended without a result")
        }
        return value
    }
}

/// Runs many simulations on a thread of its own, which it can do without.
package protocol LosesThreads: AnyObject, Sendable {
    /// The run of a simulation ends with an error, and the thread that has called it does not return from there.
    func lose(_ simulation: Simulation, _ error: SimulationError)
}

/// The owner of the calling thread.
package enum LoopThreadOwner {
    /// The one that was set on this thread.
    static var current: (any LosesThreads)? {
        guard let pointer = unsafe csim_thread_owner() else { return nil }
        return unsafe Unmanaged<OwnerBox>.fromOpaque(pointer).takeUnretainedValue().owner
    }

    /// Runs `body`, in which simulations run on the calling thread itself.
    package static func with(_ owner: any LosesThreads, _ body: () -> Void) {
        let box = OwnerBox(owner)
        unsafe csim_set_thread_owner(Unmanaged.passUnretained(box).toOpaque())
        withExtendedLifetime(box, body)
        csim_set_thread_owner(nil)
    }
}

private final class OwnerBox {
    let owner: any LosesThreads
    init(_ owner: any LosesThreads) { self.owner = owner }
}
