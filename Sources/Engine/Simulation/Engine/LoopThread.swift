import CSimulation
import Glibc
import Synchronization

/// A thread that may be lost.
///
/// Code in a simulation may block its thread for ever, for example by a semaphore that nobody signals. There is no way to
/// unwind it: the thread stays as it is, and the run is reported by somebody else. So each run has a thread that its
/// caller does not need; threads are used again.
final class LoopThread: Sendable {
    private struct State: Sendable {
        var work: (@Sendable () -> Void)?
    }

    private static let idle = Mutex<[LoopThread]>([])
    private let state = Mutex(State())
    private let wakeUp = Signal()

    private init() {}

    /// Runs `work` on such a thread; the caller goes on.
    static func start(_ work: @escaping @Sendable () -> Void) {
        let known = idle.withLock { $0.popLast() }
        let thread = known ?? LoopThread()
        thread.state.withLock { $0.work = work }
        if known == nil { startThread { thread.loop() } }
        thread.wakeUp.send()
    }

    private func loop() {
        while true {
            wakeUp.wait()
            state.withLock { $0.work.take() }?()
            Self.idle.withLock { $0.append(self) }
        }
    }
}

/// Lets one thread wait for another.
@safe final class Signal: @unchecked Sendable {
    // Invariant that makes this Sendable: a semaphore may be used from any thread.
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { unsafe sem_init(semaphore, 0, 0) }

    deinit {
        unsafe sem_destroy(semaphore)
        unsafe semaphore.deallocate()
    }

    func send() { unsafe sem_post(semaphore) }

    func wait() {
        while unsafe sem_wait(semaphore) != 0 {}  // interrupted by a signal
    }
}

/// Hands over how a run has ended to one that waits for it.
final class RunEnd<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let signal = Signal()

    func set(_ value: Value) {
        self.value.withLock { $0 = value }
        signal.send()
    }

    func wait() -> Value {
        signal.wait()
        guard let value = value.withLock({ $0 }) else { preconditionFailure("a run ended without a result") }
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
