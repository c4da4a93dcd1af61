import Simulation

extension Program {
    /// The line that reproduces a run: a command where one knows the program, and otherwise an expression in Swift.
    func reproduction(of recipe: Recipe) -> String {
        command.map { "\($0) --recipe '\(recipe)'" } ?? "program.run(Recipe(\"\(recipe)\")!)"
    }
}
