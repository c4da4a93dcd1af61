import Foundation
import SessionRecording
import TestSupport
import Testing

@Suite("Recording the program flow", .timeLimit(.minutes(10)))
struct LiveRecordedFlowTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private struct Facts: Decodable {
        var page: String
        var verificationCode: String
    }

    private var recording: String { folder.file("signup.lenssession") }
    private static let password = "correct horse"

    /// Starts the program, and signs somebody up.
    private func signUp(
        _ options: [String] = []
    ) async throws -> (started: CommandLineRun.Started, facts: Facts) {
        let started = try CommandLineRun.start(
            ["--json", "--port", "0", "--folder", "kept", "--record", recording] + options,
            in: folder.path,
            program: CommandLineRun.package.appending(path: ".build/debug/flow")
        )
        try await started.waits(for: "}\n")
        let facts = try JSONDecoder().decode(Facts.self, from: Data(started.output().utf8))
        let page = try await PageVisit(facts.page, of: "flow")
        try await page.waits(for: "feature1", on: "flow")
        try await page.act("authentication", #"{"setEmail":{"_0":"ada@example.org"}}"#)
        try await page.enter("authentication", #"{"setPassword":{"_0":"\#(Self.password)"}}"#)
        try await page.act("authentication", #"{"setConsents":{"_0":{"terms":true,"privacy":true}}}"#)
        try await page.act("authentication", #"{"submit":{}}"#)
        try await page.waits(for: "feature2", on: "flow")
        try await page.enter("verification", #"{"setCode":{"_0":"\#(facts.verificationCode)"}}"#)
        try await page.act("verification", #"{"submit":{}}"#)
        try await page.waits(for: "feature3", on: "flow")
        await page.close()
        return (started, facts)
    }

    private func replay(_ options: String...) async throws -> CommandLineRun {
        try await .run(["replay", recording] + options, in: folder.path)
    }

    private func cutReplay(_ options: String...) async throws -> CutReplay {
        try await CutReplay(of: recording, options: options, in: folder.path)
    }

    @Test func `a recorded sign-up replays with the same screens, also in a folder of an earlier run`()
        async throws
    {
        // The second one keeps the last hour, which is all of it.
        for options in [[], ["--last=1h"]] {
            let (started, _) = try await signUp(options)
            started.process.interrupt()
            #expect(try await started.finish().status == 0, "\(started.errors())")
            let replayed = try await replay()
            #expect(replayed.status == 0, "\(replayed.output)\(replayed.errors)")
            #expect(replayed.output.contains("replayed flow, loopback"))
            let explored = try await CommandLineRun.run(
                ["explore", "--from", recording, "--seeds", "1...30"],
                in: folder.path
            )
            #expect(explored.status == 0, "\(explored.output)\(explored.errors)")
        }
        // The second run knows the device by what the first one kept.
        #expect(try SessionReader(path: recording).files().keys.contains("flow.sqlite"))
    }

    @Test func `a recorded sign-up is shown on the page of Flow, by flow and by lenssim`() async throws {
        let (started, _) = try await signUp()
        started.process.interrupt()
        #expect(try await started.finish().status == 0, "\(started.errors())")
        let shown = ShownRecording(path: recording, program: "flow", folder: folder.path)
        let recorded = try SessionReader(path: recording).screens()
        let last = try #require(recorded.last { $0.screen == "flow" && $0.kind == .state }).json
        for state in try await shown.lastStates(of: "flow") { #expect(state.contains(last), "\(state)") }
        // The page of another app does not have its screens.
        let other = try await CommandLineRun.start(
            ["--replay", recording],
            in: folder.path,
            program: CommandLineRun.package.appending(path: ".build/debug/nova")
        ).finish()
        #expect(other.status == 65 && other.errors.contains("of Nova"), "\(other.errors)")
    }

    @Test func `neither password, code nor token is in the file, and the screens are`() async throws {
        let (started, facts) = try await signUp()
        started.process.interrupt()
        #expect(try await started.finish().status == 0, "\(started.errors())")
        let bytes = try Data(contentsOf: URL(filePath: recording))
        let token = try #require(facts.page.split(separator: "token=").last)
        for secret in [Self.password, facts.verificationCode, String(token)] {
            #expect(bytes.range(of: Data(secret.utf8)) == nil)
        }
        let screens = try SessionReader(path: recording).screens()
        #expect(screens.contains { $0.screen == "flow" && $0.json.contains("feature3") })
        #expect(screens.contains { $0.kind == .action && $0.json == #"{"setCode":{"_0":"••••••"}}"# })
    }

    @Test func `what a killed program has recorded is read, and replays as far as it goes`() async throws {
        let (started, _) = try await signUp()
        // It writes once a second.
        while try !SessionReader(path: recording).screens().contains(where: { $0.json.contains("feature3") })
        {
            try await Task.sleep(for: .milliseconds(50))
        }
        kill(started.process.processIdentifier, SIGKILL)
        _ = try await started.finish()
        #expect(try SessionReader(path: recording).outcome == nil)
        let replayed = try await replay()
        #expect(replayed.status == 0, "\(replayed.output)\(replayed.errors)")
        #expect(replayed.output.contains("where the recording was cut off"))

        let explored = try await CommandLineRun.run(
            ["explore", "--from", recording, "--seeds", "1...30"],
            in: folder.path
        )
        #expect(explored.status == 0, "\(explored.output)\(explored.errors)")

        let machines = try await cutReplay()
        let end = try #require(machines.cutOffAt)
        #expect(machines.same && machines.next == nil)
        #expect(replayed.output.contains(String(format: " until %.3f s, ", end)))
        // Nobody is there who does the next step.
        #expect(try await cutReplay("--continue", "5s").next?.isEmpty == true)
        let further = try await replay("--continue", "5s")
        #expect(further.status == 0)
        #expect(further.output.contains(String(format: "and then nothing until %.3f s", end + 5)))
    }

    @Test func `a recording that was not cut off is not continued`() async throws {
        let (started, _) = try await signUp()
        started.process.interrupt()
        #expect(try await started.finish().status == 0, "\(started.errors())")
        let run = try await replay("--continue", "5s")
        #expect(run.status == 64)
        #expect(run.errors.contains("was cut off, and \(recording) is none"), "\(run.errors)")
    }
}
