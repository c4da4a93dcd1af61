import CSimulation
import Exploration
import Foundation
import Simulation
import Synchronization

/// Every asynchronous test of the program simulated, where `LENSSIM_ALL=1` says so, and what came of each.
enum WholeProgram {
    /// Whether this process simulates all its asynchronous tests.
    static var isSimulated: Bool { csim_simulates_all() }

    /// The line that repeats a run of a test, for a shell.
    ///
    /// - Parameters:
    ///   - recipe: What decides the run.
    ///   - variables: Further variables of the environment, with a space behind each.
    ///   - test: The test as a filter names it.
    static func reproduction(of recipe: Recipe, _ variables: String = "", test: String) -> String {
        let filter = TestFilter.argument(for: test)
        let environment = ProcessInfo.processInfo.environment
        let inside = ["LENSSIM_DISPATCH", "LENSSIM_THREADS"]
            .compactMap { name in environment[name].map { "\(name)=\($0) " } }.joined()
        // The variable that has brought the engine here would bring it into the build as well.
        if isSimulated, unsafe csim_preload() != nil {
            return "\(inside)lenssim run --package . --all-tests --filter \(filter) --recipe '\(recipe)'"
        }
        let all = isSimulated ? "LENSSIM_ALL=1 " : ""
        return "\(inside)LENSSIM_RECIPE='\(recipe)' \(variables)\(all)swift test --filter \(filter)"
    }

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

    /// The tests that an earlier process of this program has begun, where somebody goes on after its end.
    private static let earlier: Set<String> = destination.withLock {
        guard !TestProcess.isCurrent, !TestNursery.isCurrent, case .file(let file) = $0,
            let known = try? file.read()
        else { return [] }
        return Set(known.verdicts.verdicts.map(\.test) + known.unfinished)
    }

    /// Whether a test is not to run, since an earlier process has begun it.
    static func isOver(_ test: String) -> Bool { earlier.contains(test) }

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
