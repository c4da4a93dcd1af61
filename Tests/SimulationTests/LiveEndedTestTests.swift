import Exploration
import Foundation
import Probes
import Simulation
import SimulationTesting
import Synchronization
import Testing

/// Tests that end their process; they are run by the tests below, in processes of their own.
@Suite(
    .enabled(if: ProcessInfo.processInfo.environment["LENSSIM_TEST_ENDINGS"] != nil),
    .simulated(seeds: 1...6)
)
struct EndedTests {
    private func atSeedFour(_ end: () -> Void) async throws {
        try await Task.sleep(for: .milliseconds(20))
        if Simulation.current?.seed == 4 { end() }
    }

    @Test func traps() async throws { try await atSeedFour { preconditionFailure("broken") } }

    @Test func leaves() async throws { try await atSeedFour { exit(3) } }

    @Test func `leaves quietly`() async throws { try await atSeedFour { exit(0) } }

    @Test func `expects and traps`() async throws {
        try await atSeedFour {
            print("about to break")
            #expect(Bool(false), "an invariant")
            preconditionFailure("broken")
        }
    }

    @Test func hangs() async throws { try await atSeedFour { wait() } }

    @Test func `fills all memory`() async throws { try await atSeedFour { fill() } }

    @Test func `passes among others`() async throws { try await atSeedFour {} }

    @Test func `traps in most runs`() async throws {
        for _ in 0..<Int.random(in: 0..<20) { await Task.yield() }
        if Int.random(in: 0..<4) > 0 { preconditionFailure("broken") }
    }

    @Test func `fails now and then`() async throws {
        let first = Shared(0)
        await withTaskGroup { group in
            for number in 1...4 {
                group.addTask { first.withLock { if $0 == 0 { $0 = number } } }
            }
        }
        #expect(first.withLock { $0 } != 3)
    }

    @Test func `comes somewhere now and then`() async throws { comesAround(true) }

    @Test func `comes nowhere`() async throws { comesAround(false) }

    private func comesAround(_ comes: Bool) {
        sometimes("the cache is full", false)
        sometimes("the queue is long", comes)
    }

    @Test(arguments: [7]) func takes(number: Int) async throws {
        try await atSeedFour { preconditionFailure("broken") }
    }

    @Test func `doesn't [always] end well (at all?)`() async throws {
        try await atSeedFour { preconditionFailure("broken") }
    }

    @Test(.replaying("seed=1 faults=nosuch:3")) func `has a recipe that does not fit`() async throws {}

    @Test(.replaying("seed=1 faults=nosuch:3")) func `is kept, and not mended`() async throws {
        #expect(Simulation.current?.configuration.faults != .drawn || Simulation.current?.seed != 4)
    }

    @Test func `fails two times`() async throws {
        let path = ProcessInfo.processInfo.environment["LENSSIM_TEST_COUNT"] ?? ""
        guard !path.isEmpty, Simulation.current?.seed == 3 else { return }
        let count = (try? Data(contentsOf: URL(filePath: path)).count) ?? 0
        try Data(repeating: 0, count: count + 1).write(to: URL(filePath: path))
        #expect(count >= 2, "once more")
    }

    @Test func `has a known issue`() async throws {
        withKnownIssue(isIntermittent: true) {
            let number = Int.random(in: 0..<1_000_000)
            #expect(number < 0)
        }
    }
}

@inline(never) private func wait() {
    let never = Atomic(false)
    // Nobody sets it.
    while !never.load(ordering: .relaxed) {}
}

@inline(never) private func fill() {
    var all: [[UInt8]] = []
    while true { all.append([UInt8](repeating: 1, count: 1 << 20)) }
}

/// What a simulated test that ends its process leaves on standard error.
@Suite("Tests that end their process", .timeLimit(.minutes(10)))
struct LiveEndedTestTests {
    /// Runs tests of this program in a process of their own; gives its status and what it writes to standard error,
    /// and to standard output where that is wanted.
    private func run(
        _ filter: String,
        _ variables: [String: String] = [:],
        output: Bool = false
    ) async throws -> (status: Int32, text: String) {
        let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().path
        return try await run(
            [program, "--testing-library", "swift-testing", "--filter", filter],
            variables,
            output: output
        )
    }

