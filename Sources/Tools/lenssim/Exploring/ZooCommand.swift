import ArgumentParser
import BugZoo
import CommandKit
import Exploration
import Foundation
import Simulation

/// The command `lenssim zoo`.
struct ZooCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "zoo",
        abstract: "Measures how fast each strategy finds each known bug, and how small the failures become.",
        usage: "lenssim zoo [<options>]",
        discussion: HelpText.filled(
            """
            For each bug and strategy: the median number of runs until it is found, over several stretches of seeds; “–”
            where more than half of the stretches do not find it. Then the scheduling decisions and faults that are left after
            shrinking. The fixed versions are run too, and must survive.

            Example:
              lenssim zoo --fixed-runs 10000 --markdown > zoo.md

            Exits with 1, and says which bound is exceeded, unless at least one strategy finds each bug within 1000 seeds;
            each failure shrinks in less than 10 s to a case that still fails; shrinking leaves out 90 % of the decisions
            and faults (median); and no fixed version fails.
            """
        )
    )

    @Option(help: "Stretches of seeds, of which the median counts.")
    var stretches = 11

    @Option(help: "Seeds of a stretch.")
    var limit = 1000

    @Option(help: "Seeds that each fixed version must survive.")
    var fixedRuns = 1000

    @Flag(help: "Print Markdown.")
    var markdown = false

    @Flag(help: "Print JSON for machines.")
    var json = false

    private static let strategies: [Strategy] = [.random, .pct, .pos, .sticky, .reentrant, .portfolio]

    func validate() throws {
        guard (1...101).contains(stretches), (1...100_000).contains(limit),
            (0...10_000_000).contains(fixedRuns)
        else {
            throw ValidationError(
                "--stretches must be 1 to 101, --limit 1 to 100000, --fixed-runs 0 to 10000000."
            )
        }
    }

    func run() async throws {
        let terminal = Terminal()
        var rows: [ZooRow] = []
        let line = ProgressLine(on: terminal, unit: "bugs", total: Zoo.all.count, isQuiet: json || markdown)
        for (number, program) in Zoo.all.enumerated() {
            line.show(number, program.name)
            rows.append(try await row(program))
        }
        line.end(rows.count, ending: .done)
        let view = ZooView(
            rows: rows,
            strategies: Self.strategies,
            limit: limit,
            stretches: stretches,
            fixedRuns: fixedRuns
        )
        if json {
            try printJSON(rows, on: terminal)
        } else {
            view.lines(markdown).forEach { terminal.line($0) }
        }
        var bounds = ZooBounds()
        bounds.runs = min(bounds.runs, limit)
        let broken = bounds.broken(by: rows.map(\.measurement))
        broken.forEach { terminal.warn("lenssim: bound exceeded: \($0)") }
        if !broken.isEmpty { throw Exit.failed }
    }

    private func row(_ program: ZooProgram) async throws -> ZooRow {
        var row = ZooRow(name: program.name, kind: program.kind.rawValue, summary: program.summary)
        for strategy in Self.strategies {
            let start = processorSeconds()
            var runs: [Int] = []
            let sweep = try Sweep(program.buggy, strategy: strategy, seeds: 1...(.max), jobs: 1).measured()
            for stretch in 0..<UInt64(stretches) {
                let first = stretch * UInt64(limit) + 1
                let recipe = (first..<first + UInt64(limit)).lazy.map { sweep.recipe(seed: $0) }
                    .first { program.buggy.run($0).failure != nil }
                runs.append(recipe.map { Int($0.seed - first) + 1 } ?? .max)
                if row.failing == nil { row.failing = recipe }
            }
            let median = runs.sorted()[runs.count / 2]
            row.medians[strategy.rawValue] = median == .max ? nil : median
            row.milliseconds[strategy.rawValue] = (processorSeconds() - start) / Double(stretches) * 1000
        }
        let start = ContinuousClock.now
        if let failing = row.failing, let small = try? Shrinker(program.buggy).shrink(failing) {
            row.shrinkSeconds = (ContinuousClock.now - start) / .seconds(1)
            row.smallCaseFails =
                program.buggy.run(small.shrunk).failure?.fingerprint == small.failure.fingerprint
            row.reduction = small.reduction
            row.before = small.before.decisions + small.before.faults
            row.after = small.after.decisions + small.after.faults
            row.isMinimal = small.isMinimal
            row.smallest = "\(small.shrunk)"
        }
        if fixedRuns > 0 {
            let jobs = ProcessInfo.processInfo.activeProcessorCount
            let sweep = Sweep(
                program.fixed,
                strategy: .portfolio,
                seeds: 1...UInt64(fixedRuns),
                jobs: jobs,
                keepsGoing: true
            )
            row.fixedFailures = try sweep.run().failedRuns
        }
        return row
    }
}

