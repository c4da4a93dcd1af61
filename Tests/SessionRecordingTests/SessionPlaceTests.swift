import Foundation
import GRDB
import SessionRecording
import Simulation
import TestSupport
import Testing

@Suite("The place of a session file")
struct SessionPlaceTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }
    private var path: String { folder.path + "/a.lenssession" }

    private func event(_ step: Int) -> TraceEvent {
        TraceEvent(step: step, nanoseconds: 5, node: "phone", kind: "state", detail: "event \(step)")
    }

    private func write(events: Int) throws {
        let writer = try SessionWriter(path: path, manifest: .sample)
        for step in 0..<events { writer.add(event(step)) }
        try writer.finish(SessionOutcome(steps: 0, nanoseconds: 5, hash: 0, failure: nil))
    }

    @Test func `a folder in the place is an error and keeps what is in it`() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Data("precious".utf8).write(to: URL(filePath: path + "/thesis.txt"))
        #expect(throws: SessionError.occupied(path: path, isFolder: true)) { try write(events: 1) }
        #expect(try String(contentsOfFile: path + "/thesis.txt", encoding: .utf8) == "precious")
    }

    @Test func `a file of something else is an error and stays as it is`() throws {
        let text = Data("precious".utf8)
        try text.write(to: URL(filePath: path))
        #expect(throws: SessionError.occupied(path: path, isFolder: false)) { try write(events: 1) }
        #expect(try Data(contentsOf: URL(filePath: path)) == text)
        try FileManager.default.removeItem(atPath: path)
        let database = try DatabaseQueue(path: path)
        try database.write {
            try $0.execute(sql: "CREATE TABLE thesis (page); INSERT INTO thesis VALUES (1)")
        }
        try database.close()
        let whole = try Data(contentsOf: URL(filePath: path))
        #expect(throws: SessionError.occupied(path: path, isFolder: false)) { try write(events: 1) }
        #expect(try Data(contentsOf: URL(filePath: path)) == whole)
    }

    @Test func `a file beside the place whose owner nobody knows stays as it is`() throws {
        try Data("precious".utf8).write(to: URL(filePath: path + "-journal"))
        #expect(throws: SessionError.occupied(path: path + "-journal", isFolder: false)) {
            try write(events: 1)
        }
        #expect(try String(contentsOfFile: path + "-journal", encoding: .utf8) == "precious")
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `an older session and an empty file are replaced, and nothing else is left`() throws {
        try Data().write(to: URL(filePath: path))
        try write(events: 1)
        #expect(try SessionReader(path: path).events().count == 1)
        let older = try SessionReader(path: path)
        try write(events: 2)
        #expect(try SessionReader(path: path).events().count == 2)
        #expect(try older.events().count == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.lenssession"])
    }

    @Test func `behind a symbolic link it is the file that is replaced`() throws {
        try write(events: 1)
        let link = folder.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        let writer = try SessionWriter(path: link, manifest: .sample)
        try writer.finish(SessionOutcome(steps: 0, nanoseconds: 5, hash: 0, failure: nil))
        #expect(try SessionReader(path: path).events().isEmpty)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path)
    }

    @Test func `a session that is being written is busy, and is whole in spite of the second writer`() throws
    {
        let writer = try SessionWriter(path: path, manifest: .sample)
        writer.add(event(0))
        #expect(throws: SessionError.busy(path: path)) { try write(events: 9) }
        try writer.finish(SessionOutcome(steps: 0, nanoseconds: 5, hash: 0, failure: nil))
        #expect(try SessionReader(path: path).events() == [event(0)])
        try write(events: 2)
        #expect(try SessionReader(path: path).events().count == 2)
    }

    @Test func `a session without its end can be read as far as it was written`() throws {
        let writer = try SessionWriter(path: path, manifest: .sample)
        for step in 0..<600 { writer.add(event(step)) }
        let session = try SessionReader(path: path)
        #expect(session.outcome == nil)
        #expect(try session.events().count == 512)
        try writer.finish(SessionOutcome(steps: 0, nanoseconds: 5, hash: 0, failure: nil))
    }

    @Test func `what was finished is read although another session takes its name`() throws {
        let writer = try SessionWriter(path: path, manifest: .sample)
        writer.add(event(0))
        let session = try writer.finishAndRead(
            SessionOutcome(steps: 0, nanoseconds: 5, hash: 0, failure: nil)
        )
        try write(events: 3)
        #expect(try session.events() == [event(0)])
    }
}
