import Foundation
import SessionRecording
import Simulation
import TestSupport
import Testing

@Suite("Recording the program nova", .timeLimit(.minutes(10)))
struct LiveRecordedNovaTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private struct Facts: Decodable {
        var page: String
        var email: String
        var password: String
    }

    private var recording: String { folder.file("feed.lenssession") }

    private struct Visit {
        var started: CommandLineRun.Started
        var facts: Facts
        var page: PageVisit
    }

    /// Starts the program, and opens its page.
    private func start() async throws -> Visit {
        let started = try CommandLineRun.start(
            [
                "--json", "--port", "0", "--folder", "kept", "--token-lifetime", "2", "--record", recording,
            ],
            in: folder.path,
            program: CommandLineRun.package.appending(path: ".build/debug/nova")
        )
        try await started.waits(for: "}\n")
        let facts = try JSONDecoder().decode(Facts.self, from: Data(started.output().utf8))
        let page = try await PageVisit(facts.page, of: "nova")
        try await page.waits(for: #""root":"signIn""#, on: "root")
        return Visit(started: started, facts: facts, page: page)
    }

    /// Signs in, publishes a photo, and likes a post while there is no network.
    private func look() async throws -> (started: CommandLineRun.Started, facts: Facts) {
        let visit = try await start()
        let (facts, page) = (visit.facts, visit.page)
        try await page.act("signIn", #"{"setEmail":{"_0":"\#(facts.email)"}}"#)
        try await page.enter("signIn", #"{"setPassword":{"_0":"\#(facts.password)"}}"#)
        try await page.act("signIn", #"{"submit":{}}"#)
        try await page.waits(for: #""image_url":""#, on: "feed")
        try await page.act("root", #"{"select":{"_0":"create"}}"#)
        try await page.act("surroundings", #"{"pick":{"photo":0}}"#)
        try await page.waits(for: #""step":"edit""#, on: "create")
        // As two tabs want it.
        for picture in try await page.get("/drafts?page=\(page.name)", atOnce: 2) {
            #expect(picture.status == 200 && picture.body.starts(with: [0xFF, 0xD8, 0xFF]))
        }
        #expect(try await page.get("/avatar?page=\(page.name)").status == 404)
        try await page.act("create", #"{"setFilter":{"_0":"mono"}}"#)
        try await page.act("create", #"{"applyEdit":{}}"#)
        try await page.waits(for: #""step":"form""#, on: "create")
        try await page.act("create", #"{"setCaption":{"_0":"In the shade"}}"#)
        try await page.act("create", #"{"publish":{}}"#)
        try await page.waits(for: "In the shade", on: "feed")
        let feed = try #require(page.state(of: "feed"))
        let address = try #require(feed.firstMatch(of: /"image_url":"([^"]+)"/)?.output.1)
        let escaped = address.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        #expect(try await page.get("/pictures?page=\(page.name)&at=\(escaped)").status == 200)
        for isVisible in [true, false] {
            try await page.act("presence", #"{"setVisible":{"isVisible":\#(isVisible)}}"#)
        }
        try await page.act("surroundings", #"{"setAeroplaneMode":{"isOn":true}}"#)
        try await page.waits(for: #""pendingCount":0"#, on: "root")
        let postID = try #require(feed.firstMatch(of: /"id":"(post_[^"]+)"/)?.output.1)
        try await page.act("feed", #"{"toggleLike":{"postID":"\#(postID)"}}"#)
        try await page.waits(for: #""pendingCount":1"#, on: "root")
        try await page.act("surroundings", #"{"setAeroplaneMode":{"isOn":false}}"#)
        try await page.waits(for: #""pendingCount":0"#, on: "root")
        await page.close()
        return (visit.started, facts)
    }

    private func endAndReplay(_ started: CommandLineRun.Started) async throws {
        started.process.interrupt()
        #expect(try await started.finish().status == 0, "\(started.errors())")
        let replayed = try await CommandLineRun.run(["replay", recording], in: folder.path)
        #expect(replayed.status == 0, "\(replayed.output)\(replayed.errors)")
        #expect(replayed.output.contains("replayed nova, loopback"))
        let explored = try await CommandLineRun.run(
            ["explore", "--from", recording, "--seeds", "1...30"],
            in: folder.path
        )
        #expect(explored.status == 0, "\(explored.output)\(explored.errors)")
    }

    @Test func `a recorded feed replays with the same screens, and its secrets are not in the file`()
        async throws
    {
        let (started, facts) = try await look()
        try await endAndReplay(started)
        let session = try SessionReader(path: recording)
        let screens = try session.screens()
        #expect(screens.contains { $0.screen == "photos" && $0.json.contains(#""use":"post""#) })
        let presence = screens.filter { $0.screen == "presence" && $0.kind == .action }
        #expect(presence.map(\.json) == [#"{"setVisible":{"isVisible":false}}"#])
        let network = try session.events().filter { $0.kind == "network" }.map(\.detail)
        for state in ["true", "false"] {
            #expect(network.contains { $0.contains(#""isConnected":\#(state)"#) }, "\(network)")
        }
        let bytes = try String(decoding: Data(contentsOf: URL(filePath: recording)), as: UTF8.self)
        #expect(!bytes.contains("eyJ") && !bytes.contains(facts.password))
    }

    @Test
    func `a recorded sign-in at an issuer replays with the picture that was picked, and without the token`()
        async throws
    {
        let visit = try await start()
        let page = visit.page
        try await page.act("signIn", #"{"signInWithApple":{}}"#)
        try await page.waits(for: #""root":"main""#, on: "root")
        try await page.act("root", #"{"navigate":{"_0":{"editProfile":{}}}}"#)
        let file = try Data(
            contentsOf: CommandLineRun.package.appending(path: "Fixtures/Images/folder/photo-2.jpg")
        )
        #expect(try await page.post("/avatar?page=\(page.name)", [UInt8](file)) == 204)
        let avatar = try await page.get("/avatar?page=\(page.name)")
        #expect(avatar.status == 200 && avatar.body.starts(with: [0xFF, 0xD8, 0xFF]))
        try await page.act("editProfile", #"{"save":{}}"#)
        await page.close()
        try await endAndReplay(visit.started)

        let session = try SessionReader(path: recording)
        let calls = try session.events().filter { $0.kind == "identity" }.map(\.detail)
        #expect(
            calls.count == 1 && calls.allSatisfy { $0.contains(#""identityToken":"\#(SecretMask.word)""#) }
        )
        let bytes = try String(decoding: Data(contentsOf: URL(filePath: recording)), as: UTF8.self)
        #expect(bytes.contains("Ada Private") && !bytes.contains("eyJ"))
    }

    @Test(
        "what a killed program has recorded replays as far as it goes",
        arguments: [0, 300, 700, 1_100, 1_900]
    )
    func killed(milliseconds: Int) async throws {
        let (started, _) = try await look()
        try await Task.sleep(for: .milliseconds(milliseconds))
        // It writes once a second.
        while try SessionReader(path: recording).screens().isEmpty {
            try await Task.sleep(for: .milliseconds(50))
        }
        let before = try SessionReader(path: recording).screens()
        kill(started.process.processIdentifier, SIGKILL)
        _ = try await started.finish()
        #expect(try SessionReader(path: recording).screens().starts(with: before), "nothing is lost")
        let replayed = try await CutReplay(of: recording, in: folder.path)
        let end = try #require(replayed.cutOffAt)
        #expect(replayed.same && end >= Double(before.last?.nanoseconds ?? .max) / 1e9)
    }
}
