import Simulation
import Synchronization

/// Runs work on threads of their own, in tasks that inherit the task-local values of the task that waits for them.
///
/// Swift Testing keeps the running test, and who handles its issues, in task-local values. A thread may be lost in the middle
/// of its work, so that it cannot be one of the pool.
final class TaskThreads<Result: Sendable>: Sendable {
    private enum Event {
        case start(@Sendable () -> Void)
        case end(Result)
    }

    private let events = Mutex<[Event]>([])
    private let signal = Signal()

    /// Runs `work` on a thread of its own; called on any thread.
    func start(_ work: @escaping @Sendable () -> Void) { send(.start(work)) }

    /// Lets ``wait()`` return; called on any thread.
    func end(with result: Result) { send(.end(result)) }

    private func send(_ event: Event) {
        events.withLock { $0.append(event) }
        signal.send()
    }

    /// Blocks the calling thread until the end.
    ///
    /// The threads are made here: what another task of a simulation would make inherits that task's values.
    func wait() -> Result {
        while true {
            signal.wait()
            switch events.withLock({ $0.removeFirst() }) {
            case .start(let work): Task(executorPreference: OwnThread()) { work() }
            case .end(let result): return result
            }
        }
    }
}

/// Runs each job on a thread of its own.
private final class OwnThread: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        startThread { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
