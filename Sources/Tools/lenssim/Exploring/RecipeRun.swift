import Exploration
import Foundation
import Simulation

/// Repeats one run.
struct RecipeRun {
    let program: Program
    let recipe: Recipe
    /// Whether it is run twice more, and each step compared.
    var checksDeterminism = false

    private struct JSON: Encodable {
        var program: String
        var recipe: String
        var failure: String?
        var steps: Int
        var virtualSeconds: Double
        var hash: String
        /// What the recipe says and the run did not do, each in a sentence.
        var mismatches: [String]
        /// How two more runs differ; absent when they were the same, or when nobody asked.
        var divergence: String?
    }

    func run(_ asJSON: Bool) throws {
        let terminal = Terminal()
        let divergence = checksDeterminism ? program.divergence(recipe) : nil
        let result = program.run(recipe)
        let mismatches = result.report?.mismatches ?? []
        if asJSON {
            try printJSON(
                JSON(
                    program: program.name,
                    recipe: "\(recipe)",
                    failure: result.failure?.message,
                    steps: result.steps,
                    virtualSeconds: result.time / .seconds(1),
                    hash: String(result.hash, radix: 16),
                    mismatches: mismatches,
                    divergence: divergence?.message
                ),
                on: terminal
            )
        } else {
            show(result, mismatches, divergence, on: terminal)
        }
        if result.failure != nil || !mismatches.isEmpty || divergence != nil { throw Exit.failed }
    }

    private func show(
        _ result: RunResult,
        _ mismatches: [String],
        _ divergence: Failure?,
        on terminal: Terminal
    ) {
        let (wrong, right) = (terminal.styled("✘", .red), terminal.styled("✔", .green))
        if !mismatches.isEmpty {
            terminal.line("\(wrong) the recipe does not fit the program:")
            for mismatch in mismatches { terminal.line("  \(mismatch)") }
        }
        if let divergence { terminal.line("\(wrong) \(divergence)") }
        let position = "\(grouped(result.steps)) steps, hash \(String(result.hash, radix: 16))"
        let checked = checksDeterminism && divergence == nil ? "; two more runs had the same steps" : ""
        if let failure = result.failure {
            terminal.line("\(wrong) \(failure)")
            terminal.line("  \(position)\(checked)")
        } else if mismatches.isEmpty, divergence == nil {
            terminal.line("\(right) \(program.name) passes: \(position)\(checked)")
        } else {
            terminal.line("  the run does not fail: \(position)\(checked)")
        }
    }
}
