import Simulation

extension Program {
    /// The line that reproduces a run: a command where one is known, and otherwise an expression in Swift.
    func reproduction(of recipe: Recipe) -> String {
        if let reproductionLine { return reproductionLine(recipe) }
        return command.map { "\($0) --recipe '\(recipe)'" } ?? "program.run(Recipe(\"\(recipe)\")!)"
    }
}
