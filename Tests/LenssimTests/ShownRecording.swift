import Foundation
import Testing

/// A recording on the page of its app, as the app's program and `lenssim` show it.
struct ShownRecording {
    /// The recording.
    var path: String
    /// The program of the app.
    var program: String
    /// Where everything runs.
    var folder: String

    private struct Facts: Decodable {
        var page: String
        var recording: String
    }

    /// What a screen shows at the end of the recording: once by each of the two.
    func lastStates(of screen: String) async throws -> [String] {
        var states: [String] = []
        for (words, name) in [
            (["--json", "--port", "0", "--replay", path], program),
            (["replay", path, "--open", "--json"], "lenssim"),
        ] {
            let started = try CommandLineRun.start(
                words,
                in: folder,
                // No browser is found there.
                environment: ["PATH": folder],
                program: CommandLineRun.package.appending(path: ".build/debug/\(name)")
            )
            try await started.waits(for: #""recording":""#)
            try await started.waits(for: "}\n")
            let line = try #require(started.output().split(separator: "\n").last { $0.contains("\"page\"") })
            let facts = try JSONDecoder().decode(Facts.self, from: Data(line.utf8))
            #expect(facts.recording == URL(filePath: path).lastPathComponent)
            let page = try await PageVisit(facts.page, of: program)
            try await page.waits(for: "\"events\":", on: "recording")
            try await page.act("recording", #"{"step":{"_0":1000000}}"#)
            states.append(try #require(page.state(of: screen)))
            try await page.act("recording", #"{"lanes":{}}"#)
            #expect(page.state(of: "lanes")?.contains("\"http\"") == true)
            await page.close()
            started.process.interrupt()
            #expect(try await started.finish().status == 0, "\(started.errors())")
        }
        return states
    }
}
