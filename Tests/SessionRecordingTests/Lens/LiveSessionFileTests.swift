import Foundation
import GRDB
import Lens
import LensScenarios
import ScenarioKit
import Services
import SessionRecording
import TestSupport
import Testing

@Suite("Session files of runs over real sockets", .timeLimit(.minutes(5)))
struct LiveSessionFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func changed(_ path: String, _ sql: String) throws -> SessionReader {
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: sql) }
        try queue.close()
        return try SessionReader(path: path)
    }

    @Test("a session over real sockets replays with every outgoing message the same")
    func loopback() async throws {
        let recording = try await LiveRecording.make(DemoSettings(seconds: 8, seed: 4), in: folder)
        let result = try recording.outcome.get().result
        #expect(result.stream.framesSent >= 5)
        #expect(result.uploaded.count == 1)
        let report = try SessionReader(path: recording.path).replay()
        #expect(report.firstDifference == nil)
        #expect(report.isSame)
        #expect(report.compared > 15)
        let bytes = try Data(contentsOf: URL(filePath: recording.path))
        #expect(bytes.range(of: Data(LensOptions.modelKey.utf8)) == nil)
        let storeKey = try #require(recording.addresses.store.key)
        #expect(bytes.range(of: Data(storeKey.reveal().utf8)) == nil)

        let changed = try changed(
            recording.path,
            """
            UPDATE message SET bytes = CAST('{"realtimeInput":{"text":"other"}}' AS BLOB)
            WHERE id = (SELECT id FROM message WHERE direction = 'out' AND kind = 'text' LIMIT 1 OFFSET 3)
            """
        ).replay()
        #expect(changed.firstDifference?.place.contains("message 4 out") == true)
        #expect(changed.firstDifference?.recorded.contains("other") == true)
    }

    @Test func `a failure that is mended without any other output is a difference too`() async throws {
        let recording = try await LiveRecording.make(in: folder)
        let report = try changed(
            recording.path,
            """
            UPDATE fact SET value = json_set(value, '$.failure', 'a frame was lost') WHERE name = 'outcome'
            """
        ).replay()
        #expect(!report.isSame)
        #expect(report.endings?.recorded == "failed: a frame was lost")
        #expect(report.endings?.replayed == "succeeded")
    }

    @Test func `a message that the program no longer sends is a difference`() async throws {
        let recording = try await LiveRecording.make(in: folder)
        #expect(try SessionReader(path: recording.path).replay().isSame)
        let report = try changed(
            recording.path,
            """
            INSERT INTO message (connection, nanoseconds, direction, kind, bytes)
            SELECT connection, nanoseconds, direction, 'text', CAST('one more' AS BLOB) FROM message
            WHERE direction = 'out' AND kind = 'text' ORDER BY id DESC LIMIT 1
            """
        ).replay()
        #expect(!report.isSame)
        #expect(report.firstDifference?.recorded.contains("one more") == true)
        #expect(report.firstDifference?.replayed == "nothing more")
    }

    @Test func `a failure that is new is a difference`() async throws {
        let recording = try await LiveRecording.make(in: folder)
        let refusal = #"{"code":"refused","operation":"connect","peer":"here","detail":""}"#
        let report = try changed(
            recording.path,
            """
            UPDATE message SET kind = 'failure', bytes = CAST('\(refusal)' AS BLOB)
            WHERE direction = 'in' AND kind = 'head';
            DELETE FROM message WHERE direction = 'in' AND kind <> 'failure' OR direction = 'out' AND kind <> 'head';
            """
        ).replay()
        #expect(!report.isSame)
        #expect(report.endings?.recorded == "succeeded")
        #expect(report.endings?.replayed.hasPrefix("failed: ") == true)
    }

    @Test(
        "messages that no connection can have had are damage, which says which",
        arguments: [
            (
                "UPDATE message SET bytes = CAST('201' AS BLOB) WHERE direction = 'in' AND kind = 'head'",
                "no answer that opens it"
            ),
            (
                "DELETE FROM message WHERE id = (SELECT min(id) FROM message WHERE direction = 'out' AND kind = 'text')",
                "ends nothing"
            ),
            ("DELETE FROM message WHERE direction = 'out' AND kind = 'head'", "nothing was asked first"),
            ("DELETE FROM message WHERE direction = 'in' AND kind = 'head'", "came before an answer"),
            (
                "UPDATE message SET kind = 'head', bytes = CAST('101' AS BLOB) WHERE direction = 'in' AND kind <> 'head' AND connection = 0",
                "is a second answer"
            ),
        ]
    )
    func disordered(_ sql: String, _ words: String) async throws {
        let session = try changed(try await LiveRecording.make(in: folder).path, sql)
        #expect {
            try session.replay()
        } throws: { error in
            guard case .damaged(_, let detail)? = error as? SessionError else { return false }
            return detail.contains("in its connection ") && detail.contains(words)
        }
    }

    @Test func `a failure that happens again is the same`() async throws {
        let recording = try await LiveRecording.make(in: folder) { $0.geminiKey = Secret("a-wrong-key") }
        let session = try SessionReader(path: recording.path)
        #expect(session.outcome?.failure?.contains("invalidKey") == true)
        let report = try session.replay()
        #expect(report.isSame)
        #expect(report.compared > 0)
    }

    @Test(
        "LENS-253 name and password of an address are neither kept nor used, and the session replays the same"
    )
    func userInformation() async throws {
        let recording = try await LiveRecording.make(DemoSettings(seconds: 1, seed: 4), in: folder) {
            let address = $0.store.place?.replacing("http://", with: "http://user:pass-word@")
            $0.store = .supabase(address: address, key: $0.store.key)
        }
        let outcome = try recording.outcome.get()
        #expect(outcome.result.uploaded.count == 1)
        let bytes = try Data(contentsOf: URL(filePath: recording.path))
        #expect(bytes.range(of: Data("pass-word".utf8)) == nil)
        #expect(outcome.session.manifest.parameters["supabase"] == recording.addresses.store.place)
        #expect(try outcome.session.replay().isSame)
    }
}
