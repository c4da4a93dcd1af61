import Exploration
import Foundation
import Simulation
import TraceReport

/// What is known of a failing run in addition to its failure: a shrunk run, and the files that describe it.
struct FailureExplanation: Sendable, Codable {
    /// The run that was found.
    var found: Recipe
    /// The small run.
    var recipe: Recipe
    var before: Shrinker.Size
    var after: Shrinker.Size
    /// Whether the run that was found has anything that could be left out.
    var hasChoices: Bool
    /// In how many seeds the test fails like this; `nil` where that was not counted.
    var rate: FailureRate?
    /// What the test did without which it passes.
    var causes: [Cause]
    /// The two lines whose order matters.
    var race: Race?
    /// How likely the failure is from moments of the small run on.
    var curve: FailureCurve?
    /// The page; `nil` where it could not be written.
    var page: String?
    /// Why not.
    var problem: String?

    /// Makes a failing run small, and writes what happened in it.
    ///
    /// - Parameters:
    ///   - program: The test as a program.
    ///   - recipe: The run that was found.
    ///   - rate: In how many seeds the test fails like this.
    ///   - limit: Real time in which it is made smaller.
    ///   - isIsolated: Whether each run needs a process of its own, since it would end this one.
    /// - Returns: `nil` when the run does not fail again.
    init?(_ program: Program, _ recipe: Recipe, _ rate: FailureRate?, limit: Duration, isIsolated: Bool) {
        var shrinker = Shrinker(program, limit: limit)
        shrinker.isIsolated = isIsolated
        guard let result = try? shrinker.shrink(recipe) else { return nil }
        var file: FailureFile
        if isIsolated {
            let isolated = try? FailureFile(isolated: program, recipe: recipe, shrunk: result, rate: rate)
            guard let isolated else { return nil }
            file = isolated
        } else {
            file = FailureFile(program, recipe: recipe, shrunk: result, rate: rate)
        }
        if rate?.isNearlyAll != true {
            file.curve = try? program.failureCurve(of: file.shown, limit: .milliseconds(500))
        }
        found = recipe
        self.recipe = file.repeating
        before = result.before
        after = result.after
        hasChoices = result.hasChoices
        self.rate = file.rate
        causes = file.causes
        race = file.race
        curve = file.curve
        let path = FailureFile.path(of: program.name, seed: recipe.seed)
        let pagePath = path.dropLast(".json".count) + ".html"
        do {
            try Self.prepareFolder()
            try file.write(to: path)
            let page = RunPage(
                title: "\(program.name) · seed \(recipe.seed)",
                ending: .failed(result.failure.message),
                repeatingLine: SeedReport.reproduction(of: file.repeating, test: program.name),
                trace: file.trace,
                rate: file.rate,
                causes: file.causes,
                race: file.race,
                curve: file.curve
            )
            try page.html().write(to: URL(filePath: String(pagePath)), options: .atomic)
            self.page = String(pagePath)
        } catch {
            problem = "\(error)"
        }
    }

    /// Lines for the failure's message.
    ///
    /// - Parameter isMethod: Whether the test is a method of a ``SimulatedTestCase``.
    func lines(isMethod: Bool) -> [String] {
        var lines: [String] = []
        if let race { lines.append("race: " + "\(race)".replacing("\n", with: "\n        ")) }
        for cause in causes { lines.append("cause: " + "\(cause)".replacing("\n", with: "\n         ")) }
        if let rate { lines.append("fails: \(rate)") }
        if let curve { lines.append("futures: \(curve)") }
        if hasChoices {
            lines.append(
                "shrunk: \(after.decisions) of \(before.decisions) scheduling decisions, \(after.faults) of \(before.faults) faults; "
                    + "found by '\(found)'"
            )
        }
        if let page { lines.append("report: \(page)") }
        if let problem { lines.append("report: none, since \(problem)") }
        lines.append(
            isMethod ? "keep: try replayed(\"\(recipe)\") { … }" : "keep: @Test(.replaying(\"\(recipe)\"))"
        )
        return lines
    }

    // MARK: Files

    /// Makes the folder, whose contents are not for version control.
    private static func prepareFolder() throws {
        try FileManager.default.createDirectory(atPath: FailureFile.folder, withIntermediateDirectories: true)
        let ignored = ".lenssim/.gitignore"
        if !FileManager.default.fileExists(atPath: ignored) {
            try "*\n".write(toFile: ignored, atomically: true, encoding: .utf8)
        }
    }
}
