import Foundation
import SessionRecording
import Simulation
import TestSupport
import Testing

@Suite("Session files of processes that were killed", .timeLimit(.minutes(3)))
struct LiveKilledWriterTests {
    private static let program = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: ".build/debug/SessionKeeper")

    private let folder: TemporaryFolder
    private let output: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        output = try TemporaryFolder()
    }

    /// Starts a writer and kills it after it has said so many lines, or in the middle of a batch after those.
    ///
    /// Returns how many events it has added at least.
    private func kill(after count: Int, inBatch: Bool, path: String, last: Int? = nil) throws -> Int {
        let lines = output.file("lines")
        #expect(FileManager.default.createFile(atPath: lines, contents: nil))
        func said() throws -> [Substring] {
            try String(contentsOfFile: lines, encoding: .utf8).split(separator: "\n")
        }
        let process = Process()
        process.executableURL = Self.program
        process.arguments = [path] + (last.map { ["\($0)"] } ?? [])
        process.standardOutput = FileHandle(forWritingAtPath: lines)
        try process.run()
        while process.isRunning, try said().count < count { usleep(500) }
        while inBatch, process.isRunning {
            while process.isRunning, !FileManager.default.fileExists(atPath: path + "-journal") {}
            Foundation.kill(process.processIdentifier, SIGSTOP)
            var stopped = unsafe siginfo_t()
            unsafe waitid(P_PID, id_t(process.processIdentifier), &stopped, WSTOPPED | WNOWAIT)
            if FileManager.default.fileExists(atPath: path + "-journal") { break }
            Foundation.kill(process.processIdentifier, SIGCONT)
        }
        try #require(process.isRunning)
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        return try #require(try said().last.flatMap { Int($0) })
    }

    @Test func `the file of a killed writer opens and ends at its last batch, wherever it was killed`() throws
    {
        var generator = SeededGenerator(seed: 3)
        var interrupted = 0
        for round in 0..<24 {
            let path = folder.file("\(round % 4).lenssession")
            let lines = Int.random(in: 1...150, using: &generator)
            let added = try kill(after: lines, inBatch: round % 3 == 0, path: path)
            let hasJournal = FileManager.default.fileExists(atPath: path + "-journal")
            if hasJournal { interrupted += 1 }
            let before = try Data(contentsOf: URL(filePath: path))
            let session = try SessionReader(path: path)
            let events = try session.events()
            #expect(session.outcome == nil)
            // Sixteen of these events are a batch.
            #expect(events.count % 16 == 0 && events.count >= added / 16 * 16, "\(events.count) of \(added)")
            #expect(events.map(\.step) == Array(0..<events.count))
            #expect(events.allSatisfy { $0.detail.hasSuffix(" \($0.step)") })
            // Reading changes nothing.
            #expect(FileManager.default.fileExists(atPath: path + "-journal") == hasJournal)
            #expect(try Data(contentsOf: URL(filePath: path)) == before)
        }
        // The four files were written over again and again; only those of the last four are left.
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.allSatisfy { $0.hasSuffix(".lenssession") || $0.hasSuffix("-journal") }, "\(names)")
        #expect(interrupted >= 8, "not every third writer was killed in the middle of a batch")
    }

    @Test func `a killed writer that keeps the last seconds has left them whole, and dropped the rest`()
        throws
    {
        var generator = SeededGenerator(seed: 5)
        for round in 0..<6 {
            let path = folder.file("\(round).lenssession")
            let lines = Int.random(in: 100...150, using: &generator)
            let added = try kill(after: lines, inBatch: round % 2 == 0, path: path, last: 5)
            let session = try SessionReader(path: path)
            let steps = try session.events().map(\.step)
            let (first, end) = (try #require(steps.first), try #require(steps.last) + 1)
            #expect(end % 16 == 0 && end >= added / 16 * 16, "\(end) of \(added)")
            #expect(steps == Array(first..<end))
            // Each batch is more than a tenth of what is kept: after each the file begins five seconds before its end.
            #expect(steps.count == 51 && session.keptFrom == Int64(first) * 100_000_000)
            #expect(try session.alterations().count == 0)
        }
    }
}
