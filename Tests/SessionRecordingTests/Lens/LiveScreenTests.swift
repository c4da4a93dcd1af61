import GRDB
import LensScenarios
import ScenarioKit
import SessionRecording
import TestSupport
import Testing

@Suite("Screens in session files", .timeLimit(.minutes(5)))
struct LiveScreenTests {
    private let folder: TemporaryFolder
    private let recording: LiveRecording

    init() async throws {
        folder = try TemporaryFolder()
        recording = try await LiveRecording.make(in: folder)
    }

    private func change(_ sql: String) throws {
        let queue = try DatabaseQueue(path: recording.path)
        try queue.write { try $0.execute(sql: sql) }
        try queue.close()
    }

    @Test
    func `a session has what its user did and what each screen showed, and replays with every state equal`()
        throws
    {
        let session = try SessionReader(path: recording.path)
        let screens = try session.screens()
        let actions = screens.filter { $0.kind == .action }.map { "\($0.screen) \($0.json)" }
        #expect(actions.contains(#"camera {"capturePhoto":{}}"#))
        #expect(actions.contains(#"stream {"start":{}}"#))
        let names = Set(screens.filter { $0.kind == .state }.map(\.screen))
        #expect(
            names == [
                "navigation", "camera", "discovery", "setup", "stream", "gallery", "preview", "analysis",
                "chat", "reply", "settings",
            ]
        )
        #expect(screens.contains { $0.screen == "stream" && $0.json.contains(#""phase":"streaming""#) })
        #expect(screens.contains { $0.screen == "camera" && $0.json.contains("lastPhoto") })
        let report = try session.replay()
        #expect(report.firstDifference == nil && report.isSame)
        #expect(report.compared > screens.count)
    }

    @Test func `no state and no action has a path of the machine or a secret`() throws {
        for screen in try SessionReader(path: recording.path).screens() {
            #expect(!screen.json.contains(folder.path), "\(screen)")
            #expect(!screen.json.contains(LensOptions.modelKey), "\(screen)")
        }
    }

    @Test func `a state that the program shows otherwise is named with its screen and member`() throws {
        try change(
            """
            UPDATE screen SET json = json_set(json, '$.settings.framesPerSecond', 9)
            WHERE id = (SELECT max(id) FROM screen WHERE name = 'settings' AND kind = 'state')
            """
        )
        let difference = try #require(try SessionReader(path: recording.path).replay().firstDifference)
        #expect(difference.place.hasPrefix("screen settings, state"))
        #expect(difference.place.hasSuffix("settings.framesPerSecond"))
        #expect(difference.recorded == "9" && difference.replayed == "5")
    }

    @Test func `an action that is not done again is a difference`() throws {
        try change(
            """
            INSERT INTO screen (nanoseconds, name, kind, json)
            SELECT max(nanoseconds), 'camera', 'action', '{"stop":{}}' FROM screen
            """
        )
        let difference = try #require(try SessionReader(path: recording.path).replay().firstDifference)
        #expect(difference.place.hasPrefix("screen camera, action"))
        #expect(difference.recorded == #"action {"stop":{}}"# && difference.replayed == "nothing more")
    }

    @Test func `a session of the first version, which has no screens, is read and replayed`() throws {
        try change("DROP TABLE screen; DROP TABLE seal; PRAGMA user_version = 1")
        let session = try SessionReader(path: recording.path)
        #expect(try session.screens().isEmpty)
        // What the camera saw has another hash in that version: the one that the replay says.
        for _ in try session.looks() {
            guard let difference = try SessionReader(path: recording.path).replay().firstDifference,
                let number = difference.place.firstMatch(of: /^capture (\d+)/),
                let hash = difference.replayed.firstMatch(of: /contents ([0-9a-f]+)$/),
                let hash = UInt64(hash.1, radix: 16)
            else { break }
            try change(
                """
                UPDATE look SET hash = \(Int64(bitPattern: hash))
                WHERE id = (SELECT id FROM look ORDER BY id LIMIT 1 OFFSET \(number.1))
                """
            )
        }
        #expect(try SessionReader(path: recording.path).replay().isSame)
    }
}
