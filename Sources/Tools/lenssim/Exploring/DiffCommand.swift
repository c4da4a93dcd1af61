import ArgumentParser
import CommandKit
import Simulation
import TraceReport

/// The command `lenssim diff`.
struct DiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Finds where two runs diverge.",
        discussion: HelpText.filled(
            """
            Takes what lenssim report takes. A run that passes beside one that fails shows the step that decided.

            Examples:
              lenssim diff before.json after.json
              lenssim diff lost-update lost-update --recipes 1 --recipes 7

            Exits with 1 when the two differ.
            """
        )
    )

    @Argument(help: "A failure file, a .lenssession, or a scenario.", completion: .file())
    var first: String

    @Argument(help: "The other one.", completion: .file())
    var second: String

    @Option(
        help: "For scenarios: the run; twice, for the first and the second.",
        transform: RecipeArgument.read
    )
    var recipes: [RecipeArgument] = []

    @Flag(help: "Print JSON for machines.")
    var json = false

    private struct JSON: Encodable {
        var same: Bool
        var step: Int?
        var virtualSeconds: Double?
        var first: String?
        var second: String?
    }

    func validate() throws {
        guard recipes.count <= 2 else {
            throw ValidationError("There are two runs, so --recipes is given at most twice.")
        }
    }

    func run() throws {
        let terminal = Terminal()
        do {
            let left = try RecordedRun(first, recipe: recipes.first?.recipe).page.trace
            let right = try RecordedRun(second, recipe: recipes.last?.recipe).page.trace
            let difference = TraceDifference(left, right)
            if json {
                try printJSON(
                    JSON(
                        same: difference == nil,
                        step: difference?.step,
                        virtualSeconds: difference.map { Double($0.nanoseconds) / 1e9 },
                        first: difference?.first.description,
                        second: difference?.second.description
                    ),
                    on: terminal
                )
            } else if let difference {
                terminal.line("\(difference)")
            } else {
                terminal.line(
                    "The two are the same: \(grouped(left.steps.count)) steps, \(left.events.count) events."
                )
            }
            if difference != nil { throw Exit.failed }
        } catch let usage as ValidationError {
            throw usage
        } catch let exit as ExitCode {
            throw exit
        } catch {
            terminal.warn("lenssim: \(error)")
            throw Exit.code(for: error)
        }
    }
}
