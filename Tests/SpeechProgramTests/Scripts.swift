import Foundation
import SystemPrograms
import TestSupport

/// Programs that do what a test wants, in a folder of their own.
struct Scripts {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A program made of lines for a shell.
    func program(_ lines: String, packages: [String] = []) throws -> SystemProgram {
        let path = folder.file(UUID().uuidString)
        // Not by this process: a child that another test starts meanwhile would hold the file open for writing for a moment, and a
        // file that is open for writing is not started (ETXTBSY).
        let writer = try Process.run(
            URL(filePath: "/bin/sh"),
            arguments: [
                "-c", "printf '%s' \"$1\" > \"$0\" && chmod 755 \"$0\"", path, "#!/bin/sh\n\(lines)\n",
            ]
        )
        writer.waitUntilExit()
        guard writer.terminationStatus == 0 else { throw CocoaError(.fileWriteUnknown) }
        return SystemProgram(path, packages: packages)
    }

    /// What a program has left in a file, once it has ended its line.
    func line(of name: String) async throws -> String {
        while true {
            let text = (try? String(contentsOfFile: folder.file(name), encoding: .utf8)) ?? ""
            if text.hasSuffix("\n") { return String(text.dropLast()) }
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}

/// Whether a process is there and has not ended; one that nobody has waited for yet has ended.
func isAlive(_ number: some LosslessStringConvertible) -> Bool {
    guard let stat = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8) else {
        return false
    }
    // The state stands behind the name, which is in brackets.
    return stat.split(separator: ")").last?.split(separator: " ").first != "Z"
}
