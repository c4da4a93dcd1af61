import Foundation
import SessionRecording
import TestSupport
import Testing

@Suite("Recording the program argus", .timeLimit(.minutes(10)))
struct LiveRecordedArgusTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private struct Facts: Decodable {
        var page: String
        var pairingCode: String
    }

    private var recording: String { folder.file("home.lenssession") }

    /// Starts the program, pairs the app, and looks at the newest event and its picture.
    private func look() async throws -> CommandLineRun.Started {
        let started = try CommandLineRun.start(
            [
                "--json", "--port", "0", "--folder", "kept", "--event-interval", "0.5", "--record", recording,
            ],
            in: folder.path,
            program: CommandLineRun.package.appending(path: ".build/debug/argus")
        )
        try await started.waits(for: "}\n")
        let facts = try JSONDecoder().decode(Facts.self, from: Data(started.output().utf8))
        let page = try await PageVisit(facts.page, of: "argus")
        try await page.waits(for: #""way":"local""#, on: "settings")
        try await page.act("pairing", #"{"setCode":{"_0":"\#(facts.pairingCode)"}}"#)
        try await page.act("pairing", #"{"submit":{}}"#)
        try await page.waits(for: #""id":"evt_"#, on: "events")
        let rows = try #require(page.state(of: "events"))
        let eventID = try #require(rows.firstMatch(of: /"id":"(evt_[^"]+)"/)?.output.1)
        // As two tabs want it.
        for picture in try await page.get("/thumbnails/\(eventID)", atOnce: 2) {
            #expect(picture.status == 200 && picture.body.count > 500)
        }
        try await page.act("root", #"{"open":{"eventID":"\#(eventID)"}}"#)
        try await page.waits(for: String(eventID), on: "detail")
        await page.close()
        return started
    }

    private func cutReplay() async throws -> CutReplay { try await CutReplay(of: recording, in: folder.path) }

    @Test func `a recorded pairing replays with the same screens, and its tokens are not in the file`()
        async throws
    {
        let started = try await look()
        started.process.interrupt()
        #expect(try await started.finish().status == 0, "\(started.errors())")
        let replayed = try await CommandLineRun.run(["replay", recording], in: folder.path)
        #expect(replayed.status == 0, "\(replayed.output)\(replayed.errors)")
        #expect(replayed.output.contains("replayed argus, loopback"))
        let explored = try await CommandLineRun.run(
            ["explore", "--from", recording, "--seeds", "1...30"],
            in: folder.path
        )
        #expect(explored.status == 0, "\(explored.output)\(explored.errors)")

        let session = try SessionReader(path: recording)
        let screens = try session.screens()
        #expect(screens.contains { $0.screen == "thumbnails" && $0.json.contains(#""bytes":"#) })
        let bytes = try String(decoding: Data(contentsOf: URL(filePath: recording)), as: UTF8.self)
        let tokens = bytes.matches(of: /"(access|refresh)_token": ?"([^"]*)"/).map(\.output)
        #expect(Set(tokens.map(\.1)) == ["access", "refresh"])
        #expect(tokens.allSatisfy { $0.2.wholeMatch(of: /<redacted(-\d+)?>/) != nil }, "\(tokens)")
        #expect(!bytes.contains("Bearer e"))
    }

    @Test(
        "what a killed program has recorded replays as far as it goes",
        arguments: [0, 300, 700, 1_100, 1_900]
    )
    func killed(milliseconds: Int) async throws {
        let started = try await look()
        try await Task.sleep(for: .milliseconds(milliseconds))
        kill(started.process.processIdentifier, SIGKILL)
        _ = try await started.finish()
        let replayed = try await cutReplay()
        let end = try #require(replayed.cutOffAt)
        // It writes once a second.
        #expect(replayed.same && (end > 0 || milliseconds < 1_500))
    }
}
