import ArgumentParser
import Exploration
import Foundation
import Simulation

/// Shows what searches of a package's tests have found.
struct PackageSearch {
    var tests: PackageTests
    var results: [SweepResult]

    /// The files that the trait has written, and how to repeat what they have.
    private var views: [ExploreView] {
        results.map { result in
            var view = ExploreView(result: result)
            view.command = "lenssim run --package \(tests.path) --filter \(shellWord(result.program))"
            for (fingerprint, group) in result.failures {
                guard let run = group.runs.first else { continue }
                let own = FailureFile.path(of: result.program, seed: run.recipe.seed)
                let path = tests.path == "." ? own : "\(tests.path)/\(own)"
                guard let file = try? FailureFile(path: path), file.recipe == run.recipe else { continue }
                view.shrunk[fingerprint] = ShrunkFailure(
                    path: path,
                    result: file.shrunk,
                    race: file.race,
                    isTest: true
                )
            }
            return view
        }
    }

    func show(asJSON: Bool, on terminal: Terminal) throws {
        if asJSON { return try printJSON(views.map(\.json), on: terminal) }
        for view in views { try view.show(asJSON: false, on: terminal) }
    }
}

/// The name of a test as a word of a shell that `--filter` reads as itself.
func shellWord(_ name: String) -> String {
    "'" + filterExpression(name).replacing("'", with: "'\\''") + "'"
}

/// The name of a test as a regular expression that fits it.
func filterExpression(_ name: String) -> String {
    name.map { "()[]{}*+?|^$".contains($0) ? "\\\($0)" : String($0) }.joined()
}
