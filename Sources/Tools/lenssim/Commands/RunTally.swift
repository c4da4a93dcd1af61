import CommandKit
import Foundation
import ScenarioKit
import Simulation

/// Counts the outcomes of many seeds.
struct RunTally {
    let scenario: String
    let seeds: ClosedRange<UInt64>
    /// The command that runs it, with its settings.
    private let program: String
    /// Whether it is not over real sockets, where nothing but the seed is decided.
    private let isSimulated: Bool
    let checksDeterminism: Bool
    /// What decides the run of a seed.
    let recipe: @Sendable (UInt64) -> Recipe
    private(set) var failures: [RunOutcome] = []
    private(set) var passed = 0
    private var steps = 0
    private var virtualSeconds = 0.0
    private var only: RunOutcome?
    private let start = ContinuousClock.now

    init(
        scenario: String,
        seeds: ClosedRange<UInt64>,
        command: String,
        isSimulated: Bool,
        checksDeterminism: Bool,
        recipe: @escaping @Sendable (UInt64) -> Recipe
    ) {
        self.scenario = scenario
        program = command
        self.isSimulated = isSimulated
        self.seeds = seeds
        self.checksDeterminism = checksDeterminism
        self.recipe = recipe
    }

    mutating func add(_ outcome: RunOutcome) {
        if outcome.passed { passed += 1 } else { failures.append(outcome) }
        steps += outcome.counts?.steps ?? 0
        virtualSeconds += outcome.counts?.seconds ?? 0
        only = outcome
    }

    private var realSeconds: Double { (ContinuousClock.now - start) / .seconds(1) }

    /// Seeds that were run.
    var done: Int { passed + failures.count }

    private struct JSON: Encodable {
        var scenario: String
        var seeds: [UInt64]
        /// Of the only run.
        var recipe: String?
        var passed: Int
        var failures: [Failure]
        var checkedDeterminism: Bool
        var steps: Int
        var virtualSeconds: Double
        var realSeconds: Double
        var figures: [String: Int]?
        var hash: String?
        /// What the recipe says and the only run did not do, each in a sentence.
        var mismatches: [String]?

        struct Failure: Encodable {
            var seed: UInt64
            var failure: String
            var reproduce: String
        }
    }

    func show(asJSON: Bool, on terminal: Terminal) throws {
        if asJSON { return try printJSON(json, on: terminal) }
        for failure in failures.prefix(10) {
            terminal.line("\(terminal.styled("✘", .red)) seed \(failure.seed): \(failure.problem ?? "")")
            terminal.line("  reproduce: \(reproducingLine(failure.seed))")
        }
        if failures.count > 10 { terminal.line("  … and \(failures.count - 10) more seeds") }
        if seeds.count == 1, let only {
            var table = Table()
            for figure in only.figures ?? [] { table.add(figure.name, grouped(figure.value)) }
            table.add("recipe", "\(recipe(only.seed))")
            if let hash = only.counts?.hash { table.add("hash", String(hash, radix: 16)) }
            table.lines.forEach { terminal.line($0) }
        }
        let mark = failures.isEmpty ? terminal.styled("✔", .green) : terminal.styled("✘", .red)
        let checked = checksDeterminism ? ", each run twice with the same steps" : ""
        let time = String(format: "%.2f s", realSeconds)
        // Where nothing is known of the runs, zeros would be wrong.
        let figures =
            steps == 0
            ? "" : "\(grouped(steps)) steps, " + String(format: "%.0f virtual seconds ", virtualSeconds)
        terminal.line(
            "\(mark) \(scenario): \(passed) of \(done) seeds passed\(checked); \(figures)in \(time)"
        )
    }

    private var json: JSON {
        JSON(
            scenario: scenario,
            seeds: [seeds.lowerBound, seeds.upperBound],
            recipe: seeds.count == 1 ? "\(recipe(seeds.lowerBound))" : nil,
            passed: passed,
            failures: failures.map {
                JSON.Failure(seed: $0.seed, failure: $0.problem ?? "", reproduce: reproducingLine($0.seed))
            },
            checkedDeterminism: checksDeterminism,
            steps: steps,
            virtualSeconds: virtualSeconds,
            realSeconds: realSeconds,
            figures: seeds.count == 1
                ? only?.figures.map { figures in
                    Dictionary(uniqueKeysWithValues: figures.map { ($0.name, $0.value) })
                } : nil,
            hash: seeds.count == 1 ? only?.counts.map { String($0.hash, radix: 16) } : nil,
            mismatches: seeds.count == 1 ? only?.mismatches : nil
        )
    }

    private func reproducingLine(_ seed: UInt64) -> String {
        let recipe = recipe(seed)
        let isSeedAlone = recipe == Recipe(seed: seed) || !isSimulated
        let decides = isSeedAlone ? "--seed \(seed)" : "--recipe '\(recipe)'"
        return "\(command) \(decides)"
    }

    /// What reproduces a run, but for its seed.
    var command: String {
        program + (isSimulated ? "" : " --fidelity loopback")
            + (checksDeterminism ? " --check-determinism" : "")
    }
}
