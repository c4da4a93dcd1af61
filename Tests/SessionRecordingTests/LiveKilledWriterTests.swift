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

    init() throws { folder = try TemporaryFolder() }

    /// Starts a writer and kills it after it has said so many lines.
    ///
    /// Returns how many events it has added at least.
    private func kill(after lines: Int, path: String) throws -> Int {
        let process = Process()
        process.executableURL = Self.program
        process.arguments = [path]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        var said = Data()
        while said.count(where: { $0 == UInt8(ascii: "\n") }) < lines {
            let more = output.fileHandleForReading.availableData
            try #require(!more.isEmpty)
            said += more
        }
        Foundation.kill(process.processIdentifier, SIGKILL)
        said += try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let whole = String(decoding: said, as: UTF8.self).split(separator: "\n").last
        return try #require(whole.flatMap { Int($0) })
    }

    @Test func `the file of a killed writer opens and ends at its last batch, wherever it was killed`() throws
    {
        var generator = SeededGenerator(seed: 3)
        var interrupted = 0
        for round in 0..<24 {
            let path = folder.file("\(round % 4).lenssession")
            let added = try kill(after: Int.random(in: 1...150, using: &generator), path: path)
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
        #expect(interrupted > 0, "no writer was killed in the middle of a batch")
    }
}
