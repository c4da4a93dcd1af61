import Dispatch
import Foundation

extension Process {
    /// Starts the process and blocks until it has ended; an interruption ends it too.
    ///
    /// A child has a process group of its own, which Ctrl-C does not reach.
    func runUntilExit() throws {
        Interruption.takeNote()
        let end = DispatchSemaphore(value: 0)
        terminationHandler = { _ in end.signal() }
        try run()
        while end.wait(timeout: .now() + .milliseconds(50)) == .timedOut {
            guard Interruption.isRequested else { continue }
            terminate()
            return end.wait()
        }
    }
}
