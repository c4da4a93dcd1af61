import Foundation
import GRDB
import LensScenarios
import ScenarioKit
import SessionRecording
import Simulation
import TestSupport
import Testing

@Suite("Session files")
struct SessionFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func write(_ name: String = "a.lenssession") throws -> String {
        let path = folder.path + "/" + name
        let writer = try SessionWriter(path: path, manifest: .sample)
        for step in 0..<600 {
            writer.add(
                TraceEvent(
                    step: step,
                    nanoseconds: 7 * .init(step),
                    node: "phone",
                    kind: "state",
                    detail: "event \(step)"
                )
            )
        }
        writer.add(file: "Documents/a.jpg", bytes: [1, 2, 3])
        try writer.finish(SessionOutcome(steps: 600, nanoseconds: 5, hash: .max, failure: nil, stoppedAt: 4))
        return path
    }

    private func change(_ path: String, _ sql: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
        try queue.close()
    }

    @Test("LENS-253 what is written is read again")
    func roundTrip() throws {
        let session = try SessionReader(path: try write())
        #expect(session.manifest == .sample)
        #expect(
            session.outcome
                == SessionOutcome(steps: 600, nanoseconds: 5, hash: .max, failure: nil, stoppedAt: 4)
        )
        let events = try session.events()
        #expect(events.map(\.step) == Array(0..<600))
        #expect(events.map(\.nanoseconds) == (0..<600).map { 7 * $0 })
        #expect(events.map(\.detail) == (0..<600).map { "event \($0)" })
        #expect(try session.files() == ["Documents/a.jpg": [1, 2, 3]])
    }

    @Test("LENS-255 a file that is missing, foreign, or of another version has its own error")
    func refusals() throws {
        #expect(throws: SessionError.missing(path: "/nowhere")) { try SessionReader(path: "/nowhere") }
        let text = folder.path + "/text"
        try Data("not a database at all".utf8).write(to: URL(filePath: text))
        #expect(throws: SessionError.notASession(path: text)) { try SessionReader(path: text) }
        #expect(throws: SessionError.notASession(path: folder.path)) { try SessionReader(path: folder.path) }
        let newer = try write("newer")
        try change(newer, "PRAGMA user_version = 99")
        #expect(throws: SessionError.otherVersion(path: newer, found: 99, known: 6)) {
            try SessionReader(path: newer)
        }
        let foreign = try write("foreign")
        try change(foreign, "PRAGMA application_id = 7")
        #expect(throws: SessionError.notASession(path: foreign)) { try SessionReader(path: foreign) }
    }

    @Test("LENS-255 a file cut anywhere gives an error, or a session that says that it is incomplete")
    func truncated() throws {
        let path = try write()
        let whole = try Data(contentsOf: URL(filePath: path))
        for part in 0..<40 {
            let cut = folder.path + "/cut"
            try whole.prefix(whole.count * part / 40).write(to: URL(filePath: cut))
            #expect(throws: SessionError.self) { try SessionReader(path: cut) }
        }
    }

    @Test("LENS-255 damaged bytes never crash the reader or the replay")
    func damaged() throws {
        let path = folder.path + "/whole"
        var scenario = LensStreaming()
        scenario.seconds = 1
        #expect(try scenario.record(Recipe(seed: 5), to: path).failure == nil)
        let whole = try Data(contentsOf: URL(filePath: path))
        var numbers = EntropyStream(seed: 11, label: "damage")
        for _ in 0..<150 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...40, using: &numbers) {
                bytes[Int.random(in: 100..<bytes.count, using: &numbers)] = .random(
                    in: 0...255,
                    using: &numbers
                )
            }
            let damaged = folder.path + "/damaged"
            try bytes.write(to: URL(filePath: damaged))
            guard let session = try? SessionReader(path: damaged) else { continue }
            for number in (try? session.connections())?.indices ?? 0..<1 {
                _ = try? session.messages(of: number)
            }
            for look in (try? session.looks()) ?? [] { _ = try? session.picture(look.hash) }
            _ = try? session.files()
            _ = try? session.replay()
        }
    }

    @Test func `a place that cannot be written is an error with its path`() {
        #expect(throws: SessionError.self) {
            try SessionWriter(path: "/dev/null/a.lenssession", manifest: .sample)
        }
    }

    @Test(
        "LENS-253 a simulated session has its frames, messages and changes with their times, and replays to the same hash"
    )
    func simulated() throws {
        let path = folder.path + "/simulated"
        var scenario = LensStreaming()
        scenario.seconds = 3
        let outcome = try scenario.record(Recipe(seed: 5), to: path)
        #expect(outcome.failure == nil)
        let report = try SessionReader(path: path).replay()
        #expect(report.isSame)
        #expect(report.hashes?.replayed == outcome.report?.hash)
        #expect(report.compared > 20)
        try change(path, "UPDATE event SET detail = 'something else' WHERE id = 7")
        let changed = try SessionReader(path: path).replay()
        #expect(!changed.isSame)
        #expect(changed.firstDifference?.recorded.contains("something else") == true)
        #expect(changed.firstDifference?.place.contains("event 6") == true)
    }
}
