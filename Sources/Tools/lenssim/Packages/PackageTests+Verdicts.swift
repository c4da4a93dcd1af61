import CommandKit
import Exploration
import Foundation
import Simulation

extension PackageTests {
    /// Runs every test, the asynchronous ones simulated, and gives what came of each.
    ///
    /// A test that ends the test program is one that fails; the program is started again for those that have not run.
    ///
    /// - Parameter variables: For the trait; see `SimulatedTrait`.
    /// - Throws: ``PackageError``.
    func verdicts(_ variables: [String: String]) throws -> VerdictTable {
        let program = try testProgram()
        let methods = try testMethods(of: program)
        let fitting = ["--testing-library", "swift-testing"] + (filter.map { ["--filter", $0] } ?? [])
        var run = try VerdictRun(tests: self, program: program, variables: variables)
        defer { run.removeFiles() }
        for selection in Self.selections(of: methods) {
            try run.finish { over in
                // As `Module.Class/method`, where `Module.Class.Inner` does not occur.
                let left = selection.filter { !over.contains($0) }
                return left.isEmpty ? nil : [left.joined(separator: ",")]
            }
        }
        try run.finish { _ in fitting }
        if run.table.isEmpty { throw PackageError.noTestsFit(path: path, filter: filter) }
        return run.table
    }
}

/// The processes of one test program that run until each test has.
private struct VerdictRun {
    private let tests: PackageTests
    private let program: String
    private let variables: [String: String]
    private let folder: URL
    private(set) var table = VerdictTable()
    /// Tests that have begun in any process so far.
    private var over: Set<String> = []

    init(tests: PackageTests, program: String, variables: [String: String]) throws {
        self.tests = tests
        self.program = program
        self.variables = variables
        folder = URL.temporaryDirectory.appending(path: "lenssim-\(UUID())", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// What the last process has printed.
    private var log: URL { folder.appending(path: "output") }

    func removeFiles() { try? FileManager.default.removeItem(at: folder) }

    /// Starts the program until all its tests have run.
    ///
    /// - Parameter arguments: For the program, given the tests that are over; `nil` where none is left.
    mutating func finish(_ arguments: (Set<String>) -> [String]?) throws {
        let file = VerdictFile(path: folder.appending(path: UUID().uuidString).path)
        while let arguments = arguments(over) {
            let before = over
            let status = try launch(arguments, file)
            let (read, unfinished) = (try? file.read()) ?? (VerdictTable(), [])
            over.formUnion(read.verdicts.map(\.test) + unfinished)
            let lost = unfinished.filter { !before.contains($0) }
            for test in lost { try blame(test, alone: lost.count == 1, status) }
            // One that ends early though every test which had begun is over, for the second time at the same place.
            if status > 128, lost.isEmpty, over == before {
                try FileHandle.standardError.write(contentsOf: Data(contentsOf: log))
                throw PackageError.endedEarly(path: tests.path, status: status, unfinished: 0)
            }
            if lost.isEmpty, status <= 128 { break }
        }
        if let (read, _) = try? file.read() { read.verdicts.forEach { table.add($0) } }
    }

    /// Finds out whether a test has ended the program, or another that ran at the same time.
    private mutating func blame(_ test: String, alone: Bool, _ status: Int32) throws {
        let end = status > 128 ? "signal \(status - 128)" : "exit(\(status))"
        let failure = TestVerdict(
            test: test,
            kind: .fails,
            cause: "the test program ended by \(end) while this test ran, outside of a simulation"
        )
        if alone { return table.add(failure) }
        let file = VerdictFile(path: folder.appending(path: UUID().uuidString).path)
        // Behind the name an identifier has the labels of arguments, and the place.
        let filter = "^\(TestFilter.expression(for: test))\\("
        let again = try launch(["--testing-library", "swift-testing", "--filter", filter], file)
        let read = (try? file.read())?.verdicts.verdicts ?? []
        if read.isEmpty || again > 128 {
            table.add(failure)
        } else {
            read.forEach { table.add($0) }
        }
    }

    private func launch(_ arguments: [String], _ file: VerdictFile) throws -> Int32 {
        _ = FileManager.default.createFile(atPath: log.path, contents: nil)
        let output = try FileHandle(forWritingTo: log)
        defer { try? output.close() }
        let own = [VerdictFile.variable: file.path]
        let status = try tests.launchTests(program, arguments, variables.merging(own) { $1 }, output: output)
        if Interruption.isRequested { throw Exit.interrupted }
        return status
    }
}
