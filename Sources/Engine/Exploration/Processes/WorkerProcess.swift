import CSimulation
import Glibc
import Simulation

/// Ends a worker after its results, without what a program does at its end; coverage that was measured is kept.
package func leaveWorker() -> Never {
    csim_write_coverage()
    _exit(UnexpectedEnd.expectedCode)
}

/// Lets nobody see what the program prints: of thousands of runs none is the one that somebody wants to read.
func discardOutput() {
    let nothing = unsafe open("/dev/null", O_WRONLY | O_CLOEXEC)
    guard nothing >= 0 else { return }
    dup2(nothing, STDOUT_FILENO)
    dup2(nothing, STDERR_FILENO)
    close(nothing)
}

/// How much memory a worker may keep between its runs.
struct MemoryBound {
    /// Bytes that a worker may get in memory before it is replaced, beside those that it began with, which are its parent's.
    private let bytes: Int
    private let first = csim_resident_bytes()

    /// An eighth of the machine's memory, divided among the workers.
    init(jobs: Int) {
        let pages = sysconf(Int32(_SC_PHYS_PAGES))
        bytes = max(256 << 20, pages * sysconf(Int32(_SC_PAGESIZE)) / 8 / jobs)
    }

    /// Whether this process has more, as tasks that never end and their output add up.
    var isExceeded: Bool { csim_resident_bytes() - first > bytes }
}
