import Foundation
import LensScenarios
import ScenarioKit
import Services
import SessionRecording
import Simulation
import TestSupport
import Testing

@Suite("Session files of runs over real sockets, changed by others", .timeLimit(.minutes(5)))
struct LiveHostileSessionTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let values = [
        "NULL", "'abc'", "''", "x'ff00'", "x''", "1.5", "9e999", "-9e999", "0", "-1", "5000000000",
        "34560000000000000",
        "9223372036854775807", "-9223372036854775808", "'9223372036854775808'", "CAST(x'ff00fe' AS TEXT)",
    ]

    private static let columns = [
        "fact": ["name", "value"], "connection": ["id", "kind"],
        "message": ["id", "connection", "direction", "kind", "nanoseconds", "bytes"],
        "look": ["id", "nanoseconds", "sequence", "timestamp", "hash"],
        "picture": ["hash", "width", "height", "layout", "bytes"],
        "event": ["id", "step", "nanoseconds", "node", "kind", "detail"], "file": ["path", "bytes"],
        "screen": ["id", "nanoseconds", "name", "kind", "json"],
    ]

    private func simulated(seconds: Int = 1) throws -> String {
        let path = folder.path + "/simulated"
        var scenario = LensStreaming()
        scenario.seconds = seconds
        scenario.size = PixelSize(width: 160, height: 90)
        #expect(try scenario.record(Recipe(seed: 5), to: path).failure == nil)
        return path
    }

    /// A recording over real sockets, with something in every table.
    private func loopback() async throws -> String {
        let recording = try await LiveRecording.make(in: folder)
        _ = try recording.outcome.get()
        let original = Forgery(path: recording.path)
        try original.change("INSERT INTO file VALUES ('Documents/a.txt', x'01')")
        try original.change("INSERT INTO event VALUES (1, 1, 1, 'phone', 'state', 'text')")
        try original.change(
            """
            INSERT INTO picture SELECT DISTINCT hash, 160, 90, 'i420', zeroblob(21600) FROM look
            WHERE sequence IS NOT NULL
            """
        )
        try original.setParameter("input", "pictures")
        return recording.path
    }

    private func copy(_ path: String) throws -> Forgery {
        let copy = folder.path + "/forged"
        try? FileManager.default.removeItem(atPath: copy)
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        return Forgery(path: copy)
    }

    @Test("LENS-255 no value in any column ends the process or replays without end")
    func anyValue() async throws {
        let simulated = try simulated()
        let loopback = try await loopback()
        #expect(try SessionReader(path: loopback).replay().compared > 3)
        var (replayed, damaged) = (0, 0)
        for (table, columns) in Self.columns.sorted(by: { $0.key < $1.key }) {
            for column in columns {
                for value in Self.values {
                    let forged = try copy(table == "event" ? simulated : loopback)
                    try forged.change(
                        """
                        UPDATE \(table) SET \(column) = \(value) WHERE rowid =
                        (SELECT rowid FROM \(table) LIMIT 1 OFFSET (SELECT count(*) / 2 FROM \(table)))
                        """
                    )
                    if try forged.damage() == nil { replayed += 1 } else { damaged += 1 }
                }
            }
        }
        // Text in place of text replays, and differs; most other things are damage.
        #expect(replayed > 80)
        #expect(damaged > 200)
    }

    @Test("LENS-255 addresses that are none give a difference, and nothing worse")
    func addresses() async throws {
        let loopback = try await loopback()
        for text in [
            "", " ", "\u{0}\n\r", "@", "[", "ü b", "http://", String(repeating: "x", count: 100_000),
        ] {
            for name in ["gemini", "geminiVersion", "supabase"] {
                let forged = try copy(loopback)
                try forged.setParameter(name, text)
                #expect(try forged.damage() == nil, "\(name): \(text.prefix(20))")
            }
        }
    }
}
