import ArgumentParser
import CommandKit
import Exploration
import Foundation

/// The tests of a package that are simulated, by the trait or in a test case of XCTest, which variables of the environment tell what to run.
///
/// They run in the package's own test program, so that the package needs nothing but the trait.
struct PackageTests {
    /// The package's folder.
    var path: String
    /// Which tests; `nil` for all.
    var filter: String?
    /// Whether the test program is there already.
    var skipsBuild = false
    /// Whether every asynchronous test is simulated, also one that says nothing of it.
    var areAllSimulated = false

    /// What a test program ends with where the filter fits nothing: `EX_UNAVAILABLE`, in Swift Testing's entry point.
    static let noTests: Int32 = 69

    /// What the tests of one process came to.
    struct Outcome {
        /// By name.
        var results: [SweepResult]
        /// How the test program ended.
        var status: Int32
    }

    /// Runs the tests as a search.
    ///
    /// What Swift Testing prints is shown only where the tests fail in another way than by a failure that was searched for.
    ///
    /// - Parameter variables: For the trait; see `SimulatedTrait`.
    /// - Throws: ``PackageError``, or ``SweepFileError`` where a result cannot be read.
    func search(_ variables: [String: String]) throws -> Outcome {
        let manager = FileManager.default
        let folder = URL.temporaryDirectory.appending(path: "lenssim-\(UUID())", directoryHint: .isDirectory)
        try manager.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? manager.removeItem(at: folder) }
        let log = folder.appending(path: "output")
        _ = manager.createFile(atPath: log.path, contents: nil)
        let own = ["LENSSIM_RESULTS": folder.path]
        let status = try run(variables.merging(own) { $1 }, output: FileHandle(forWritingTo: log))
        let files = try manager.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }
        let results = try Self.joined(
            files.flatMap { try SweepFile(path: folder.appending(path: $0).path).read().results }
        )
        if Interruption.isRequested { throw Exit.interrupted }
        let unfinished = try manager.contentsOfDirectory(atPath: folder.path).filter {
            $0.hasSuffix(ResultFolder.unfinished)
        }
        // A process that ends early leaves searches that have begun, and others that never will.
        if !unfinished.isEmpty || status > 128 {
            try FileHandle.standardError.write(contentsOf: Data(contentsOf: log))
            throw PackageError.endedEarly(path: path, status: status, unfinished: unfinished.count)
        }
        if results.isEmpty, [0, Self.noTests].contains(status) {
            throw PackageError.nothingSimulated(path: path, filter: filter)
        }
        // Without a failure of its own a process that fails has ended early, or has failed in other tests.
        if status != 0, results.allSatisfy(\.failures.isEmpty) {
            try FileHandle.standardError.write(contentsOf: Data(contentsOf: log))
            throw PackageError.failed(path: path, status: status, searched: results.count)
        }
        return Outcome(results: results.sorted { $0.program < $1.program }, status: status)
    }

    /// One result for each test: its cases are searched one by one, with the same seeds.
    private static func joined(_ results: [SweepResult]) -> [SweepResult] {
        var tests: [String: SweepResult] = [:]
        for result in results {
            tests[result.program, default: SweepResult(program: result.program, strategy: result.strategy)]
                .addCase(result)
        }
        return Array(tests.values)
    }

    /// Runs the tests, and gives the status of their process.
    ///
    /// - Parameter output: Where what they print goes.
    func run(_ variables: [String: String], output: FileHandle = .standardError) throws -> Int32 {
        let program = try testProgram()
        let arguments = ["--testing-library", "swift-testing"] + (filter.map { ["--filter", $0] } ?? [])
        let methods = try testMethods(of: program)
        let runs = Self.selections(of: methods).map { [$0.joined(separator: ",")] } + [arguments]
        let statuses = try runs.map { try launchTests(program, $0, variables, output: output) }
        // The worst of both: a signal before a failure before success.
        return statuses.filter { $0 != Self.noTests }.max() ?? Self.noTests
    }

    /// Runs the test program; with the engine, where all its tests are simulated.
    func launchTests(
        _ program: String,
        _ arguments: [String],
        _ variables: [String: String],
        output: FileHandle
    ) throws -> Int32 {
        let engine = areAllSimulated ? try PreloadedEngine.variables(for: program) : [:]
        return try launch(program, arguments, variables.merging(engine) { $1 }, output: output)
    }

    /// The tests of XCTest that fit the filter, as a test program takes them.
    func testMethods(of program: String) throws -> [String] {
        let fitting: Regex<AnyRegexOutput>?
        do { fitting = try filter.map { try Regex($0) } } catch {
            throw PackageError.invalidFilter(filter ?? "", reason: "\(error)")
        }
        let list = URL.temporaryDirectory.appending(path: "lenssim-\(UUID())", directoryHint: .notDirectory)
        _ = FileManager.default.createFile(atPath: list.path, contents: nil)
        defer { try? FileManager.default.removeItem(at: list) }
        let status = try launch(program, ["--list-tests"], [:], output: FileHandle(forWritingTo: list))
        guard status == 0 else { throw PackageError.notListed(program: program, status: status) }
        // A heading, then `Module.Class/method` for each.
        return try String(contentsOf: list, encoding: .utf8).split(separator: "\n").map(String.init).filter {
            $0.contains("/") && !$0.contains(" ") && (fitting.map($0.contains) ?? true)
        }
    }

    /// Methods of XCTest in parts, each of which a test program can take as one argument, joined by commas.
    ///
    /// - Parameter limit: Bytes of an argument; Linux allows 131,072 (`MAX_ARG_STRLEN` in `linux/binfmts.h`), with the zero at the
    ///   end.
    static func selections(of methods: [String], limit: Int = 131_000) -> [[String]] {
        var selections: [[String]] = []
        var room = 0
        for method in methods {
            let size = method.utf8.count + 1
            if selections.isEmpty || size > room {
                selections.append([])
                room = limit
            }
            selections[selections.count - 1].append(method)
            room -= size
        }
        return selections
    }

    /// Runs a command, and ends it with the code of what went wrong.
    func ending(on terminal: Terminal, _ command: () throws -> Void) throws {
        do { try command() } catch let exit as ExitCode { throw exit } catch {
            terminal.warn("lenssim: \(error)")
            throw Exit.code(for: error)
        }
    }

    /// Ends the command as a test run has ended.
    func report(_ status: Int32) throws {
        if Interruption.isRequested { throw Exit.interrupted }
        if status == Self.noTests { throw PackageError.nothingSimulated(path: path, filter: filter) }
        if status > 128 { throw PackageError.endedEarly(path: path, status: status, unfinished: 0) }
        if status != 0 { throw Exit.failed }
    }

    /// Builds the tests, and finds their program.
    func testProgram() throws -> String {
        let manager = FileManager.default
        guard manager.fileExists(atPath: path + "/Package.swift") else {
            throw PackageError.noPackage(path: path)
        }
        if !skipsBuild, try launch("swift", ["build", "--build-tests", "--quiet"], [:]) != 0 {
            throw PackageError.notBuilt(path: path)
        }
        let folder = path + "/.build/debug"
        let names = ((try? manager.contentsOfDirectory(atPath: folder)) ?? []).filter {
            $0.hasSuffix(".xctest")
        }
        guard let name = names.sorted().first else { throw PackageError.noTests(path: path) }
        return URL(filePath: "\(folder)/\(name)").standardizedFileURL.path
    }

    /// Runs a program in the package's folder.
    ///
    /// - Returns: What it ended with; for a signal, that and 128.
    func launch(
        _ program: String,
        _ arguments: [String],
        _ variables: [String: String],
        output: FileHandle = .standardError
    ) throws -> Int32 {
        let process = Process()
        let isPath = program.contains("/")
        process.executableURL = URL(filePath: isPath ? program : "/usr/bin/env")
        process.arguments = (isPath ? [] : [program]) + arguments
        process.currentDirectoryURL = URL(filePath: path, directoryHint: .isDirectory)
        // Without variables of the trait that somebody has set for other runs.
        // What becomes of threads and of Dispatch is said of the whole package, and of none of the runs.
        let inherited = ProcessInfo.processInfo.environment.filter {
            !$0.key.hasPrefix("LENSSIM_") || ["LENSSIM_DISPATCH", "LENSSIM_THREADS"].contains($0.key)
        }
        process.environment = inherited.merging(variables) { $1 }
        process.standardOutput = output
        process.standardError = output
        do { try process.runUntilExit() } catch {
            throw PackageError.notStarted(program: program, reason: "\(error)")
        }
        return process.terminationReason == .exit
            ? process.terminationStatus : 128 + process.terminationStatus
    }
}

