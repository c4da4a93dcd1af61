import Foundation
import SystemPrograms

/// A network of its own (network_namespaces(7)), in which a shell runs commands and a program watches.
///
/// It needs no privileges where users may make namespaces; the network of the machine stays as it is.
package struct NetworkNamespace: Sendable {
    private let shell: RunningProgram
    private let lines: AsyncStream<String>
    private let writer: AsyncStream<String>.Continuation

    /// Ends a test that waits for what does not come.
    private static let patience = Duration.seconds(30)

    /// Whether this machine can make one with links in it, and has the programs for it.
    package static let isPossible: Bool = {
        let trial = Process()
        trial.executableURL = URL(filePath: "/usr/bin/env")
        trial.arguments = [
            "unshare", "-r", "-n", "ip", "link", "add", "v0", "type", "veth", "peer", "name", "v1",
        ]
        trial.standardError = FileHandle.nullDevice
        guard (try? trial.run()) != nil else { return false }
        trial.waitUntilExit()
        return trial.terminationStatus == 0
    }()

    /// Makes a network with a loopback that is down, and starts the program in it.
    ///
    /// - Parameter preparation: Commands that are run before the program starts, which so sees none of their steps.
    /// - Throws: `ProgramError`.
    package init(watchedBy program: String, after preparation: String = ":") throws {
        let (lines, writer) = AsyncStream.makeStream(of: String.self)
        (self.lines, self.writer) = (lines, writer)
        shell = try RunningProgram(
            SystemProgram("unshare", packages: ["util-linux"]),
            ["-r", "-n", "sh", "-c", "set -e\n\(preparation)\n\"$0\" & exec sh -e", program],
            outputLimit: 10_000
        ) { bytes in
            // Each line is written at once, and is far shorter than a pipe takes at once.
            for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
                writer.yield(String(line))
            }
        }
    }

    /// Runs commands, and takes what the program says next each time.
    ///
    /// - Returns: What it said at first, then after each command; shorter when it said nothing.
    package func answers(to commands: [String]) async throws -> [String] {
        let limit = Task { [writer] in
            try await Task.sleep(for: Self.patience)
            writer.finish()
        }
        defer { limit.cancel() }
        var said: [String] = []
        var answers = lines.makeAsyncIterator()
        if let first = await answers.next() { said.append(first) }
        for command in commands {
            guard await shell.write(Array("\(command)\n".utf8)), let answer = await answers.next() else {
                break
            }
            said.append(answer)
        }
        shell.end(because: .cancelled)
        try? await shell.untilEnded()
        return said
    }
}
