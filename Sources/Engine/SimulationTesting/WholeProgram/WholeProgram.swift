import CSimulation
import Exploration
import Foundation
import Simulation
import Synchronization

/// Every asynchronous test of the program simulated, where `LENSSIM_ALL=1` says so, and what came of each.
enum WholeProgram {
    /// Whether this process simulates all its asynchronous tests.
    static var isSimulated: Bool { csim_simulates_all() }

    /// What a line that repeats a run begins with.
    static var variable: String { isSimulated ? "LENSSIM_ALL=1 " : "" }

    /// Where the verdicts go: to a file that the environment names, or else to a table at the end of the process.
    private enum Destination {
        case file(VerdictFile)
        case table(VerdictTable)
    }

    private static let destination = Mutex(firstDestination())

    private static func firstDestination() -> Destination {
        if let path = ProcessInfo.processInfo.environment[VerdictFile.variable] {
            return .file(VerdictFile(path: path))
        }
        atexit { WholeProgram.printTable() }
        return .table(VerdictTable())
    }

    /// Notes that a test, or a case of one, begins; nothing where only some tests are simulated.
    static func begin(_ test: String) {
        guard isSimulated else { return }
        destination.withLock { if case .file(let file) = $0 { file.begin(test) } }
    }

    /// Notes what came of it.
    static func end(_ verdict: TestVerdict) {
        guard isSimulated else { return }
        destination.withLock { destination in
            switch destination {
            case .file(let file): file.end(verdict)
            case .table(var table):
                table.add(verdict)
                destination = .table(table)
            }
        }
    }

    private static func printTable() {
        destination.withLock {
            if case .table(let table) = $0, !table.isEmpty { printOutput("\(table)") }
        }
    }
}
