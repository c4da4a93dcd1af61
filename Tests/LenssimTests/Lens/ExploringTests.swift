import Foundation
import TestSupport
import Testing

@Suite("Exploring from the command line", .timeLimit(.minutes(10)))
struct ExploringTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func lenssim(_ arguments: String...) async throws -> CommandLineRun {
        try await CommandLineRun.run(arguments, in: folder.path)
    }

    private func json(_ run: CommandLineRun) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    }

    private func contents(_ name: String) throws -> Data {
        try Data(contentsOf: URL(filePath: folder.path).appending(path: name))
    }

    @Test func `a failure is found, shrunk, repeated from its line, and shown`() async throws {
        let found = try await lenssim("explore", "double-refresh", "--seeds", "1...1000")
        #expect(found.status == 1)
        #expect(found.output.contains("decisions 1 of"))
        let line = try #require(found.output.split(separator: "\n").first { $0.contains("reproduce") })
        let recipe = try #require(line.split(separator: "'").dropFirst().first.map(String.init))
        #expect(recipe.contains("strategy=runUntilBlocked ") && recipe.contains(" preemptions="))

        let again = try await lenssim("run", "double-refresh", "--recipe", recipe)
        #expect(again.status == 1)
        // The one preemption is where the two programs differ.
        let fixed = try await lenssim("run", "double-refresh-fixed", "--recipe", recipe)
        #expect(!fixed.output.contains("the refresh token was used twice"), "\(fixed.output)")

        let failures = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/.lenssim/failures")
        let file = ".lenssim/failures/" + (try #require(failures.first))
        let shown = try await lenssim("report", file, "--html", "bug.html", "--perfetto", "bug.json")
        #expect(shown.status == 0)
        let page = String(decoding: try contents("bug.html"), as: UTF8.self)
        #expect(page.contains("double-refresh"))
        #expect(page.contains("DoubleRefresh.swift"))
        _ = try JSONSerialization.jsonObject(with: try contents("bug.json"))

        let test = try await lenssim("shrink", file, "--test-case")
        #expect(test.output.contains(".replaying(\"seed="))
        let same = try await lenssim("diff", file, file)
        #expect(same.status == 0)
    }

    @Test func `a recipe that does not fit the program is no success`() async throws {
        let recipe = "seed=1 faults=nosuch:3 cancel=99:1 preemptions=77.2:78"
        let run = try await lenssim("run", "lost-update", "--recipe", recipe)
        #expect(run.status == 1)
        #expect(run.output.contains("the recipe does not fit the program"), "\(run.output)")
        #expect(!run.output.contains("passes"), "\(run.output)")
        for part in ["the fault nosuch #3 did not happen", "the preemption 77.2:78", "task 99 did not run"] {
            #expect(run.output.contains(part), "\(run.output)")
        }
        let machine = try await lenssim("run", "lost-update", "--recipe", recipe, "--json")
        #expect(machine.status == 1)
        #expect(try (json(machine)["mismatches"] as? [String])?.count == 3)
        let fitting = try await lenssim("run", "lost-update-fixed", "--recipe", "seed=1", "--json")
        #expect(fitting.status == 0)
        #expect(try (json(fitting)["mismatches"] as? [String]) == [])
    }

    @Test func `any program is checked for determinism from a recipe`() async throws {
        let recipe = "seed=3 strategy=portfolio"
        let run = try await lenssim("run", "lost-update-fixed", "--recipe", recipe, "--check-determinism")
        #expect(run.status == 0)
        #expect(run.output.contains("each run twice with the same steps"), "\(run.output)")
    }

    @Test func `what ends its process is shrunk, written, shown and shrunk again`() async throws {
        let found = try await lenssim("explore", "stale-index", "--isolate", "--seeds", "1...200")
        #expect(found.status == 1)
        #expect(found.output.contains("the process crashed: "), "\(found.output)")
        #expect(
            found.output.contains("(seed ") && found.output.contains("at StaleIndex.swift:"),
            "\(found.output)"
        )
        #expect(found.output.contains("  shrunk           decisions "), "\(found.output)")
        let failures = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/.lenssim/failures")
        let file = ".lenssim/failures/" + (try #require(failures.first))
        let page = try await lenssim("report", file, "--html", "bug.html")
        #expect(page.status == 0, "\(page.errors)")
        #expect(String(decoding: try contents("bug.html"), as: UTF8.self).contains("StaleIndex.swift"))
        let again = try await lenssim("shrink", file)
        #expect(again.status == 0, "\(again.errors)")
        #expect(again.output.contains("the process crashed: "), "\(again.output)")
    }

    @Test func `shrinking again does not put a larger case in place of a smaller one`() async throws {
        _ = try await lenssim("explore", "double-refresh", "--failures", "found")
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: folder.path + "/found").first
        )
        func shrunk() throws -> String? {
            let object = try JSONSerialization.jsonObject(with: contents("found/\(name)")) as? [String: Any]
            let shrunk = object?["shrunk"] as? [String: Any]
            return (shrunk?["after"]).map { "\($0)" }
        }
        let small = try #require(try shrunk())
        // No time for anything but the first run, which is not small.
        #expect(try await lenssim("shrink", "found/\(name)", "--time", "0.001").status == 0)
        #expect(try shrunk() == small)
    }

    @Test func `a systematic search writes one failure of each kind`() async throws {
        let found = try await lenssim("explore", "unreleased-slot", "--cancellations", "--json")
        let result = try json(found)
        let files = try #require(result["files"] as? [String])
        #expect(!files.isEmpty && Set(files).count == files.count)
        for file in files { #expect(try contents(file).count > 100) }
    }

    @Test func `parts of a sweep join to the same bytes as the whole`() async throws {
        let sweep = ["explore", "lost-update", "--seeds", "1...400", "--keep-going", "--no-shrink", "--json"]
        func part(_ more: String...) async throws {
            #expect(try await CommandLineRun.run(sweep + more, in: folder.path).status == 1)
        }
        try await part("--out", "whole.json")
        for number in 1...3 { try await part("--shard", "\(number)/3", "--out", "part\(number).json") }
        let merged = try await lenssim(
            "merge",
            "part3.json",
            "part1.json",
            "part2.json",
            "--out",
            "joined.json"
        )
        #expect(merged.status == 1)
        #expect(try contents("joined.json") == contents("whole.json"))
    }

    @Test func `each seed in a process of its own finds the same`() async throws {
        let sweep = [
            "explore", "lost-update", "--seeds", "1...60", "--keep-going", "--no-shrink", "--json", "--out",
        ]
        let plain = try await CommandLineRun.run(sweep + ["plain.json"], in: folder.path)
        let isolated = try await CommandLineRun.run(sweep + ["isolated.json", "--isolate"], in: folder.path)
        #expect(plain.status == 1 && isolated.status == 1)
        #expect(try contents("plain.json") == contents("isolated.json"))
    }

    @Test func `a seed that ends its process is a failure with its signal, and the sweep goes on`()
        async throws
    {
        let sweep = ["explore", "--seeds", "1...40", "--isolate", "--keep-going", "--no-shrink"]
        let found = try await CommandLineRun.run(sweep + ["stale-index"], in: folder.path)
        #expect(found.status == 1)
        #expect(found.output.contains("the process crashed: "), "\(found.output)")
        #expect(found.output.contains("40 runs"), "\(found.output)")
        #expect(try await CommandLineRun.run(sweep + ["stale-index-fixed"], in: folder.path).status == 0)
    }

    @Test func `branches find what plain seeds do not, and their line leads there without them`() async throws
    {
        let sweep = ["explore", "rare-pair", "--seeds", "20...200", "--strategy", "random", "--no-shrink"]
        #expect(try await CommandLineRun.run(sweep, in: folder.path).status == 0)
        let found = try await CommandLineRun.run(sweep + ["--branch", "8"], in: folder.path)
        #expect(found.status == 1)
        let line = try #require(found.output.split(separator: "\n").first { $0.contains("reproduce") })
        let recipe = try #require(line.split(separator: "'").dropFirst().first.map(String.init))
        #expect(recipe.contains("branches="))
        #expect(try await lenssim("run", "rare-pair", "--recipe", recipe).status == 1)
    }

    @Test func `a small space is searched to its end`() async throws {
        let found = try await lenssim("explore", "half-transfer", "--exhaustive")
        #expect(found.status == 1)
        let fixed = try await lenssim("explore", "half-transfer-fixed", "--exhaustive")
        #expect(fixed.status == 0)
        #expect(fixed.output.contains("every interleaving was tried"), "\(fixed.output)")
    }

    @Test func `every cancellation of one seed is tried`() async throws {
        #expect(try await lenssim("explore", "unreleased-slot", "--cancellations").status == 1)
        #expect(try await lenssim("explore", "unreleased-slot-fixed", "--cancellations").status == 0)
    }

    /// A row of `lenssim scenarios --json`.
    private struct Listed: Decodable { var name: String }

    @Test func `all scenarios together count where each fault point of the services bit`() async throws {
        let plan = URL(filePath: folder.path).appending(path: "plan.yaml")
        try "version: 1\npeers: [{point: http.502, atMost: 1}]\n".write(
            to: plan,
            atomically: true,
            encoding: .utf8
        )
        let run = try await lenssim("explore", "--all", "--seeds", "1...1", "--plan", "plan.yaml")
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        let lines = run.output.split(separator: "\n")
        let listed = Data(try await lenssim("scenarios", "--json").output.utf8)
        let names = try JSONDecoder().decode([Listed].self, from: listed).map(\.name)
        #expect(names.contains("lens-far-camera"))
        for name in names {
            #expect(lines.count { $0.contains(" \(name), portfolio: 1 runs") } == 1, "\(name)\n\(run.output)")
        }
        #expect(lines.count { $0.contains("portfolio: 1 runs") } == names.count)
        #expect(lines.contains { $0.contains("http.502 ") && !$0.contains("bit in 0 runs") })
        // One seed of a swarm does not reach them all.
        let swarm = try await lenssim("explore", "--all", "--seeds", "1...1", "--plan", "swarm")
        #expect(swarm.status == 1)
        #expect(swarm.output.contains("never bit: fault point"), "\(swarm.output)")
        #expect(try await lenssim("explore", "--all", "lens-upload").status == 64)
    }

    @Test func `a plan of faults is read, applied, and refused when it has unknown keys`() async throws {
        let plan = URL(filePath: folder.path).appending(path: "plan.yaml")
        try "version: 1\nlinks: [{from: \"*\", to: \"*\", loss: 0.2}]\n".write(
            to: plan,
            atomically: true,
            encoding: .utf8
        )
        let run = try await lenssim("explore", "lens-upload", "--seeds", "1...3", "--plan", "plan.yaml")
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        try "version: 1\nlinks: [{from: a, to: b, los: 0.2}]\n".write(
            to: plan,
            atomically: true,
            encoding: .utf8
        )
        let refused = try await lenssim("explore", "lens-upload", "--plan", "plan.yaml")
        #expect(refused.status == 64)
        #expect(refused.errors.contains("unknown key “los”"))
        try "version: 1\nlinks: [{from: nobody, to: \"*\", loss: 0.2}]\n".write(
            to: plan,
            atomically: true,
            encoding: .utf8
        )
        // It does not fit the program, which therefore has not failed.
        for more in [[], ["--isolate"]] {
            let misfit = try await CommandLineRun.run(
                ["explore", "lens-upload", "--plan", "plan.yaml", "--seeds", "1...3"] + more,
                in: folder.path
            )
            #expect(misfit.status == 65, "\(misfit.output)\(misfit.errors)")
            #expect(misfit.errors.contains("the host “nobody”, which does not exist"), "\(misfit.errors)")
            #expect(!misfit.output.contains("shrunk"))
        }
    }

    @Test(arguments: [
        ("sleeps", "sleepsPerSecond"), ("steps", "stepsPerSecond"), ("simulations", "simulationsPerSecond"),
    ])
    func `the engine's speed is printed for machines`(_ what: String, _ figure: String) async throws {
        let result = try json(await lenssim("bench", what, "--rounds", "1", "--tasks", "20", "--json"))
        #expect(result[figure] as? Double ?? 0 > 0)
    }

    @Test func `the zoo says which of its bounds is exceeded, and fails`() async throws {
        // From one seed alone most bugs are not found.
        let run = try await lenssim(
            "zoo",
            "--stretches",
            "1",
            "--limit",
            "1",
            "--fixed-runs",
            "1",
            "--markdown"
        )
        #expect(run.status == 1)
        #expect(run.errors.contains("bound exceeded: crossed-locks: no strategy finds it within 1 seeds"))
        #expect(!run.errors.contains("reentrant-cache"))
        #expect(run.output.hasPrefix("# The bug zoo"))
    }

    @Test func `programs are the same twice, and say so`() async throws {
        let run = try await lenssim("determinism", "lost-update", "no-op", "--seeds", "1...50")
        #expect(run.status == 0)
        #expect(run.output.split(separator: "\n").count == 2)
    }

    @Test(arguments: [
        (["shrink", "nothing.json"], 66, "there is no file nothing.json"),
        (["report", "nothing.json", "--html", "a.html"], 66, "there is no file nothing.json"),
        (["report", "lost-update"], 64, "Say what to write"),
        (["report", "lost-update", "--html", "no/folder/a.html"], 74, "could not write"),
        (["merge", "nothing.json"], 66, "there is no file nothing.json"),
        (["explore", "nothing"], 64, "There is no scenario"),
        (["explore", "no-op", "--shard", "5/4"], 64, "5/4"),
        (["explore", "no-op", "--plan", "nothing.yaml"], 66, "there is no plan of faults nothing.yaml"),
        (["explore", "no-op", "--plan", "."], 74, "cannot be read: Is a directory"),
        (["run", "lost-update", "--recipe", "decisions=1:1"], 64, "recipe"),
    ])
    func `what cannot be done is said, with a code of its own`(
        _ arguments: [String],
        _ status: Int32,
        _ words: String
    )
        async throws
    {
        let run = try await CommandLineRun.run(arguments, in: folder.path)
        #expect(run.status == status, "\(run.output)\(run.errors)")
        #expect(run.errors.contains(words), "\(run.errors)")
    }

    @Test func `a damaged failure file is refused`() async throws {
        let file = URL(filePath: folder.path).appending(path: "bug.json")
        try "{\"version\": 2, \"program\": 7}".write(to: file, atomically: true, encoding: .utf8)
        #expect(try await lenssim("shrink", "bug.json").status == 65)
        try "{\"version\": 99}".write(to: file, atomically: true, encoding: .utf8)
        #expect(try await lenssim("report", "bug.json", "--html", "a.html").errors.contains("form 99"))
    }
}
