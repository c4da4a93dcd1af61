import CommandKit
import Exploration
import Simulation

/// What a search through all orders, or all cancellations, has found.
struct SystematicSearchView {
    let program: String
    /// Runs it, without a recipe.
    private let command: String
    let seed: UInt64
    /// What was looked at, for people.
    let summary: String
    /// Orders that were run, or suspensions at which a task was cancelled.
    let runs: Int
    let isExhausted: Bool
    let failures: [(recipe: Recipe, failure: Failure)]
    /// The first failure of each kind, ten at most.
    var shown: [(recipe: Recipe, failure: Failure)] {
        var kinds: Set<String> = []
        return Array(failures.filter { kinds.insert($0.failure.fingerprint).inserted }.prefix(10))
    }
    /// Where those of ``shown`` were written, in their order.
    var files: [String] = []

    init(_ result: ExhaustiveSearch.Result, of program: Program, seed: UInt64) {
        self.program = program.name
        command = program.command ?? "lenssim run \(program.name)"
        self.seed = seed
        let end = result.isExhausted ? "every interleaving was tried" : "ended before every order was tried"
        summary =
            "\(grouped(result.runs)) runs, \(grouped(result.pruned)) of them pruned as repetitions; \(end)"
        runs = result.runs
        isExhausted = result.isExhausted
        failures = result.failures
    }

    init(_ result: CancellationSearch.Result, of program: Program, seed: UInt64) {
        self.program = program.name
        command = program.command ?? "lenssim run \(program.name)"
        self.seed = seed
        let end = result.isExhausted ? "all there are" : "ended by its limit"
        summary = "\(grouped(result.points)) suspensions at which a task was cancelled; \(end)"
        runs = result.points
        isExhausted = result.isExhausted
        failures = result.failures
    }

    private struct JSON: Encodable {
        struct Failed: Encodable {
            var failure: String
            var reproduce: String
        }
        var program: String
        var seed: UInt64
        var runs: Int
        var isExhausted: Bool
        var failures: [Failed]
        /// The files of the first failure of each kind.
        var files: [String]
    }

    func show(asJSON: Bool, on terminal: Terminal) throws {
        if asJSON {
            let failed = failures.map {
                JSON.Failed(failure: $0.failure.message, reproduce: reproducingLine($0.recipe))
            }
            return try printJSON(
                JSON(
                    program: program,
                    seed: seed,
                    runs: runs,
                    isExhausted: isExhausted,
                    failures: failed,
                    files: files
                ),
                on: terminal
            )
        }
        for (number, (recipe, failure)) in shown.enumerated() {
            terminal.line("\(terminal.styled("✘", .red)) \(failure)")
            terminal.line("  reproduce        \(reproducingLine(recipe))")
            guard files.indices.contains(number) else { continue }
            terminal.line("  report           lenssim report \(files[number]) --html report.html")
        }
        let mark = failures.isEmpty ? terminal.styled("✔", .green) : terminal.styled("✘", .red)
        terminal.line("\(mark) \(program), seed \(seed): \(summary), \(failures.count) failed")
    }

    private func reproducingLine(_ recipe: Recipe) -> String { "\(command) --recipe '\(recipe)'" }
}
