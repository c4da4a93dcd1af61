import Foundation
import SessionRecording
import TestSupport
import Testing

/// A demonstration that is killed.
enum KilledDemo {
    /// Records one, and kills it when it has written some of what happens.
    static func record(_ recording: String, in folder: String) async throws {
        let started = try CommandLineRun.start(
            ["demo", "--seconds", "60", "--state", folder + "/killed", "--session", recording],
            in: folder
        )
        while started.process.isRunning, (try? SessionReader(path: recording).messages(of: 0).isEmpty) ?? true
        {
            try await Task.sleep(for: .milliseconds(50))
        }
        try #require(started.process.isRunning, "\(started.errors())")
        kill(started.process.processIdentifier, SIGKILL)
        _ = try await started.finish()
    }
}

@Suite("A demonstration that was killed", .timeLimit(.minutes(5)))
struct KilledDemoTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test
    func `its recording is replayed up to where it ends, and what the program does next is shown on request`()
        async throws
    {
        let recording = folder.file("killed.lenssession")
        try await KilledDemo.record(recording, in: folder.path)
        let silent = try await CutReplay(of: recording, in: folder.path)
        #expect(silent.same && silent.cutOffAt != nil && silent.next == nil)

        let asked = try await CutReplay(of: recording, options: ["--continue", "30s"], in: folder.path)
        let (end, next) = try (#require(asked.cutOffAt), #require(asked.next))
        #expect(asked.same && end == silent.cutOffAt)
        // It streams a minute's pictures, and nobody answers.
        #expect(!next.isEmpty && next.allSatisfy { $0.at >= end }, "\(next)")
        let shown = try await CommandLineRun.run(["replay", recording, "--continue", "30s"], in: folder.path)
        #expect(shown.status == 0)
        #expect(shown.output.contains("and then, without an answer to anything:"))
        #expect(next.allSatisfy { shown.output.contains("\($0.place): \($0.does)") })
    }

    @Test(
        "what a full disk has room for is replayed, and the program says what became of the rest",
        arguments: [200, 500, 900]
    )
    func full(kilobytes: Int) async throws {
        // As where the disk is full, writes fail: the signal that would end the program is ignored.
        let script = "trap '' XFSZ; ulimit -f \(kilobytes); exec \"$0\" \"$@\""
        let run = try await CommandLineRun.run(
            ["demo", "--seconds", "6", "--session", "full.lenssession"],
            in: folder.path,
            launcher: ["/bin/bash", "-c", script]
        )
        #expect(run.status == 74)
        #expect(run.errors.contains("the recording full.lenssession cannot be written: "), "\(run.errors)")
        let replayed = try await CutReplay(of: "full.lenssession", in: folder.path)
        #expect(replayed.same && replayed.cutOffAt != nil)
        #expect(kilobytes == 200 || replayed.cutOffAt ?? 0 > 1)
    }
}
