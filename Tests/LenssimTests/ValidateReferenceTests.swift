import Conformance
import Foundation
import TestSupport
import Testing

/// `lenssim validate --reference`, on settings in a file.
@Suite("What references do beside what is done here", .timeLimit(.minutes(10)))
struct ValidateReferenceTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func validate(_ more: String...) async throws -> CommandLineRun {
        try await CommandLineRun.run(
            ["validate", "preferences", "--file", "new.sqlite", "--name", "SQLite"] + more,
            in: folder.path
        )
    }

    private func result(_ name: String) throws -> SuiteResult {
        try SuiteResult(json: Data(contentsOf: URL(filePath: folder.file(name))))
    }

    /// Keeps the own result as that of a reference.
    private func keep(_ name: String, _ change: (inout SuiteResult) -> Void) throws {
        var reference = try result("own.json")
        reference.implementation = "real"
        change(&reference)
        try folder.write(Array(reference.json()), to: name)
    }

    @Test func `drift fails, known drift and unverified cases do not, and all of them end the report`()
        async throws
    {
        #expect(try await validate("--out", "own.json").status == 0)
        try keep("same.json") { _ in }
        let same = try await validate("--reference", "same.json")
        #expect(same.status == 0 && same.output.contains("\n\ndrift from real: "), "\(same.errors)")

        try keep("other.json") { reference in
            let index = reference.cases.firstIndex { $0.id == "read.empty" } ?? 0
            (reference.cases[index].result, reference.cases[index].reason) = (
                .failed, "it is <full>\u{1b}[31m"
            )
            reference.cases.removeAll { $0.id == "read.absent" }
            reference.cases.append(.init(id: "keep.old", requirement: "it holds", result: .passed))
        }
        let drift = try await validate("--reference", "other.json", "--out", "drift.json")
        #expect(drift.status == 1)
        #expect(!drift.output.contains("\u{1b}"))
        #expect(
            drift.output.hasSuffix(
                """
                trouble.changing was skipped: it needs fails

                drift from real: 14 verified, 1 drift, 0 known, 4 unverified

                drift       read.empty        stricter than real: there failed (it is <full>·[31m), here passed
                unverified  read.absent       here: passed; real: no such case
                unverified  keep.crashed      here, real: skipped (it needs crashes)
                unverified  trouble.reading   here, real: skipped (it needs fails)
                unverified  trouble.changing  here, real: skipped (it needs fails)
                missing     keep.old          only real has it

                """
            ),
            "\(drift.output)"
        )
        #expect(try result("drift.json").drift?["read.empty"]?.standing == .drift)

        // Another reference has tried what the first has not.
        let both = try await validate("--reference", "other.json", "--reference", "same.json", "--json")
        let report = try SuiteResult(json: Data(both.output.utf8))
        #expect(both.status == 1 && report.drift?.references == ["real", "real"])
        #expect(report.drift?.count(.unverified) == 3 && report.drift?.count(.drift) == 1)

        let list = #"[{"reference": "real", "cases": ["read.empty"], "reason": "a small disk"}]"#
        try folder.write(Array(list.utf8), to: "known.json")
        let known = try await validate(
            "--reference",
            "other.json",
            "--known-drift",
            "known.json",
            "--out",
            "known-drift.json"
        )
        #expect(known.status == 0 && known.output.contains("; known: a small disk"), "\(known.output)")
        let stale = try await validate("--reference", "same.json", "--known-drift", "known.json")
        #expect(stale.status == 1 && stale.output.contains("known of real, which does not differ"))

        let matrix = try await CommandLineRun.run(
            ["matrix", "drift.json", "--html", "matrix.html"],
            in: folder.path
        )
        #expect(matrix.status == 0 && matrix.output.contains(" verified, 1 drift, 0 known, 4 unverified"))
        let page = try String(contentsOfFile: folder.file("matrix.html"), encoding: .utf8)
        // Each in the legend, too.
        #expect(page.components(separatedBy: "aria-label=\"drift\">≠").count == 3)
        #expect(page.components(separatedBy: "aria-label=\"unverified\">?").count == 6)
        #expect(page.contains("it is &lt;full&gt;"))
    }

    @Test func `what cannot be compared with is refused before anything is tried`() async throws {
        #expect(try await validate("--out", "own.json").status == 0)
        try keep("camera.json") { $0.suite = "camera" }
        try keep("newer.json") { $0.format = SuiteResult.newestFormat + 1 }
        try keep("good.json") { _ in }
        try folder.write(Array("{}".utf8), to: "no-list.json")
        let empty = #"[{"reference": "real", "cases": ["a.b"], "reason": " "}]"#
        try folder.write(Array(empty.utf8), to: "no-reason.json")
        for (arguments, status, message) in [
            (["--reference", "camera.json"], 65, "camera.json is a result of the suite “camera”, not of “"),
            (
                ["--reference", "newer.json"], 65,
                "newer.json is a result of format 2, and this program reads up to 1"
            ),
            (["--reference", "no-list.json"], 65, "no-list.json has no result of lenssim validate"),
            (["--reference", "missing.json"], 66, "there is no file missing.json"),
            (["--reference", "good.json", "--known-drift", "no-list.json"], 65, "is no list of known drift"),
            (["--reference", "good.json", "--known-drift", "no-reason.json"], 65, "has no reason for real"),
            (["--known-drift", "no-list.json"], 64, "give --reference"),
        ] as [([String], Int32, String)] {
            let run = try await CommandLineRun.run(
                ["validate", "preferences", "--file", "new.sqlite", "--out", "untouched.json"] + arguments,
                in: folder.path
            )
            #expect(
                run.status == status && run.errors.contains(message),
                "\(arguments) \(run.status) \(run.errors)"
            )
        }
        #expect(!FileManager.default.fileExists(atPath: folder.file("untouched.json")))
    }
}
