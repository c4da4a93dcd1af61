import Exploration
import Foundation
import Simulation
import Testing

@Suite("What came of tests that are all simulated")
struct VerdictTests {
    private typealias Body = @concurrent @Sendable () async throws -> Void

    /// One run of each body, with seeds from one on.
    private func result(_ bodies: Body...) -> SweepResult {
        var result = SweepResult(program: "A/a", strategy: .portfolio)
        for (number, body) in bodies.enumerated() {
            result.add(Program(name: "A/a", summary: "", body: body).run(Recipe(seed: UInt64(number + 1))))
        }
        return result
    }

    private func verdict(_ result: SweepResult, problem: String? = nil, report: String = "") -> TestVerdict {
        TestVerdict(of: result, test: "A/a", problem: problem, report: report)
    }

    private struct Broken: Error {}

    private let breaks: Body = { throw Broken() }
    private let startsThread: Body = {
        Thread.detachNewThread {}
        await Task.yield()
    }

    @Test func `a search without failures passes`() {
        let verdict = verdict(result({}))
        #expect(verdict.kind == .passes)
        #expect(verdict.cause == nil)
    }

    @Test func `a run that leaves the simulation makes its test a refused one, with the call and its place`()
        throws
    {
        let verdict = verdict(result(startsThread))
        #expect(verdict.kind == .refused)
        #expect(verdict.cause?.contains("pthread_create") == true)
        #expect(verdict.cause?.contains("VerdictTests.swift:") == true)
        #expect(verdict.cause?.contains("use a Task") == false)
    }

    @Test func `a failure of the test's own comes before a refusal under another seed`() {
        let verdict = verdict(result(startsThread, breaks), report: "all of it")
        #expect(verdict.kind == .fails)
        #expect(verdict.cause == "Broken()")
        #expect(verdict.report == "all of it")
    }

    @Test func `a search that could not be made fails, with the reason`() {
        let verdict = verdict(result(), problem: "no process\nand more")
        #expect(verdict.kind == .fails)
        #expect(verdict.cause == "no process")
    }

    @Test func `a table has the most urgent outcome of a test's cases, and all their runs`() {
        var table = VerdictTable()
        table.add(TestVerdict(test: "A/b", kind: .passes, runs: 3))
        table.add(TestVerdict(test: "A/b", kind: .fails, runs: 4, cause: "1 is not 2"))
        table.add(TestVerdict(test: "A/b", kind: .passes, runs: 5))
        table.add(TestVerdict(test: "A/a", kind: .notAsynchronous))
        #expect(table.verdicts.map(\.test) == ["A/b", "A/a"])
        #expect(table.verdicts.first?.runs == 12)
        #expect(
            "\(table)" == """
                LensSim: 2 tests: 1 fails, 0 are refused, 0 depend on statics, 0 pass, 1 is not asynchronous
                  fails   A/b
                      1 is not 2
                """
        )
    }

    @Test func `a file knows the verdicts of several processes, and the tests that have begun and not ended`()
        throws
    {
        let path = FileManager.default.temporaryDirectory.appending(path: "verdicts-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        for name in ["A/a", "A/b"] {
            let file = VerdictFile(path: path)
            file.begin(name)
            file.end(TestVerdict(test: name, kind: .passes))
        }
        // Two cases of one test, of which one ends.
        VerdictFile(path: path).begin("A/c")
        VerdictFile(path: path).begin("A/c")
        VerdictFile(path: path).end(TestVerdict(test: "A/c", kind: .passes))
        let known = try VerdictFile(path: path).read()
        #expect(known.verdicts.verdicts.map(\.test) == ["A/a", "A/b", "A/c"])
        #expect(known.unfinished == ["A/c"])
    }
}
