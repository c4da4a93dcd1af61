import Foundation
import Testing

/// One run of the built `lenssim`, in a folder of its own.
struct CommandLineRun {
    var status: Int32
    var output: String
    var errors: String

    /// Where the package is.
    static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static let program = package.appending(path: ".build/debug/lenssim")

    /// Runs to the end.
    ///
    /// - Parameter launcher: A program and its arguments that start the run, for one in other circumstances.
    static func run(
        _ arguments: [String],
        in folder: String,
        environment: [String: String] = [:],
        launcher: [String] = []
    ) async throws -> CommandLineRun {
        try await start(arguments, in: folder, environment: environment, launcher: launcher).finish()
    }

    /// Starts a run, of `lenssim` or of another program, which the caller may send signals.
    static func start(
        _ arguments: [String],
        in folder: String,
        environment: [String: String] = [:],
        program: URL = program,
        launcher: [String] = []
    ) throws -> Started {
        let process = Process()
        let words = Spawner.endingWithParent + launcher + [program.path] + arguments
        process.executableURL = URL(filePath: words[0])
        process.arguments = Array(words.dropFirst())
        process.currentDirectoryURL = URL(filePath: folder)
        // A crash that a test expects needs no stack trace of the runtime, which takes seconds.
        let common = ["PATH": "/usr/bin:/bin", "HOME": folder, "SWIFT_BACKTRACE": "enable=no"]
        process.environment = common.merging(environment) { $1 }
        let name = folder + "/" + UUID().uuidString
        let files = try [".out", ".err"].map { end in
            #expect(FileManager.default.createFile(atPath: name + end, contents: nil))
            return try #require(FileHandle(forWritingAtPath: name + end))
        }
        // `Process` keeps them open, and ends the test program in `run` where some 1,350 descriptors are open: it copies
        // more of their names than there is.
        defer { for file in files { try? file.close() } }
        process.standardOutput = files[0]
        process.standardError = files[1]
        process.standardInput = FileHandle.nullDevice
        try Spawner.shared.run(process)
        return Started(process: process, program: program, name: name)
    }

    struct Started {
        var process: Process
        var program: URL
        var name: String

        func output() -> String { (try? String(contentsOfFile: name + ".out", encoding: .utf8)) ?? "" }
        func errors() -> String { (try? String(contentsOfFile: name + ".err", encoding: .utf8)) ?? "" }

        /// Waits until the output holds a text, or the process has ended.
        func waits(for text: String) async throws {
            while process.isRunning, !output().contains(text) { try await Task.sleep(for: .milliseconds(20)) }
        }

        /// Waits until the program has a handler for Ctrl-C, or has ended.
        func handlesInterrupts() async throws {
            let files = "/proc/\(process.processIdentifier)"
            let program = program.resolvingSymlinksInPath().path
            while process.isRunning {
                // Before the program, the process runs `Spawner.endingWithParent`: a shell has handlers too.
                let running = try? FileManager.default.destinationOfSymbolicLink(atPath: files + "/exe")
                let status = try? String(contentsOfFile: files + "/status", encoding: .utf8)
                let caught = status?.split(separator: "\n").first { $0.hasPrefix("SigCgt:") }
                let mask = caught.flatMap {
                    UInt64($0.dropFirst(7).trimmingCharacters(in: .whitespaces), radix: 16)
                }
                if running == program, let mask, mask & (1 << UInt64(SIGINT - 1)) != 0 { return }
                try await Task.sleep(for: .milliseconds(5))
            }
        }

        /// Where `lenssim serve` has said that it listens.
        func address() async throws -> String {
            try await waits(for: "Ctrl-C ends it")
            let words = output().split(whereSeparator: \.isWhitespace)
            let address = words.first { $0.hasPrefix("http") }.map {
                $0.hasSuffix(",") ? String($0.dropLast()) : String($0)
            }
            return try #require(address)
        }

        /// The last word of the line that begins with a name, as `lenssim serve` prints its keys.
        func value(after name: String) -> String? {
            output().split(separator: "\n").first { $0.hasPrefix("  \(name) ") }
                .flatMap { $0.split(separator: " ").last.map(String.init) }
        }

        func finish() async throws -> CommandLineRun {
            while process.isRunning { try await Task.sleep(for: .milliseconds(20)) }
            return CommandLineRun(
                status: process.terminationStatus,
                output: output(),
                errors: errors()
            )
        }
    }
}

extension CommandLineRun {
    /// Whether this machine lets its users run programs by a launcher, and has the programs for it.
    static func isPossible(by launcher: [String]) -> Bool {
        let trial = Process()
        trial.executableURL = URL(filePath: launcher[0])
        trial.arguments = launcher.dropFirst() + ["/bin/true"]
        trial.standardError = FileHandle.nullDevice
        guard (try? trial.run()) != nil else { return false }
        trial.waitUntilExit()
        return trial.terminationStatus == 0
    }
}
