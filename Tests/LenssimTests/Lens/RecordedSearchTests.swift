import Foundation
import SessionRecording
import TestSupport
import Testing

@Suite("A search that begins with a recording, from the command line", .timeLimit(.minutes(10)))
struct RecordedSearchTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func lenssim(_ arguments: String...) async throws -> CommandLineRun {
        try await lenssim(arguments)
    }

    private func lenssim(_ arguments: [String]) async throws -> CommandLineRun {
        try await CommandLineRun.run(arguments, in: folder.path)
    }

    @Test func `a demonstration passes in other orders, and its failure under faults repeats from its line`()
        async throws
    {
        _ = try await lenssim("demo", "--seconds", "2", "--session", "my demo.lenssession")
        let quiet = try await lenssim("explore", "--from", "my demo.lenssession", "--seeds", "1...50")
        #expect(quiet.status == 0, "\(quiet.output)\(quiet.errors)")

        // The demonstration ends with an error where the model is not reached.
        let search = ["explore", "--from", "my demo.lenssession", "--plan", "swarm", "--seeds", "1...300"]
        let found = try await CommandLineRun.run(search, in: folder.path)
        #expect(found.status == 1, "\(found.output)\(found.errors)")
        #expect(!found.output.contains("--test-case"), "no test can name a recording")
        let line = try #require(
            found.output.firstMatch(of: /lenssim run --from '(.+)' --recipe '(.+)'/)?.output
        )
        #expect(line.1 == "my demo.lenssession")
        let arguments = ["run", "--from", String(line.1), "--recipe", String(line.2)]
        let again = try await CommandLineRun.run(arguments + ["--check-determinism"], in: folder.path)
        #expect(again.status == 1)
        let problem = try #require(found.output.firstMatch(of: /✘ (could not .*?: )/)?.output.1)
        #expect(again.output.contains(problem), "\(again.output)")

        let file = try #require(found.output.firstMatch(of: /\.lenssim\/failures\/\S+\.json/)?.output)
        let report = try await lenssim("report", String(file), "--html", "bug.html")
        #expect(report.status == 0)
        let page = try String(contentsOfFile: folder.path + "/bug.html", encoding: .utf8)
        #expect(page.contains("lenssim run --from"))
        let shrunk = try await lenssim("shrink", String(file), "--from", "my demo.lenssession")
        #expect(shrunk.status == 0, "\(shrunk.errors)")
        #expect(shrunk.output.contains("lenssim run --from 'my demo.lenssession' --recipe"))
    }

    @Test func `a recording of a scenario is its scenario, its settings and its plan`() async throws {
        let recorded = try await lenssim(
            "run",
            "lens-streaming",
            "--seconds",
            "3",
            "--recipe",
            "seed=7 strategy=pct plan=swarm",
            "--record",
            "bug.lenssession"
        )
        #expect(recorded.status == 0, "\(recorded.output)\(recorded.errors)")
        let explored = try await lenssim("explore", "--from", "bug.lenssession", "--seeds", "7...9")
        #expect(explored.status == 0, "\(explored.output)\(explored.errors)")
        #expect(explored.output.contains("lens-streaming, pct: 3 runs"), "\(explored.output)")
        func hash(_ arguments: String...) async throws -> String {
            let run = try await lenssim(["run"] + arguments + ["--json"])
            let facts = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
            return try #require(facts?["hash"] as? String, "\(run.output)\(run.errors)")
        }
        let recipe = "seed=7 strategy=pct plan=swarm"
        let known = try await hash("lens-streaming", "--seconds", "3", "--recipe", recipe)
        #expect(try await hash("--from", "bug.lenssession") == known)
        #expect(try await hash("--from", "bug.lenssession", "--recipe", recipe) == known)
        #expect(try await hash("lens-streaming", "--seconds", "4", "--recipe", recipe) != known)
        #expect(try await hash("--from", "bug.lenssession", "--strategy", "random") != known)
        let cancelled = try await lenssim("explore", "--from", "bug.lenssession", "--cancellations")
        #expect(!cancelled.output.contains("seed 1:"), "\(cancelled.output)")
    }

    @Test func `what is no recording, or goes with none, is refused`() async throws {
        let path = folder.file("other.lenssession")
        let manifest = SessionManifest(
            scenario: "nobody",
            fidelity: .loopback,
            seed: 1,
            parameters: [:],
            startOfTime: 0,
            recordedBy: "0"
        )
        let writer = try SessionWriter(path: path, manifest: manifest)
        try writer.finish(SessionOutcome(steps: 0, nanoseconds: 0, hash: 0, failure: nil))
        try folder.write(Array("no recording".utf8), to: "letter.lenssession")
        let refused: [([String], Int32, String)] = [
            (["explore", "--from", path], 65, "knows no scenario “nobody”"),
            (["explore", "--from", "letter.lenssession"], 65, "is not a LensSim recording"),
            (["explore", "--from", "missing.lenssession"], 66, "there is no recording"),
            (["explore", "lens-upload", "--from", path], 64, "give it without a scenario"),
            (["explore", "--all", "--from", path], 64, "give it without --all"),
            (["explore", "--package", ".", "--from", path], 64, "give it without --package"),
            (["run", "--from", path], 65, "knows no scenario “nobody”"),
            (["run", "--from", path, "--record", "a"], 64, "give it without --record"),
            (["run", "--from", path, "--seconds", "5"], 64, "a recording has its own"),
            (["explore"], 64, "Name a scenario"),
        ]
        for (arguments, status, words) in refused {
            let run = try await CommandLineRun.run(arguments, in: folder.path)
            #expect(run.status == status, "\(arguments): \(run.errors)")
            #expect(run.errors.contains(words), "\(arguments): \(run.errors)")
        }
    }
}
