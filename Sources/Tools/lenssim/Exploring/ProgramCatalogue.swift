import ArgumentParser
import BugZoo
import Exploration
import ScenarioKit

/// Everything that can be explored, by name.
enum ProgramCatalogue {
    /// Programs that end the process when their bug shows itself.
    private static var trapping: [Program] { Zoo.trapping.flatMap { [$0.buggy, $0.fixed] } }

    /// Every program that fails by an error alone, in the order in which they are listed.
    static var all: [Program] {
        Apps.scenarios.scenarios.map { $0.init().program } + Zoo.powerCuts + [noOp] + zoo
    }

    /// What is there to be searched for its known bugs: programs that no scenario of an app is.
    static var others: [Program] {
        let scenarios = Set(Apps.scenarios.scenarios.map { $0.name })
        return all.filter { !scenarios.contains($0.name) }
    }

    /// The bug zoo, each program with its fixed version.
    private static var zoo: [Program] { Zoo.all.flatMap { [$0.buggy, $0.fixed] } }

    /// The program of that name.
    ///
    /// - Throws: A validation error that says which name may have been meant.
    static func named(_ name: String) throws -> Program {
        let known = all + trapping
        if let program = known.first(where: { $0.name == name }) { return program }
        let suggestion = Suggestion.sentence(for: name, among: known.map(\.name))
        throw ValidationError(
            "There is no scenario “\(name)”.\(suggestion) lenssim scenarios lists them."
        )
    }

    /// Does nothing: what a seed costs at least.
    static let noOp = Program(name: "no-op", summary: "nothing at all, to see what a simulation costs") {}
}
