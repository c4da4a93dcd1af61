import Exploration
import Foundation
import Simulation

/// Repeats one run.
struct RecipeRun {
    let program: Program
    let recipe: Recipe

    private struct JSON: Encodable {
        var program: String
        var recipe: String
        var failure: String?
        var steps: Int
        var virtualSeconds: Double
        var hash: String
        var departures: Int
    }

    func run(_ asJSON: Bool) throws {
        let terminal = Terminal()
        let result = program.run(recipe)
        if asJSON {
            try printJSON(
                JSON(
                    program: program.name,
                    recipe: "\(recipe)",
                    failure: result.failure?.message,
                    steps: result.steps,
                    virtualSeconds: result.time / .seconds(1),
                    hash: String(result.hash, radix: 16),
                    departures: result.report?.departures ?? 0
                ),
                on: terminal
            )
        } else {
            let position = "\(grouped(result.steps)) steps, hash \(String(result.hash, radix: 16))"
            if let departure = result.report?.firstDeparture, departure.wanted.kind != nil {
                terminal.line(
                    "\(terminal.styled("!", .yellow)) the run departed from its recipe: \(departure)"
                )
            }
            if let failure = result.failure {
                terminal.line("\(terminal.styled("✘", .red)) \(failure)")
                terminal.line("  \(position)")
            } else {
                terminal.line("\(terminal.styled("✔", .green)) \(program.name) passes: \(position)")
            }
        }
        if result.failure != nil { throw Exit.failed }
    }
}
