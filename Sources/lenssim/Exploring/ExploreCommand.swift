import ArgumentParser
import Exploration
import Foundation
import Simulation

/// The command `lenssim explore SCENARIO`.
struct ExploreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explore",
        abstract: "Looks for trouble over many seeds, and shrinks what it finds.",
        discussion: """
            Strategies: fifo, random, pct (priorities that change a few times), pos (partial order sampling), reentrant
            (enters actors in the middle of a method), steady (one task as long as it can go on), sticky (steady, but now and
            then any), portfolio (random, pct, pos, reentrant and sticky, as the seed has it), cancel (random, and one task
            is cancelled at one suspension).

            Examples:
              lenssim explore lens-upload --seeds 1...10000 --strategy portfolio
              lenssim explore lens-upload --for 10m --keep-going
              lenssim explore lens-drop-resumes --branch 4 --seeds 1...100
              lenssim explore lens-upload --seeds 1...100000 --keep-going --shard 2/4 --out part2.json
              lenssim explore lens-upload --plan swarm --seeds 1...2000
              lenssim explore lost-update --exhaustive

            Exits with 1 when something failed.
            """
    )

    @Argument(help: "The scenario's name; see lenssim scenarios.")
    var scenario: String

    @Option(help: "A range of seeds, such as 1...1000. (default: 1...1000, or all with --for)")
    var seeds: SeedRange?

    @Option(
        name: .customLong("for"),
        help: "Real time after which no new seed is begun, such as 60s, 10m or 2h."
    )
    var time: DurationArgument?

    @Option(help: "How steps are chosen: \(Strategy.allCases.map(\.rawValue).joined(separator: ", ")).")
    var strategy = Strategy.portfolio

    @Option(help: "How many seeds run at once. (default: one for each core)")
    var jobs: Int?

    @Flag(help: "Run each seed in a process of its own.")
    var isolate = false

    @Option(help: "Explore so many further futures from each first hit of a sometimes or a branch point.")
    var branch = 0

    @Option(help: "Branches of one seed at most.")
    var budget = 200

    @Flag(help: "Go on after a failure.")
    var keepGoing = false

    @Flag(help: "Try every order of steps of one seed, but for those that commute.")
    var exhaustive = false

    @Flag(help: "Cancel each task of one seed at each of its suspensions in turn.")
    var cancellations = false

    @Option(help: "One part of the seeds, such as 2/4.")
    var shard: ShardArgument?

    @Option(
        help: "A file with a plan of faults, in YAML or JSON; or “swarm”, which draws one for each seed.",
        completion: .file(extensions: ["yaml", "yml", "json"])
    )
    var plan: PlanArgument?

    @Option(
        help: "Write the result, which lenssim merge joins with others.",
        completion: .file(extensions: ["json"])
    )
    var out: String?

    @Option(help: "Where failures are written.", completion: .directory)
    var failures = ".lenssim/failures"

    @Flag(inversion: .prefixedNo, help: "Shrink one failure of each kind.")
    var shrink = true

    @Flag(help: "Print JSON for machines.")
    var json = false

    func validate() throws {
        if let jobs, jobs < 1 { throw ValidationError("--jobs must be at least 1.") }
        if !(0...1000).contains(branch) { throw ValidationError("--branch must be 0 to 1000.") }
        if budget < 0 { throw ValidationError("--budget must not be negative.") }
        if exhaustive, cancellations {
            throw ValidationError("Give --exhaustive or --cancellations, not both.")
        }
        if shard != nil, time != nil { throw ValidationError("--shard divides --seeds, and has no --for.") }
    }

    func run() async throws {
        let program = try ProgramCatalogue.named(scenario)
        let terminal = Terminal()
        do {
            if exhaustive || cancellations { return try searchSystematically(program, terminal) }
            guard let range = try seedRange() else {
                terminal.line("there are fewer seeds than parts, and none for this one")
                return
            }
            let start = ContinuousClock.now
            let result = try await sweep(program, range, terminal)
            terminal.endProgress()
            if let out { try SweepFile(path: out).write(result) }
            var view = ExploreView(result: result, seconds: (ContinuousClock.now - start) / .seconds(1))
            if shrink { view.shrunk = try shrinkFailures(of: result, program, terminal) }
            try view.show(asJSON: json, on: terminal)
            if !result.failures.isEmpty { throw Exit.failed }
        } catch let usage as ValidationError {
            throw usage
        } catch let exit as ExitCode {
            throw exit
        } catch {
            terminal.warn("lenssim: \(error)")
            throw Exit.code(for: error)
        }
    }

    private func seedRange() throws -> ClosedRange<UInt64>? {
        let range = seeds?.seeds ?? (time == nil ? 1...1000 : 1...(.max - 1))
        guard let shard else { return range }
        return Sweep.shard(shard.number, of: shard.count, seeds: range)
    }

    private func sweep(
        _ program: Program,
        _ range: ClosedRange<UInt64>,
        _ terminal: Terminal
    ) async throws -> SweepResult {
        let sweep = Sweep(
            program,
            strategy: strategy,
            seeds: range,
            jobs: jobs ?? ProcessInfo.processInfo.activeProcessorCount,
            limit: time?.duration,
            keepsGoing: keepGoing,
            plan: try plan?.text()
        )
        let line = ProgressLine(total: time == nil ? range.upperBound - range.lowerBound + 1 : nil)
        let isQuiet = json
        let show = { @Sendable (progress: Sweep.Progress) in
            if !isQuiet { terminal.progress(line.text(progress)) }
        }
        guard isolate || branch > 0 else { return await sweep.run(onProgress: show) }
        return try ForkedSweep(sweep, futures: branch, budget: budget).run(onProgress: show)
    }

    /// Shrinks the first run of each kind of failure, and writes what it gives into a file.
    private func shrinkFailures(
        of result: SweepResult,
        _ program: Program,
        _ terminal: Terminal
    ) throws -> [String: ShrunkFailure] {
        var shrunk: [String: ShrunkFailure] = [:]
        for (fingerprint, group) in result.failures.sorted(by: { $0.key < $1.key }) {
            guard let run = group.runs.first, !fingerprint.hasPrefix("crash"), !fingerprint.hasPrefix("exit")
            else { continue }
            if !json { terminal.progress("shrinking \(fingerprint) …") }
            let path = "\(failures)/\(program.name)-\(run.recipe.seed).json"
            let small = try? Shrinker(program).shrink(run.recipe)
            let file = FailureFile(program, recipe: run.recipe, shrunk: small)
            try file.write(to: path)
            shrunk[fingerprint] = ShrunkFailure(path: path, result: small)
            terminal.endProgress()
        }
        return shrunk
    }

    private func searchSystematically(_ program: Program, _ terminal: Terminal) throws {
        let seed = seeds?.seeds.lowerBound ?? 1
        let found: [(recipe: Recipe, failure: Failure)]
        let summary: String
        if exhaustive {
            let result = ExhaustiveSearch(program, seed: seed).run(stopsAtFailure: !keepGoing)
            found = result.failures
            let end = result.isExhausted ? "every order was tried" : "ended before every order was tried"
            summary =
                "\(grouped(result.runs)) runs, \(grouped(result.pruned)) of them broken off as repetitions; \(end)"
        } else {
            let result = CancellationSearch(program, seed: seed).run()
            found = result.failures
            let end = result.isExhausted ? "all there are" : "ended by its limit"
            summary = "\(grouped(result.points)) suspensions at which a task was cancelled; \(end)"
        }
        for (recipe, failure) in found.prefix(10) {
            terminal.line("\(terminal.styled("✘", .red)) \(failure)")
            terminal.line("  again    lenssim run \(program.name) --recipe '\(recipe)'")
        }
        let mark = found.isEmpty ? terminal.styled("✔", .green) : terminal.styled("✘", .red)
        terminal.line("\(mark) \(program.name), seed \(seed): \(summary), \(found.count) failed")
        if !found.isEmpty { throw Exit.failed }
    }
}

/// The line that shows how far a sweep has come.
struct ProgressLine: Sendable {
    /// Seeds in all; `nil` when time ends the sweep.
    var total: UInt64?
    private let start = ContinuousClock.now

    init(total: UInt64?) { self.total = total }

    func text(_ progress: Sweep.Progress) -> String {
        let seconds = max((ContinuousClock.now - start) / .seconds(1), 0.001)
        let bar = total.map { progressBar(progress.done, of: Int(clamping: $0)) + " " } ?? ""
        let reached =
            progress.reached.all == 0 ? "" : ", \(progress.reached.held)/\(progress.reached.all) sometimes"
        return "\(bar)\(grouped(progress.done)) runs, \(grouped(Int(Double(progress.done) / seconds)))/s, "
            + "\(grouped(progress.schedules)) schedules\(reached), \(progress.failed) failed"
    }
}
