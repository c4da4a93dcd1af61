import ArgumentParser
import BugZoo
import Exploration
import LensScenarios

/// Everything that can be explored, by name.
enum ProgramCatalogue {
    /// Programs that end the process when their bug shows itself.
    private static var trapping: [Program] { Zoo.trapping.flatMap { [$0.buggy, $0.fixed] } }

    /// Every program that fails by an error alone, in the order in which they are listed.
    static var all: [Program] {
        ScenarioCatalogue.all.map { $0.program($0.settings) } + Zoo.powerCuts + [noOp] + zoo
    }

    /// The bug zoo, each program with its fixed version.
    private static var zoo: [Program] { Zoo.all.flatMap { [$0.buggy, $0.fixed] } }

    /// The program of that name.
    ///
    /// - Throws: A validation error that lists the names.
    static func named(_ name: String) throws -> Program {
        if let program = (all + trapping).first(where: { $0.name == name }) { return program }
        let known = ScenarioCatalogue.all.map(\.name).joined(separator: ", ")
        throw ValidationError(
            "There is no scenario “\(name)”. Known: \(known), and what lenssim scenarios lists."
        )
    }

    /// Does nothing: what a seed costs at least.
    static let noOp = Program(name: "no-op", summary: "nothing at all, to see what a simulation costs") {}
}
