import Exploration
import Foundation
import Simulation
import Synchronization
import Testing

/// One test of each sort, none of which says anything of a simulation; they are run by the tests below, in processes of their own.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["LENSSIM_TEST_SORTS"] != nil))
struct SortedTests {
    private actor Account {
        private(set) var balance = 0

        func deposit(_ amount: Int) async {
            let before = balance
            await Task.yield()
            balance = before + amount
        }
    }

    private static let runs = Mutex(0)

    @Test func passes() async throws { try await Task.sleep(for: .seconds(3600)) }

    @Test(arguments: [1, 2]) func `loses a deposit`(amount: Int) async {
        print("the balance of a run")
        let account = Account()
        async let first: Void = account.deposit(amount)
        async let second: Void = account.deposit(amount)
        _ = await (first, second)
        #expect(await account.balance == 2 * amount)
    }

    @Test func `starts a thread`() async {
        Thread.detachNewThread {}
        await Task.yield()
    }

    @Test func `counts its runs`() async {
        let run = Self.runs.withLock { count in
            count += 1
            return count
        }
        await Task.yield()
        #expect(run == 1)
    }

    @Test func `is not asynchronous`() { #expect(Simulation.current == nil) }

    @Test func `is wrong as it is`() { #expect(Bool(false), "an invariant") }

    @Test func traps() async {
        await Task.yield()
        preconditionFailure("broken")
    }

    private final class Held: Sendable {
        let lock = NSLock()

        func take() { lock.lock() }
    }

    @Test func `holds a lock across an await`() async {
        let held = Held()
        held.take()
        await Task { held.take() }.value
    }

    @Test func `signals itself`() async {
        await Task.yield()
        kill(getpid(), SIGUSR1)
    }

    @Test func `starts a thread and signals itself`() async {
        Thread.detachNewThread {}
        await Task.yield()
        kill(getpid(), SIGTERM)
    }

    @Test func `starts a thread and hangs`() async {
        Thread.detachNewThread {}
        await hangs()
    }

    @Test func leaves() async {
        await Task.yield()
        exit(0)
    }

    @Test func hangs() async {
        await Task.yield()
        let never = Atomic(false)
        while !never.load(ordering: .relaxed) {}
    }
}

@Suite("All tests of a program simulated", .timeLimit(.minutes(10)))
struct LiveWholeProgramTests {
    private func run(_ variables: [String: String]) async throws -> (status: Int32, text: String) {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try Self.wait(variables) })
            }
        }
    }

    private static func wait(_ variables: [String: String]) throws -> (status: Int32, text: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["--testing-library", "swift-testing", "--filter", "SortedTests"]
        let own = [
            "LENSSIM_ALL": "1", "LENSSIM_TEST_SORTS": "1", "SWIFT_BACKTRACE": "enable=no",
            "LENSSIM_STEP_TIMEOUT": "0.5",
        ]
        process.environment = ProcessInfo.processInfo.environment.merging(own) { $1 }.merging(variables) {
            $1
        }
        let pipe = Pipe()
        process.standardError = pipe
        process.standardOutput = pipe
        try process.run()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }

    @Test func `each test comes to what it is, and none ends the others`() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "verdicts-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let result = try await run([VerdictFile.variable: path])
        let (table, unfinished) = try VerdictFile(path: path).read()
        #expect(unfinished.isEmpty)
        let verdicts = Dictionary(uniqueKeysWithValues: table.verdicts.map { ($0.test, $0) })
        func verdict(_ name: String) -> TestVerdict? { verdicts["SimulationTests.SortedTests/\(name)"] }
        #expect(verdicts.count == 13)
        #expect(verdict("passes")?.kind == .passes)
        // As many as fit into two seconds.
        #expect((1...100).contains(verdict("passes")?.runs ?? 0))
        let lost = try #require(verdict("`loses a deposit`"))
        #expect(lost.kind == .fails)
        #expect(lost.cause?.contains("await account.balance == 2 * amount") == true)
        #expect(lost.cause?.hasPrefix("LiveWholeProgramTests.swift:") == true)
        for name in [
            "`starts a thread`", "`starts a thread and signals itself`", "`starts a thread and hangs`",
        ] {
            let thread = try #require(verdict(name))
            #expect(thread.kind == .refused, "\(thread)")
            #expect(thread.cause?.contains("pthread_create") == true)
            #expect(thread.cause?.contains("LiveWholeProgramTests.swift:") == true)
        }
        #expect(verdict("`signals itself`")?.report.contains("LiveWholeProgramTests.swift:") == true)
        let counts = try #require(verdict("`counts its runs`"))
        #expect(counts.kind == .dependsOnStatics)
        #expect(counts.cause?.contains("runs") == true)
        #expect(verdict("`is not asynchronous`")?.kind == .notAsynchronous)
        let wrong = try #require(verdict("`is wrong as it is`"))
        #expect(wrong.kind == .fails)
        #expect(wrong.cause?.contains("an invariant") == true || wrong.report.contains("an invariant"))
        for name in ["traps", "`signals itself`", "leaves", "hangs", "`holds a lock across an await`"] {
            #expect(verdict(name)?.kind == .fails, "\(name): \(String(describing: verdict(name)))")
        }
        // Of the run that failed alone, in each of the two cases.
        #expect(result.text.matches(of: /the balance of a run/).count == 2)
        #expect(result.text.contains("LENSSIM_ALL=1 swift test --filter"))
        #expect(result.status == 1)
    }

    @Test func `a program ends with the table, and one that goes on has only the tests that are left`()
        async throws
    {
        let path = FileManager.default.temporaryDirectory.appending(path: "verdicts-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let suite = "SimulationTests.SortedTests"
        let result = try await run(["LENSSIM_SEEDS": "1...3"])
        #expect(
            result.text.contains(
                "LensSim: 13 tests: 7 fail, 3 are refused, 1 depends on statics, 1 passes, 1 is not asynchronous"
            ),
            "\(result.text)"
        )
        #expect(result.text.contains("\n  refused \(suite)/`starts a thread`\n      "))
        let file = VerdictFile(path: path)
        for name in [
            "traps", "`signals itself`", "leaves", "hangs", "`holds a lock across an await`",
            "`loses a deposit`", "`is wrong as it is`",
        ] {
            file.begin("\(suite)/\(name)")
        }
        let rest = try await run([VerdictFile.variable: path, "LENSSIM_SEEDS": "1...3"])
        #expect(rest.status == 0, "\(rest.text)")
        #expect(try file.read().verdicts.verdicts.count == 6)
    }
}