/// What was found out about one program.
struct ZooRow: Encodable {
    var name: String
    var kind: String
    var summary: String
    /// Runs until the bug is found, by strategy; missing where it mostly is not.
    var medians: [String: Int] = [:]
    /// Processor time of one stretch, by strategy.
    var milliseconds: [String: Double] = [:]
    /// Decisions and faults of a failing run, before and after shrinking.
    var before: Int?
    var after: Int?
    var isMinimal = false
    var smallest: String?
    var shrinkSeconds: Double?
    var smallCaseFails = false
    /// The share of scheduling decisions and faults that shrinking leaves out.
    var reduction: Double?
    var fixedFailures = 0
    var failing: Recipe?

    var measurement: ZooBounds.Measurement {
        .init(
            name: name,
            runs: medians.values.min(),
            reduction: reduction,
            seconds: shrinkSeconds ?? 0,
            smallCaseFails: smallCaseFails,
            fixedFailures: fixedFailures
        )
    }
}

/// Shows the table.
struct ZooView {
    var rows: [ZooRow]
    var strategies: [Strategy]
    var limit: Int
    var stretches: Int
    var fixedRuns: Int

    func lines(_ markdown: Bool) -> [String] {
        let head = ["bug", "kind"] + strategies.map(\.rawValue) + ["left of", "decisions, faults"]
        var table = [head] + rows.map(cells)
        if markdown { table.insert(head.map { String(repeating: "-", count: max(3, $0.count)) }, at: 1) }
        let widths = head.indices.map { column in table.map { $0[column].count }.max() ?? 0 }
        let lines = table.map { row in
            let cells = zip(row, widths).map { $0.padded(to: $1) }
            return markdown ? "| " + cells.joined(separator: " | ") + " |" : cells.joined(separator: "  ")
        }
        return (markdown ? Self.preface : []) + lines + ["", summary]
    }

    /// Above the table where it is a document.
    private static let preface = [
        "# The bug zoo",
        "",
        "Small programs with bugs that happen in real applications, in `Sources/Scenarios/BugZoo`, each with a fixed version that must survive.",
        "`make zoo` writes this page: for each bug and strategy the median number of runs until it is found and the processor",
        "time of a stretch of seeds up to there; “–” where more than half of the stretches do not find it. *left of* is how many",
        "scheduling decisions and faults remain when a failing run is shrunk, of how many it had.",
        "",
    ]

    private func cells(_ row: ZooRow) -> [String] {
        [row.name, row.kind]
            + strategies.map { strategy in
                guard let median = row.medians[strategy.rawValue] else { return "–" }
                return "\(median) (\(String(format: "%.1f", row.milliseconds[strategy.rawValue] ?? 0)) ms)"
            }
            + [row.after.map(String.init) ?? "–", row.before.map(String.init) ?? "–"]
    }

    private var summary: String {
        let median = ZooBounds.medianReduction(rows.map(\.measurement)) ?? 0
        let found = rows.count { !$0.medians.isEmpty }
        let slowest = rows.compactMap(\.shrinkSeconds).max() ?? 0
        let failures = rows.reduce(0) { $0 + $1.fixedFailures }
        return
            "\(found) of \(rows.count) bugs found within \(limit) seeds by at least one strategy (median of \(stretches) "
            + "stretches; processor time of one stretch); shrinking leaves out \(Int((median * 100).rounded(.down))) % of the "
            + "scheduling decisions and faults (median), in \(String(format: "%.1f", slowest)) s at most; fixed versions: \(failures) failures in \(fixedRuns) seeds each."
    }
}