    private func run(
        _ command: [String],
        _ variables: [String: String],
        output: Bool = false
    ) async throws -> (status: Int32, text: String) {
        // A thread of its own waits: the threads of tasks are few, and other tests keep real time on them.
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try Self.wait(for: command, variables, output: output) })
            }
        }
    }

    private static func wait(
        for command: [String],
        _ variables: [String: String],
        output: Bool
    ) throws -> (status: Int32, text: String) {
        // The process ends with the thread that started it, which waits for it.
        let setpriv = "/usr/bin/setpriv"
        let words =
            (FileManager.default.isExecutableFile(atPath: setpriv) ? [setpriv, "--pdeathsig", "KILL"] : [])
            + command
        let process = Process()
        process.executableURL = URL(filePath: words[0])
        process.arguments = Array(words.dropFirst())
        let own = [
            "LENSSIM_TEST_ENDINGS": "1", "SWIFT_BACKTRACE": "enable=no", "LENSSIM_STEP_TIMEOUT": "0.5",
        ]
        process.environment = ProcessInfo.processInfo.environment.merging(own.merging(variables) { $1 }) {
            $1
        }
        let pipe = Pipe()
        process.standardError = pipe
        if output { process.standardOutput = pipe } else { process.standardOutput = FileHandle.nullDevice }
        try process.run()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }

    @Test func `a search of half a second runs more seeds than the test has, and reports how many`()
        async throws
    {
        let result = try await run("EndedTests.*passes among others", ["LENSSIM_FOR": "0.5s"])
        #expect(result.status == 0)
        let report = try #require(
            result.text.firstMatch(
                of: /LensSim: .*passes among others`?: (\d+) seeds in (\d+\.\d) s, no failure\n/
            ),
            "\(result.text)"
        )
        #expect(try #require(Int(report.1)) > 6)
        #expect(try #require(Double(report.2)) >= 0.5)
    }

    @Test func `a run that takes too much memory is one failed test, which says how much, and where`()
        async throws
    {
        let variables = ["LENSSIM_MEMORY": "1000", "LENSSIM_SHRINK": "0", "LENSSIM_STEP_TIMEOUT": "100"]
        let result = try await run(
            "EndedTests.*(fills all memory|passes among others)",
            variables,
            output: true
        )
        #expect(result.status == 1)
        #expect(result.text.contains("(seed 4 · virtual 0.0"), "\(result.text)")
        #expect(result.text.contains(" of the 1000 MiB of memory that a run may have"), "\(result.text)")
        #expect(result.text.contains("fill() at LiveEndedTestTests.swift:"), "\(result.text)")
        #expect(result.text.contains("Test \"passes among others\" passed"), "\(result.text)")
    }

    @Test func `of many runs that crash one is reported, at the place in the program`() async throws {
        let variables = ["LENSSIM_JOBS": "4", "LENSSIM_SEEDS": "1...100000"]
        let result = try await run("EndedTests.*traps in most runs", variables, output: true)
        #expect(result.status == 1)
        #expect(result.text.components(separatedBy: "the process crashed: ").count == 2, "\(result.text)")
        #expect(result.text.contains(" at LiveEndedTestTests.swift:"), "\(result.text)")
    }

    @Test func `with a process for each seed a crash is a failure, and is made smaller`() async throws {
        let result = try await run("EndedTests/traps\\(", ["LENSSIM_ISOLATE": "1"], output: true)
        #expect(result.status == 1)
        #expect(result.text.contains("(seed 4 · virtual 0.0200"), "\(result.text)")
        #expect(result.text.contains("  keep: @Test(.replaying(\"seed=4"), "\(result.text)")
        #expect(result.text.contains("  report: .lenssim/failures/"), "\(result.text)")
    }

    @Test func `a search that goes on writes what each part has found, which merges to the whole`()
        async throws
    {
        let folder = URL.temporaryDirectory.appending(path: "lenssim-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        func result(_ variables: [String: String]) async throws -> SweepResult {
            let path = folder.appending(
                path: variables["LENSSIM_SHARD"]?.replacing("/", with: "-") ?? "whole"
            )
            let own = ["LENSSIM_RESULTS": path.path, "LENSSIM_KEEP_GOING": "1", "LENSSIM_SEEDS": "1...40"]
            #expect(
                try await run("EndedTests.*fails now and then", own.merging(variables) { $1 }).status == 1
            )
            let files = try FileManager.default.contentsOfDirectory(atPath: path.path)
            try #require(files.count == 1)
            let data = try Data(contentsOf: path.appending(path: files[0]))
            return try JSONDecoder().decode(SweepResult.self, from: data)
        }
        let whole = try await result([:])
        #expect(whole.runs == 40)
        #expect(whole.failures.count == 1)
        #expect(whole.failures.values.first?.count ?? 0 > 3)
        var merged = try await result(["LENSSIM_SHARD": "1/3", "LENSSIM_JOBS": "1"])
        for part in ["3/3", "2/3"] { try merged.merge(await result(["LENSSIM_SHARD": part])) }
        #expect(try merged.encoded() == whole.encoded())
    }

    @Test func `what no test of a suite reaches is a warning, once`() async throws {
        let result = try await run("EndedTests.*comes", output: true)
        #expect(result.status == 0)
        let warnings = result.text.split(separator: "\n").filter { $0.contains("never reached in ") }
        try #require(warnings.count == 1, "\(result.text)")
        #expect(warnings[0].contains("12 runs: sometimes “the cache is full” at "))
        let alone = try await run("EndedTests.*comes nowhere", output: true)
        #expect(alone.text.contains("sometimes “the queue is long”"))
    }

    @Test(arguments: ["takes", "doesn't.*end well"])
    func `the line that reproduces a run selects its test, whatever its name`(_ filter: String) async throws {
        let (status, colored) = try await run("SimulationTests.EndedTests/.*\(filter)", output: true)
        let text = colored.replacing(/\u{1b}\[[0-9;]*m/, with: "")
        #expect(status != 0)
        let line = try #require(text.split(separator: "\n").first { $0.contains("reproduce: ") })
        let command = try String(#require(line.split(separator: "reproduce: ").last))
        let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().path
        let own = command.replacing("swift test ", with: "'\(program)' --testing-library swift-testing ")
        let again = try await run(["/bin/sh", "-c", own], [:])
        #expect(again.status != 0, "\(again.text)")
        #expect(again.text.contains("the process crashed: "), "\(own): \(again.text)")
        #expect(again.text.contains("(seed 4 · "), "\(again.text)")
    }

    @Test(arguments: [[:], ["LENSSIM_CHECK_DETERMINISM": "1"]])
    func `where the recipe of a test does not fit the usual seeds run, and one of the environment fails`(
        _ variables: [String: String]
    ) async throws {
        let kept = try await run("EndedTests/.*has a recipe that does not fit", variables, output: true)
        #expect(kept.status == 0, "\(kept.text)")
        #expect(kept.text.contains("does not fit the program any more, as after a repair"), "\(kept.text)")
        #expect(kept.text.contains("the fault nosuch #3 did not happen"), "\(kept.text)")
        let broken = try await run("EndedTests/.*is kept, and not mended", variables, output: true)
        #expect(broken.status != 0)
        #expect(broken.text.contains("seed 4 · "), "\(broken.text)")
        let named = ["LENSSIM_RECIPE": "seed=1 faults=nosuch:3"].merging(variables) { $1 }
        #expect(try await run("EndedTests/.*passes among others", named).status != 0)
        #expect(try await run("EndedTests/.*passes among others", variables).status == 0)
    }

    @Test func `a failure that does not happen again is reported with its expectation, at its test`()
        async throws
    {
        let path = URL.temporaryDirectory.appending(path: "lenssim-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let result = try await run("EndedTests/.*fails two times", ["LENSSIM_TEST_COUNT": path], output: true)
        #expect(result.status == 1, "\(result.text)")
        for part in [
            "failed, and did not when it was run again", "LENSSIM_CHECK_DETERMINISM=1", "(count → 0) >= 2",
            "once more",
            "issue at LiveEndedTestTests.swift:",
        ] {
            #expect(result.text.contains(part), "\(part): \(result.text)")
        }
        #expect(result.text.contains("recorded an issue at LiveEndedTestTests.swift:"), "\(result.text)")
    }

    @Test func `a known issue of many seeds is one line`() async throws {
        let result = try await run("EndedTests/.*has a known issue", output: true)
        #expect(result.status == 0, "\(result.text)")
        #expect(result.text.components(separatedBy: "recorded a known issue").count == 2, "\(result.text)")
    }

    @Test(arguments: [
        (name: "traps", ending: "the process crashed: "), ("leaves", "ended its process, with the code 3"),
        ("hangs", "one step has not ended for "),
    ])
    func `each end of a process is one failed test, with seed, place and the line that reproduces it`(
        _ name: String,
        _ ending: String
    ) async throws {
        let filter = "SimulationTests.EndedTests/`?(\(name)|passes)"
        let (status, colored) = try await run(filter, output: true)
        let text = colored.replacing(/\u{1b}\[[0-9;]*m/, with: "")
        #expect(status == 1)
        #expect(text.contains(ending), "\(text)")
        #expect(text.contains("(seed 4 · virtual 0.0200"), "\(text)")
        #expect(text.contains(") in task 1 “body” on node test"), "\(text)")
        #expect(text.contains(" at LiveEndedTestTests.swift:"), "\(text)")
        #expect(text.contains("swift test --filter 'SimulationTests.EndedTests/\(name)'\n"), "\(text)")
        // Others run all the same.
        #expect(text.contains("passes among others\" passed"), "\(text)")
        let again = try await run(
            "SimulationTests.EndedTests/\(name)",
            ["LENSSIM_RECIPE": "seed=4 strategy=portfolio"],
            output: true
        )
        #expect(again.status == 1)
        #expect(again.text.contains("(seed 4 · virtual 0.0200"), "\(again.text)")
    }

    @Test func `a test that leaves with the code 0 has failed`() async throws {
        let result = try await run("EndedTests/.*leaves quietly", output: true)
        #expect(result.status == 1)
        #expect(result.text.contains("ended its process, with the code 0"), "\(result.text)")
    }

    @Test func `what had failed and was printed before a crash is reported with it`() async throws {
        let result = try await run("EndedTests/.*expects and traps", output: true)
        #expect(result.status == 1)
        #expect(result.text.contains("an invariant"), "\(result.text)")
        #expect(result.text.contains("the process crashed: "), "\(result.text)")
        #expect(result.text.contains("about to break"), "\(result.text)")
    }

    @Test func `another recipe passes, and a variable that is not understood fails the test`() async throws {
        let other = try await run("SimulationTests.EndedTests/traps", ["LENSSIM_RECIPE": "seed=5"])
        #expect(other.status == 0)
        #expect(!other.text.contains("LensSim"))
        let wrong = try await run("SimulationTests.EndedTests/passes", ["LENSSIM_STRATEGY": "best"])
        #expect(wrong.status != 0)
    }
}
