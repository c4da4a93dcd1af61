import Foundation
import SessionRecording
import TestSupport
import Testing

@Suite("Recording the program lens", .timeLimit(.minutes(10)))
struct LiveRecordedLensTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private struct Facts: Decodable {
        var page: String
    }

    private var recording: String { folder.file("walk.lenssession") }

    /// Starts the program, takes a photo, lets the assistant watch and asks it something, and stops the program.
    private func walk() async throws {
        let started = try CommandLineRun.start(
            ["--json", "--port", "0", "--folder", "kept", "--record", recording],
            in: folder.path,
            program: CommandLineRun.package.appending(path: ".build/debug/lens")
        )
        try await started.waits(for: "}\n")
        let facts = try JSONDecoder().decode(Facts.self, from: Data(started.output().utf8))
        let page = try await PageVisit(facts.page, of: "lens")
        try await page.act("camera", #"{"start":{}}"#)
        try await page.act("camera", #"{"capturePhoto":{}}"#)
        try await page.waits(for: #""lastPhoto":"#, on: "camera")
        try await page.enter("settings", #"{"saveKey":{"_0":"typed-key-of-nobody"}}"#)
        try await page.act("stream", #"{"start":{}}"#)
        try await page.act("chat", #"{"setInput":{"_0":"What do you see?"}}"#)
        try await page.act("chat", #"{"sendMessage":{}}"#)
        try await page.waits(for: "What do you see?", on: "chat")
        try await page.act("stream", #"{"stop":{}}"#)
        await page.close()
        started.process.interrupt()
        #expect(try await started.finish().status == 0, "\(started.errors())")
    }

    @Test func `what was done replays with the same screens, also in a folder of an earlier run`()
        async throws
    {
        for _ in 0..<2 {
            try await walk()
            let replayed = try await CommandLineRun.run(["replay", recording], in: folder.path)
            #expect(replayed.status == 0, "\(replayed.output)\(replayed.errors)")
            #expect(replayed.output.contains("replayed lens, loopback"))
            let explored = try await CommandLineRun.run(
                ["explore", "--from", recording, "--seeds", "1...30"],
                in: folder.path
            )
            #expect(explored.status == 0, "\(explored.output)\(explored.errors)")
        }
    }

    @Test func `a typed key is not in the file, and a page shows what was recorded`() async throws {
        try await walk()
        let bytes = try Data(contentsOf: URL(filePath: recording))
        #expect(bytes.range(of: Data("typed-key-of-nobody".utf8)) == nil)
        let screens = try SessionReader(path: recording).screens()
        let mask = String(repeating: "•", count: 19)
        #expect(screens.contains { $0.kind == .action && $0.json == #"{"saveKey":{"_0":"\#(mask)"}}"# })
        let started = try CommandLineRun.start(
            ["--json", "--replay", recording],
            in: folder.path,
            program: CommandLineRun.package.appending(path: ".build/debug/lens")
        )
        try await started.waits(for: "}\n")
        let facts = try JSONDecoder().decode(Facts.self, from: Data(started.output().utf8))
        let page = try await PageVisit(facts.page, of: "lens")
        try await page.act("recording", #"{"seek":{"_0":3600}}"#)
        try await page.waits(for: "What do you see?", on: "chat")
        await page.close()
        started.process.interrupt()
        #expect(try await started.finish().status == 0, "\(started.errors())")
    }
}
