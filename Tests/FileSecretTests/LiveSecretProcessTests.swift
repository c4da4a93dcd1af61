import FileSecrets
import Foundation
import Services
import TestSupport
import Testing

@Suite("Secrets of several processes", .timeLimit(.minutes(2)))
struct LiveSecretProcessTests {
    private static let program = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: ".build/debug/SecretClient")

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func start(_ prefix: String, _ count: Int) throws -> (Process, Pipe) {
        let process = Process()
        process.executableURL = Self.program
        process.arguments = [folder.file("secrets"), folder.file("secrets.key"), prefix, "\(count)"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        return (process, output)
    }

    private var store: FileSecretStore {
        FileSecretStore(path: folder.file("secrets"), key: .file(folder.file("secrets.key")))
    }

    @Test func `what several processes keep at once is all there, under one key`() throws {
        let count = 40
        let processes = try ["first ", "second "].map { try start($0, count) }
        for number in 0..<count { try store.set(Secret("value \(number)"), named: "own \(number)") }
        for (process, output) in processes {
            _ = try output.fileHandleForReading.readToEnd()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
        }
        for prefix in ["own ", "first ", "second "] {
            for number in 0..<count {
                #expect(try store.secret(named: "\(prefix)\(number)")?.reveal() == "value \(number)")
            }
        }
    }

    @Test func `a process that is killed loses nothing that it kept, and no lock stays`() throws {
        var generator = SeededGenerator(seed: 7)
        for round in 0..<8 {
            let (process, output) = try start("\(round) ", 10_000)
            var said = Data()
            let wanted = Int.random(in: 2...120, using: &generator)
            while said.count(where: { $0 == UInt8(ascii: "\n") }) < wanted {
                let more = output.fileHandleForReading.availableData
                try #require(!more.isEmpty)
                said += more
            }
            kill(process.processIdentifier, SIGKILL)
            said += try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            let kept = String(decoding: said, as: UTF8.self).split(separator: "\n").dropFirst().count
            for number in 0..<kept {
                #expect(try store.secret(named: "\(round) \(number)")?.reveal() == "value \(number)")
            }
            for number in 0..<kept { try store.set(nil, named: "\(round) \(number)") }
            try store.set(nil, named: "\(round) \(kept)")
        }
    }
}