/// Why the tests of a package say nothing.
enum PackageError: ExitCoded, CustomStringConvertible {
    case noPackage(path: String)
    case notBuilt(path: String)
    case noTests(path: String)
    case notStarted(program: String, reason: String)
    case notListed(program: String, status: Int32)
    /// There is no library that brings the engine into a test program.
    case noEngine(library: String)
    case invalidFilter(String, reason: String)
    /// No test has the trait, or the filter fits none.
    case nothingSimulated(path: String, filter: String?)
    /// There are no tests, or the filter fits none.
    case noTestsFit(path: String, filter: String?)
    /// The process failed though no search did.
    case failed(path: String, status: Int32, searched: Int)
    /// The process ended before its tests did.
    case endedEarly(path: String, status: Int32, unfinished: Int)

    var description: String {
        switch self {
        case .noPackage(let path): "there is no package in \(path): it has no Package.swift"
        case .notBuilt(let path):
            "the tests of the package \(path) do not build; the compiler has said why above"
        case .noTests(let path):
            "the package \(path) has no test program in .build/debug: build it with swift build --build-tests"
        case .notStarted(let program, let reason): "\(program) could not be started: \(reason)"
        case .notListed(let program, let status):
            "\(program) --list-tests ended with \(status) instead of a list of its tests"
        case .noEngine(let library):
            "the test program was built without the engine, and \(library), which brings it there, is missing: "
                + "build it where lenssim was built, with swift build --product LensSimPreload"
        case .invalidFilter(let filter, let reason):
            "--filter \(filter) is not a regular expression: \(reason)"
        case .nothingSimulated(let path, let filter):
            "no test of the package \(path)\(filter.map { " that fits “\($0)”" } ?? "") has the trait .simulated, or calls simulated in a SimulatedTestCase"
        case .noTestsFit(let path, let filter):
            filter.map { "no test of the package \(path) fits “\($0)”" }
                ?? "no test of the package \(path) has run: it has none, or was built with --static-swift-stdlib, which no library can be brought into"
        case .failed(let path, let status, let searched):
            "tests of the package \(path) have failed (status \(status)), but none of the \(searched) that were searched: see above"
        case .endedEarly(let path, let status, let unfinished):
            "the process of the tests of the package \(path) ended early, by "
                + (status > 128 ? "signal \(status - 128)" : "exit(\(status))")
                + (unfinished > 0 ? ", with \(unfinished) searches unfinished" : "")
                + ", as said above"
        }
    }

    var exitCode: ExitCode {
        switch self {
        case .noPackage, .noTests, .noEngine: Exit.inputMissing
        case .notBuilt, .nothingSimulated, .noTestsFit: Exit.dataUnusable
        case .notStarted, .notListed: Exit.systemTrouble
        case .invalidFilter: .validationFailure
        case .failed, .endedEarly: Exit.failed
        }
    }
}
