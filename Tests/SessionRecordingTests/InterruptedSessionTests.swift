import Foundation
import GRDB
import SessionRecording
import Simulation
import TestSupport
import Testing

@Suite("Session files with half a batch")
struct InterruptedSessionTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }
    private var path: String { folder.file("a.lenssession") }

    private func event(_ step: Int) -> TraceEvent {
        TraceEvent(step: step, nanoseconds: 5, node: "phone", kind: "state", detail: "event \(step)")
    }

    private static let outcome = SessionOutcome(steps: 0, nanoseconds: 5, hash: 0, failure: nil)

    /// Makes what a killed writer leaves: some pages of a batch in the file, and what they were in its journal.
    private func interrupt() throws {
        let whole = folder.file("whole")
        let writer = try SessionWriter(path: whole, manifest: .sample)
        for step in 0..<300 { writer.add(event(step)) }
        try writer.finish(Self.outcome)
        let queue = try DatabaseQueue(path: whole)
        try queue.inDatabase { db in
            // A cache this small writes pages before the commit too.
            _ = try Row.fetchAll(db, sql: "PRAGMA cache_size = 1")
            try db.execute(
                sql: "BEGIN; UPDATE event SET detail = 'half'; DELETE FROM fact WHERE name = 'outcome'"
            )
            for ending in ["", "-journal"] {
                try FileManager.default.copyItem(atPath: whole + ending, toPath: path + ending)
            }
            try db.execute(sql: "ROLLBACK")
        }
        try queue.close()
        try FileManager.default.removeItem(atPath: whole)
        let bytes = try Data(contentsOf: URL(filePath: path))
        #expect(bytes.range(of: Data("half".utf8)) != nil, "some of the batch is in the file")
    }

    @Test func `half a batch is left out, and the file and its journal stay as they are`() throws {
        try interrupt()
        let before = try [path, path + "-journal"].map { try Data(contentsOf: URL(filePath: $0)) }
        for _ in 0..<2 {
            let session = try SessionReader(path: path)
            #expect(try session.events() == (0..<300).map(event))
            #expect(session.outcome == Self.outcome && session.path == path)
        }
        #expect(try [path, path + "-journal"].map { try Data(contentsOf: URL(filePath: $0)) } == before)
    }

    @Test func `through a symbolic link half a batch is left out too`() throws {
        try interrupt()
        let link = folder.file("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        #expect(try SessionReader(path: link).events() == (0..<300).map(event))
    }

    @Test func `a file with half a batch is replaced, and its journal goes with it`() throws {
        try interrupt()
        let writer = try SessionWriter(path: path, manifest: .sample)
        writer.add(event(7))
        try writer.finish(Self.outcome)
        #expect(try SessionReader(path: path).events() == [event(7)])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.lenssession"])
    }

    @Test func `where the new session cannot be made the old one is whole`() throws {
        try interrupt()
        // In the place of the new file, where no program would expect it.
        let obstacle = path + ".\(ProcessInfo.processInfo.processIdentifier).new"
        try FileManager.default.createDirectory(atPath: obstacle + "/full", withIntermediateDirectories: true)
        #expect(throws: SessionError.self) { try SessionWriter(path: path, manifest: .sample) }
        #expect(try SessionReader(path: path).events() == (0..<300).map(event))
    }

    @Test func `a finished recording is one file, and whole wherever it is sent`() throws {
        let writer = try SessionWriter(path: path, manifest: .sample)
        for step in 0..<3_000 { writer.add(event(step)) }
        try writer.finish(Self.outcome)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.lenssession"])
        let mailed = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: path, toPath: mailed.file("b"))
        let session = try SessionReader(path: mailed.file("b"))
        #expect(try session.events().count == 3_000)
        #expect(session.outcome == Self.outcome)
        withExtendedLifetime(writer) {}
    }

    @Test func `what is no journal is damage or nothing, and no other error`() throws {
        let writer = try SessionWriter(path: path, manifest: .sample)
        writer.add(event(0))
        try writer.finish(Self.outcome)
        for bytes in [Data("precious".utf8), Data(count: 5_000), try Data(contentsOf: URL(filePath: path))] {
            try bytes.write(to: URL(filePath: path + "-journal"))
            #expect(try SessionReader(path: path).events() == [event(0)])
            #expect(try Data(contentsOf: URL(filePath: path + "-journal")) == bytes)
        }
    }
}
