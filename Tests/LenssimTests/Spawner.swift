import Foundation
import Synchronization

/// Starts the processes of the tests, on a thread that lives as long as the tests do.
///
/// The kernel can end a child with its parent, and takes the *thread* that started it for its parent
/// (prctl(2), `PR_SET_PDEATHSIG`). A thread of a pool may end while the child is still wanted.
final class Spawner: @unchecked Sendable {
    // Invariant that makes this Sendable: `work` is touched under the condition only.
    static let shared = Spawner()

    /// Words before a command that make it end with whoever starts it; none where the system has no such program.
    ///
    /// A parent that has ended before the kernel knows of it sends no signal: then the command does not begin.
    static let endingWithParent: [String] =
        FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")
        ? [
            "/usr/bin/setpriv", "--pdeathsig", "KILL",
            "/bin/sh", "-c", #"[ "$PPID" = "$0" ] || exit 1; exec "$@""#,
            "\(ProcessInfo.processInfo.processIdentifier)",
        ] : []

    private let condition = NSCondition()
    private var work: [@Sendable () -> Void] = []

    private init() {
        Thread.detachNewThread { [self] in
            while true { next()() }
        }
    }

    private func next() -> @Sendable () -> Void {
        condition.withLock {
            while work.isEmpty { condition.wait() }
            return work.removeFirst()
        }
    }

    /// Runs a process whose command begins with ``endingWithParent``, and returns when it has started.
    func run(_ process: Process) throws {
        let start = Start()
        condition.withLock {
            work.append {
                start.outcome.withLock { $0 = Result { try process.run() } }
                start.isDone.signal()
            }
            condition.signal()
        }
        start.isDone.wait()
        try start.outcome.withLock { try $0.get() }
    }

    private final class Start: Sendable {
        let isDone = DispatchSemaphore(value: 0)
        let outcome = Mutex<Result<Void, any Error>>(.success(()))
    }
}
