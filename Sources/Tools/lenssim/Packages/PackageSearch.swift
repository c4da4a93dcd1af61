import ArgumentParser
import CommandKit
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
            view.command =
                "lenssim run --package \(ShellWord.word(tests.path)) --filter \(TestFilter.argument(for: result.program))"
            for (fingerprint, group) in result.failures {
                guard let run = group.runs.first else { continue }
                let own = FailureFile.path(of: result.program, seed: run.recipe.seed)
                let path = tests.path == "." ? own : "\(tests.path)/\(own)"
                guard let file = try? FailureFile(path: path), file.recipe == run.recipe else { continue }
                view.shrunk[fingerprint] = ShrunkFailure(
                    path: path,
                    result: file.shrunk,
                    rate: file.rate,
                    causes: file.causes,
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
