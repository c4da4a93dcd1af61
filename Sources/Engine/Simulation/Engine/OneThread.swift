import CSimulation
import Glibc
import Synchronization

/// Runs everything asynchronous of a process on its main thread, in the order in which it comes.
///
/// For a process that is to be forked: a fork has one thread, and what others held when it was made stays locked for ever,
/// such as a lock of the Swift runtime. Dispatch makes no threads here, so that forks can use it. C decides whether a process
/// is one of these, before anything asynchronous runs: see `csim_has_one_thread`.
package enum OneThread {
    /// Runs a job where it belongs.
    typealias Runner = @Sendable (UnownedJob) -> Void

    private struct Job {
        var job: UnownedJob
        var run: Runner
    }

    private struct State {
        var ready: [Job] = []
        /// By the real time at which they are due, in nanoseconds.
        var later: [(time: Int64, job: Job)] = []
    }

    private static let state = Mutex(State())
    private static let signal = Signal()

    /// Lets a job run as soon as those before it have; called on any thread.
    static func enqueue(_ job: UnownedJob, _ run: @escaping Runner) {
        state.withLock { $0.ready.append(Job(job: job, run: run)) }
        signal.send()
    }

    /// Lets a job run after a delay.
    static func enqueue(_ job: UnownedJob, after nanoseconds: Int64, _ run: @escaping Runner) {
        let (time, overflows) = csim_real_now().addingReportingOverflow(nanoseconds)
        let later = (overflows ? .max : time, Job(job: job, run: run))
        state.withLock { $0.later.append(later) }
        signal.send()
    }

    /// Runs jobs for ever, on the main thread.
    ///
    /// - Parameter idle: Called whenever there is none that is due; waits until there may be one. By default that waits for
    ///   the next.
    package static func run(whenIdle idle: (() -> Void)? = nil) -> Never {
        while true {
            if let next = takeNext() { next.run(next.job) } else if let idle { idle() } else { waitForNext() }
        }
    }

    private static func waitForNext() {
        if let due = state.withLock({ $0.later.map(\.time).min() }) {
            signal.wait(atMost: due - csim_real_now())
        } else {
            signal.wait()
        }
    }

    private static func takeNext() -> Job? {
        state.withLock { state in
            let now = csim_real_now()
            for due in state.later.filter({ $0.time <= now }).sorted(by: { $0.time < $1.time }) {
                state.ready.append(due.job)
            }
            state.later.removeAll { $0.time <= now }
            return state.ready.isEmpty ? nil : state.ready.removeFirst()
        }
    }
}
