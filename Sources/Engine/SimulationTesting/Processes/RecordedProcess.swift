import CSimulation
import Exploration
import Foundation
import Simulation

/// One run in a process of its own, whose issues and output somebody wants to see.
///
/// What it recorded before a crash, an exit or a hang comes as well.
struct RecordedProcess {
    /// What was recorded; empty where the run passed.
    var issues: [RelayedIssue]
    /// What the program has printed.
    var output: String

    /// Runs `body` in a fork of this process.
    ///
    /// - Parameters:
    ///   - relay: Where issues go that the run records.
    ///   - body: Runs the simulation, and gives the error that it has thrown.
    /// - Throws: ``ForkError``.
    init(_ relay: IssueRelay, _ body: () -> RelayedIssue?) throws(ForkError) {
        shareSymbolsWithForks()
        let printed = csim_shared_file()
        defer { close(printed) }
        let child = try ChildProcess { _ in
            dup2(printed, STDOUT_FILENO)
            dup2(printed, STDERR_FILENO)
            // A crash leaves no time to print.
            csim_print_lines()
            let run = Run(relay)
            run.runAndExit(body)
        }
        _ = child.allLines()
        // One that has not told of its end itself.
        if let end = UnexpectedEnd(child.end()) { relay.send(RelayedIssue("\(end)")) }
        issues = relay.all
        var buffer = [UInt8](repeating: 0, count: Int(min(lseek(printed, 0, SEEK_END), 64 << 10)))
        let count = unsafe pread(printed, &buffer, buffer.count, 0)
        output = String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
    }

    private final class Run: LosesThreads {
        private let relay: IssueRelay

        init(_ relay: IssueRelay) { self.relay = relay }

        func runAndExit(_ body: () -> RelayedIssue?) -> Never {
            let ends = ForkedEnd { [relay] failure, _, _ in relay.send(RelayedIssue("\(failure)")) }
            ends.install()
            LoopThreadOwner.with(self) {
                if let issue = body() { relay.send(issue) }
            }
            withExtendedLifetime(ends) {}
            leaveWorker()
        }

        func lose(_ simulation: Simulation, _ error: SimulationError) {
            relay.send(RelayedIssue("\(error)"))
            leaveWorker()
        }
    }
}
