import Foundation
import Synchronization

/// A program that is installed on this machine.
public struct SystemProgram: Sendable, Hashable {
    /// What it is called, or its path.
    public var name: String
    /// What installs it: names of Debian packages.
    public var packages: [String]

    /// Names a program.
    ///
    /// - Parameters:
    ///   - name: A name that is looked for in the folders of `PATH`, or a path.
    ///   - packages: The Debian packages with it and what it needs.
    public init(_ name: String, packages: [String] = []) {
        self.name = name
        self.packages = packages
    }

    /// Where it lies; `nil` where it is not installed.
    public var path: String? {
        let manager = FileManager.default
        if name.contains("/") { return manager.isExecutableFile(atPath: name) ? name : nil }
        let folders = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        // A folder that is not absolute is another one in each working directory.
        return folders.split(separator: ":").filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }
            .first { manager.isExecutableFile(atPath: $0) }
    }

    /// Where it lies.
    ///
    /// - Throws: `missing`, with what to install.
    public func found() throws(ProgramError) -> String {
        guard let path else { throw missing }
        return path
    }

    /// Says that it, or a file that comes with it, is not there, and what to install.
    public var missing: ProgramError {
        ProgramError(
            .missing,
            of: name,
            detail: packages.isEmpty ? "" : "apt-get install " + packages.joined(separator: " ")
        )
    }

    /// Runs it to its end.
    ///
    /// A cancelled task ends the program at once, and returns when it is gone.
    ///
    /// - Parameters:
    ///   - arguments: Each reaches the program as it is: there is no shell.
    ///   - input: What it reads from its standard input, to the end.
    ///   - limit: The longest that it may take.
    ///   - outputLimit: The most bytes that it may write to its standard output.
    /// - Returns: What it wrote to its standard output.
    /// - Throws: ``ProgramError``.
    public func run(
        _ arguments: [String],
        input: [UInt8] = [],
        within limit: Duration,
        outputLimit: Int
    ) async throws(ProgramError) -> [UInt8] {
        guard !Task.isCancelled else { throw ProgramError(.cancelled, of: name) }
        let output = OutputBuffer()
        let running = try RunningProgram(self, arguments, outputLimit: outputLimit) { output.append($0) }
        let timer = Task {
            if (try? await Task.sleep(for: limit)) != nil { running.end(because: .tooSlow) }
        }
        defer { timer.cancel() }
        let result = await withTaskCancellationHandler { () async -> Result<Void, ProgramError> in
            // A program that ends without having read everything may have had enough.
            _ = await running.write(input)
            running.endInput()
            do throws(ProgramError) { return .success(try await running.untilEnded()) } catch {
                return .failure(error)
            }
        } onCancel: {
            running.end(because: .cancelled)
        }
        try result.get()
        return output.bytes
    }
}

private final class OutputBuffer: Sendable {
    private let kept = Mutex<[UInt8]>([])

    var bytes: [UInt8] { kept.withLock { $0 } }

    func append(_ more: [UInt8]) { kept.withLock { $0 += more } }
}
