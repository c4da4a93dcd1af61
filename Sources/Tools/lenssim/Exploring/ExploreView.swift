import CommandKit
import Exploration
import Foundation
import Simulation

/// A shrunk failure, and the file with it.
struct ShrunkFailure {
    var path: String
    /// `nil` when the run could not be shrunk.
    var result: Shrinker.Result?
    /// In how many seeds it fails.
    var rate: FailureRate?
    /// What the program did without which it passes.
    var causes: [Cause] = []
    /// The two lines whose order matters.
    var race: Race?
    /// How likely the failure is from moments of the run on.
    var curve: FailureCurve?
    /// Whether the program is a test, which a recipe pins where it stands.
    var isTest = false
    /// Why it could not.
    var problem: ShrinkError?
}

/// Shows what a sweep has found.
struct ExploreView {
    var result: SweepResult
    var seconds: Double?
    var shrunk: [String: ShrunkFailure] = [:]
    /// The command that runs the program and takes `--recipe`.
    var command: String
    /// Whether a test can name the program.
    var canBeTested = true

    init(result: SweepResult, seconds: Double? = nil) {
        self.result = result
        self.seconds = seconds
        command = "lenssim run \(result.program)"
    }

    struct JSON: Encodable {
        var program: String
        var strategy: String
        var runs: Int
        var branches: Int
        var steps: Int
        var schedules: Int
        /// Of all runs together; where there was one, its own.
        var hash: String
        var failures: [Row]
        var neverReached: [String]
        var realSeconds: Double?
        var runsPerSecond: Double?

        struct Row: Encodable {
            var fingerprint: String
            var count: Int
            var message: String
            var reproduce: String
            var shrunk: String?
            var reduction: Double?
            /// Why it could not be shrunk.
            var problem: String?
            var file: String?
            /// In how many seeds it fails.
            var rate: FailureRate?
            /// What the program did without which it passes.
            var causes: [String]?
            /// The two lines whose order matters.
            var race: String?
            /// How likely the failure is from moments of the run on.
            var curve: FailureCurve?
        }
    }

    func show(asJSON: Bool, on terminal: Terminal) throws {
        if asJSON { return try printJSON(json, on: terminal) }
        for (fingerprint, group) in result.failures.sorted(by: { $0.key < $1.key }) {
            guard let run = group.runs.first else { continue }
            show(fingerprint, group, run, on: terminal)
        }
        for name in result.neverReached {
            terminal.line("\(terminal.styled("!", .yellow)) never reached: sometimes \(name)")
        }
        let mark = result.failures.isEmpty ? terminal.styled("✔", .green) : terminal.styled("✘", .red)
        let branches = result.branches == 0 ? "" : " (\(grouped(result.branches)) of them branches)"
        let time = seconds.map { seconds in
            String(format: " in %.2f s, ", seconds) + grouped(Int(Double(result.runs) / max(seconds, 1e-6)))
                + " a second"
        }
        terminal.line(
            "\(mark) \(result.program), \(result.strategy.rawValue): \(grouped(result.runs)) runs\(branches)\(time ?? ""); "
                + "about \(grouped(result.schedules.estimate)) schedules, \(grouped(result.steps)) steps, "
                + "\(grouped(result.failedRuns)) failed"
        )
    }

    private func show(
        _ fingerprint: String,
        _ group: SweepResult.FailureGroup,
        _ run: SweepResult.FailedRun,
        on terminal: Terminal
    ) {
        terminal.line("\(terminal.styled("✘", .red)) \(run.failure)")
        let seeds = group.runs.map { String($0.recipe.seed) }.joined(separator: ", ")
        let more = group.count > group.runs.count ? ", … \(grouped(group.count)) runs" : ""
        // What lenssim run must be given beside the seed.
        let strategy = result.strategy == .random ? "" : " (--strategy \(result.strategy.rawValue))"
        terminal.line("  seeds            \(seeds)\(more)\(strategy)")
        guard let small = shrunk[fingerprint] else {
            terminal.line("  reproduce        \(command) --recipe '\(run.recipe)'")
            return
        }
        if let race = small.race {
            terminal.line("  race             " + "\(race)".replacing("\n", with: "\n                   "))
        }
        for cause in small.causes {
            terminal.line("  cause            " + "\(cause)".replacing("\n", with: "\n                   "))
        }
        if let rate = small.rate { terminal.line("  fails            \(rate)") }
        if let curve = small.curve { terminal.line("  futures          \(curve)") }
        if let shrunk = small.result, shrunk.hasChoices {
            let (before, after) = (shrunk.before, shrunk.after)
            terminal.line(
                "  shrunk           decisions \(after.decisions) of \(before.decisions), faults \(after.faults) of \(before.faults)"
                    + (before.work == 0 ? "" : ", work \(after.work) of \(before.work)")
                    + (shrunk.isMinimal ? "" : "; not minimal: time limit reached")
            )
            terminal.line("  reproduce        \(command) --recipe '\(shrunk.shrunk)'")
        } else {
            terminal.line("  reproduce        \(command) --recipe '\(run.recipe)'")
        }
        if let problem = small.problem { terminal.line("  not shrunk       \(problem)") }
        terminal.line("  report           lenssim report \(ShellWord.word(small.path)) --html report.html")
        guard let result = small.result, canBeTested || small.isTest else { return }
        terminal.line(
            "  regression test  "
                + (small.isTest
                    ? "@Test(.replaying(\"\(result.hasChoices ? result.shrunk : run.recipe)\"))"
                    : "lenssim shrink \(ShellWord.word(small.path)) --test-case")
        )
    }

    var json: JSON {
        JSON(
            program: result.program,
            strategy: result.strategy.rawValue,
            runs: result.runs,
            branches: result.branches,
            steps: result.steps,
            schedules: result.schedules.estimate,
            hash: String(result.hash, radix: 16),
            failures: result.failures.sorted { $0.key < $1.key }.compactMap { fingerprint, group in
                guard let run = group.runs.first else { return nil }
                let small = shrunk[fingerprint]
                let recipe = small?.result?.shrunk ?? run.recipe
                return JSON.Row(
                    fingerprint: fingerprint,
                    count: group.count,
                    message: run.failure.message,
                    reproduce: "\(command) --recipe '\(recipe)'",
                    shrunk: small?.result.map { "\($0.shrunk)" },
                    reduction: small?.result?.reduction,
                    problem: small?.problem.map { "\($0)" },
                    file: small?.path,
                    rate: small?.rate,
                    causes: small?.causes.map { "\($0)" },
                    race: small?.race.map { "\($0)" },
                    curve: small?.curve
                )
            },
            neverReached: result.neverReached,
            realSeconds: seconds,
            runsPerSecond: seconds.map { Double(result.runs) / max($0, 1e-6) }
        )
    }
}
