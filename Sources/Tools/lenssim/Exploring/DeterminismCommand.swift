import ArgumentParser
import CommandKit
import Exploration
import Foundation
import Simulation

/// The command `lenssim determinism`.
struct DeterminismCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "determinism",
        abstract: "Runs programs twice from many seeds, and reports whether both runs were the same.",
        usage: "lenssim determinism [<scenarios> ...] [<options>]",
        discussion: HelpText.filled(
            """
            Prints a fingerprint of all runs for each program. Two processes of the same build must print the same: that is
            how `make determinism` compares them. Debug and release builds have fingerprints of their own, since the
            optimiser leaves out hops.

            Examples:
              lenssim determinism
              lenssim determinism lens-upload lost-update --seeds 1...1000
              lenssim determinism --package . --filter AccountTests

            Exits with 1 when two runs differ.
            """
        )
    )

    @Argument(help: "What to run; everything when nothing is named.")
    var scenarios: [String] = []

    @OptionGroup var tests: PackageArguments

    @Option(help: "A range of seeds, such as 1...1000. (default: 1...200)")
    var seeds: SeedRange?

    @Flag(help: "Print JSON for machines.")
    var json = false

    private struct Row: Encodable {
        var program: String
        var runs: Int
        var failures: Int
        var fingerprint: String
        /// The first seed whose two runs differ.
        var differs: UInt64?
    }

    /// What is compared of a run.
    private struct End: Codable, Equatable, Sendable {
        var hash: UInt64
        var steps: Int
        var failure: Failure?

        init(_ run: RunResult) {
            hash = run.hash
            steps = run.steps
            failure = run.failure
        }

        /// Of a run that has ended its process, of which nothing else is known.
        init(_ failure: Failure) {
            hash = 0
            steps = 0
            self.failure = failure
        }
    }

    func validate() throws {
        guard tests.package != nil else { return }
        _ = try tests.tests(besides: scenarios.first)
        if json { throw ValidationError("--json is for scenarios: give it without --package.") }
    }

    func run() async throws {
        let terminal = Terminal()
        if tests.package != nil, let tests = try tests.tests(besides: nil) {
            let seeds = (seeds?.seeds ?? 1...200).description
            let variables = ["LENSSIM_CHECK_DETERMINISM": "1", "LENSSIM_SEEDS": seeds]
            return try tests.ending(on: terminal) { try tests.report(try tests.run(variables)) }
        }
        let programs = scenarios.isEmpty ? ProgramCatalogue.all : try scenarios.map(ProgramCatalogue.named)
        let seeds = seeds?.seeds ?? 1...200
        var rows: [Row] = []
        let line = ProgressLine(on: terminal, unit: "programs", total: programs.count, isQuiet: json)
        for (number, program) in programs.enumerated() {
            line.show(number, program.name)
            rows.append(try row(program, seeds))
        }
        line.end(rows.count, ending: .done)
        if json {
            try printJSON(rows, on: terminal)
        } else {
            for row in rows {
                let mark = row.differs == nil ? terminal.styled("✔", .green) : terminal.styled("✘", .red)
                terminal.line(
                    "\(mark) \(row.program)  \(row.fingerprint)  \(row.runs) runs, \(row.failures) failed"
                )
                if let seed = row.differs {
                    terminal.line(
                        "  the two runs of seed \(seed) differ: lenssim run \(row.program) "
                            + "--recipe '\(Self.recipe(seed))' --check-determinism"
                    )
                }
            }
        }
        if rows.contains(where: { $0.differs != nil }) { throw Exit.failed }
    }

    private static func recipe(_ seed: UInt64) -> Recipe { Recipe(seed: seed, strategy: .portfolio) }

    private func row(_ program: Program, _ seeds: ClosedRange<UInt64>) throws -> Row {
        var row = Row(program: program.name, runs: 0, failures: 0, fingerprint: "")
        // FNV-1a over the hashes, in order of the seeds.
        var combined: UInt64 = 0xcbf2_9ce4_8422_2325
        let sweep = SeedSweep(
            seeds: seeds,
            jobs: ProcessInfo.processInfo.activeProcessorCount,
            value: { seed in
                let recipe = Self.recipe(seed)
                return [program.run(recipe), program.run(recipe)].map { End($0) }
            },
            // A run that ends its process ends it each time.
            ended: { [End($1), End($1)] }
        )
        try sweep.run { seed, pair in
            row.runs += 1
            if pair[0].failure != nil { row.failures += 1 }
            if pair[0] != pair[1] { row.differs = row.differs ?? seed }
            combined = (combined ^ pair[0].hash) &* 0x100_0000_01b3
            return true
        }
        row.fingerprint = String(combined, radix: 16)
        return row
    }
}
