import ArgumentParser
import CommandKit
import Exploration
import Foundation
import Simulation

/// The command `lenssim explore SCENARIO`.
struct ExploreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explore",
        abstract: "Searches many seeds for failures and shrinks them.",
        discussion: HelpText.filled(
            """
            Strategies:
              fifo             in the order in which steps became ready
              random           any step that is ready
              pct              priorities that change a few times
              pos              partial order sampling
              reentrant        enters actors in the middle of a method
              runUntilBlocked  one task until it blocks
              sticky           the same, but now and then any
              portfolio        random, pct, pos, reentrant and sticky, chosen by the seed
              cancel           random, and one task is cancelled at one suspension

            Examples:
              lenssim explore lens-upload --seeds 1...10000 --strategy portfolio
              lenssim explore lens-upload --for 10m --keep-going
              lenssim explore lens-drop-resumes --branch 4 --seeds 1...100
              lenssim explore lens-upload --keep-going --shard 2/4 --out part2.json
              lenssim explore lens-upload --plan swarm --seeds 1...2000
              lenssim explore --all --plan swarm --seeds 1...5000 --keep-going
              lenssim explore --from signup.lenssession --seeds 1...500
              lenssim explore --from signup.lenssession --plan swarm --for 5m
              lenssim explore lost-update --exhaustive
              lenssim explore --package . --filter AccountTests --for 10m
              lenssim explore --package . --all-tests

            --from FILE begins with what lens, flow, argus, nova or lenssim demo recorded: the program runs again with the recorded
            answers and actions, and each seed decides the order of steps, which answers come sooner or later than they did, by
            ten seconds at most, and which actions a little. A request that was not recorded then is answered like the one that
            resembles it, or refused. Nothing is lost unless --plan says so: the device is the host “phone”, and
            each peer has the name of its address, with - for what is no letter, digit or point. A failure is what the
            recording did not have: an error, a crash, an end that never comes, or a probe or a property of a screen that does not
            hold. A recording of a scenario is that scenario with its settings, and seeds from that of the recording on.

            Exits with 1 when something failed, and with --all --plan swarm also when a fault point of the services never bit.
            """
        )
    )

    @Argument(help: "The scenario's name; see lenssim scenarios.")
    var scenario: String?

    @Flag(help: "Instead of one scenario: every scenario of the app, one after the other.")
    var all = false

    @OptionGroup var tests: PackageArguments

    @OptionGroup var recording: RecordingArgument

    @Option(help: "A range of seeds, such as 1...1000. (default: 1...1000, or all with --for)")
    var seeds: SeedRange?

    @Option(
        name: .customLong("for"),
        help: "Real time after which no new seed is begun, such as 60s, 10m or 2h."
    )
    var time: DurationArgument?

    @Option(help: "The scheduling strategy, of those above. (default: portfolio)")
    var strategy: Strategy?

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

    @Option(help: "One shard of the seeds, such as 2/4.")
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
    var failures = FailureFile.folder

    @Flag(inversion: .prefixedNo, help: "Shrink one failure of each kind.")
    var shrink = true

    @Flag(help: "Print JSON for machines.")
    var json = false

    func validate() throws {
        if let jobs, !(1...1024).contains(jobs) { throw ValidationError("--jobs must be 1 to 1024.") }
        if !(0...1000).contains(branch) { throw ValidationError("--branch must be 0 to 1000.") }
        if budget < 0 { throw ValidationError("--budget must not be negative.") }
        if exhaustive, cancellations {
            throw ValidationError("Give --exhaustive or --cancellations, not both.")
        }
        if exhaustive || cancellations { try validateSystematicSearch() }
        try recording.refuse([
            "a scenario": scenario != nil, "--all": all, "--package": tests.package != nil,
        ])
        if all {
            try validateSearchOfAll()
        } else if recording.from == nil, try tests.tests(besides: scenario) != nil {
            try validatePackageSearch()
        }
        if shard != nil, time != nil { throw ValidationError("--shard divides --seeds, and has no --for.") }
    }

    private func validateSystematicSearch() throws {
        let search = exhaustive ? "--exhaustive" : "--cancellations"
        if let seeds, seeds.seeds.lowerBound != seeds.seeds.upperBound {
            throw ValidationError("\(search) searches one seed: give --seeds N.")
        }
        let others: KeyValuePairs = [
            "--for": time != nil, "--strategy": strategy != nil, "--jobs": jobs != nil, "--isolate": isolate,
            "--branch": branch > 0, "--shard": shard != nil, "--plan": plan != nil, "--out": out != nil,
        ]
        guard let other = others.first(where: \.value)?.key else { return }
        throw ValidationError("\(search) goes its own way through one seed: give it without \(other).")
    }

    func run() async throws {
        let terminal = Terminal()
        if all { return try await exploreAll(terminal) }
        if recording.from == nil, let tests = try tests.tests(besides: scenario) {
            return try tests.ending(on: terminal) { try explore(tests, terminal) }
        }
        do {
            let file = try recording.explored()
            let program = try file?.program ?? ProgramCatalogue.named(scenario ?? "")
            if exhaustive || cancellations {
                return try searchSystematically(program, from: file?.recipe, terminal)
            }
            let view = try await search(program, from: file?.recipe, terminal)
            if let out { try SweepFile(path: out).write(view.result) }
            try view.show(asJSON: json, on: terminal)
            if Interruption.isRequested { throw Exit.interrupted }
            if !view.result.failures.isEmpty { throw Exit.failed }
        } catch let usage as ValidationError {
            throw usage
        } catch let exit as ExitCode {
            throw exit
        } catch {
            terminal.warn("lenssim: \(error)")
            throw Exit.code(for: error)
        }
    }

    /// Searches through the seeds, and shrinks what failed.
    ///
    /// - Parameters:
    ///   - program: What is searched.
    ///   - recipe: A run of it, whose seed comes first; `nil` for none.
    ///   - limit: Real time, where it is another one than the command's.
    func search(
        _ program: Program,
        from recipe: Recipe? = nil,
        limit: Duration? = nil,
        _ terminal: Terminal
    ) async throws -> ExploreView {
        let start = ContinuousClock.now
        let result = try await result(program, from: recipe, limit: limit ?? time?.duration, terminal)
        if let refusal = result.failures.values.flatMap(\.runs).first(where: {
            $0.failure.ending == .refusal
        }) {
            throw RefusedPlan(message: refusal.failure.message)
        }
        var view = ExploreView(result: result, seconds: (ContinuousClock.now - start) / .seconds(1))
        if let command = program.command { view.command = command }
        view.canBeTested = program.code != nil
        if shrink, !Interruption.isRequested {
            view.shrunk = try shrinkFailures(of: result, program, terminal)
        }
        return view
    }

    /// - Parameter first: The seed with which a search begins that is given none.
    private func seedRange(from first: UInt64) -> ClosedRange<UInt64>? {
        let most: UInt64 = .max - 1
        let range =
            seeds?.seeds ?? min(first, most)...(time == nil && first < most - 999 ? first + 999 : most)
        guard let shard else { return range }
        return Sweep.shard(shard.number, of: shard.count, seeds: range)
    }

    private func result(
        _ program: Program,
        from recipe: Recipe?,
        limit: Duration?,
        _ terminal: Terminal
    ) async throws -> SweepResult {
        guard let range = seedRange(from: recipe?.seed ?? 1) else {
            let strategy = strategy ?? .portfolio
            terminal.warn("there are fewer seeds than shards, and none for this one")
            return SweepResult(program: program.name, strategy: strategy, expects: program.expects)
        }
        Interruption.takeNote()
        var sweep = Sweep(
            program,
            seeds: range,
            jobs: jobs ?? ProcessInfo.processInfo.activeProcessorCount,
            limit: limit,
            keepsGoing: keepGoing
        )
        if let recipe { sweep.resemble(recipe) }
        if let strategy { sweep.strategy = strategy }
        if let plan { sweep.plan = try plan.text() }
        sweep.isStopped = { Interruption.isRequested }
        let line = ProgressLine(
            on: terminal,
            unit: "runs",
            total: time == nil ? range.count : nil,
            limit: limit,
            isQuiet: json
        )
        let show = { @Sendable (progress: Sweep.Progress) in
            line.show(
                progress.done,
                "\(grouped(progress.schedules)) schedules",
                progress.reached.all == 0 ? "" : "\(progress.reached.held)/\(progress.reached.all) sometimes",
                "\(grouped(progress.failed)) failed"
            )
        }
        if isolate { sweep.isolation = .seed }
        sweep.futures = branch
        sweep.branchBudget = budget
        let result = try sweep.run(onProgress: show)
        if let statics = result.statics { terminal.warn("lenssim: \(statics)") }
        line.end(
            result.runs,
            "\(grouped(result.schedules.estimate)) schedules",
            "\(grouped(result.failedRuns)) failed",
            ending: ending(of: result)
        )
        return result
    }

    private func ending(of result: SweepResult) -> ProgressLine.End {
        if Interruption.isRequested { return .interruption }
        if !keepGoing, !result.failures.isEmpty { return .failure }
        return time == nil ? .done : .timeLimit
    }

    /// Shrinks the first run of each kind of failure, and writes what it gives into a file.
    private func shrinkFailures(
        of result: SweepResult,
        _ program: Program,
        _ terminal: Terminal
    ) throws -> [String: ShrunkFailure] {
        var shrunk: [String: ShrunkFailure] = [:]
        var names = FailureNames(folder: failures, program: program.name)
        for (fingerprint, group) in result.failures.sorted(by: { $0.key < $1.key }) {
            if Interruption.isRequested { break }
            // A run that hangs takes its whole time for each try, and leaves nothing to look at.
            guard let run = group.runs.first, run.failure.ending != .hang else { continue }
            if !json { terminal.progress("shrinking \(fingerprint) …") }
            let path = names.path(seed: run.recipe.seed)
            var shrinker = Shrinker(program)
            // To shrink what ends its process would end this one.
            shrinker.isIsolated = run.failure.endsProcess
            shrinker.isStopped = { Interruption.isRequested }
            var failure = ShrunkFailure(path: path)
            failure.rate = try rate(of: run, in: result, program)
            do { failure.result = try shrinker.shrink(run.recipe) } catch { failure.problem = error }
            let file = try FailureFile(
                program,
                run.recipe,
                shrunk: failure.result,
                rate: failure.rate,
                isolated: run.failure.endsProcess
            )
            failure.causes = file.causes
            failure.race = file.race
            failure.curve = file.curve
            try write(file, to: path)
            shrunk[fingerprint] = failure
            terminal.endProgress()
        }
        return shrunk
    }

    /// In how many seeds the program fails like a run.
    private func rate(
        of run: SweepResult.FailedRun,
        in result: SweepResult,
        _ program: Program
    ) throws -> FailureRate? {
        if keepGoing, result.branches == 0 { return FailureRate(of: run.failure, in: result) }
        var sweep = Sweep(
            program,
            seeds: FailureRate.countedSeeds,
            jobs: jobs ?? ProcessInfo.processInfo.activeProcessorCount
        )
        sweep.resemble(run.recipe)
        sweep.isStopped = { Interruption.isRequested }
        if isolate || result.statics != nil { sweep.isolation = .seed }
        return try sweep.failureRate(of: run.failure)
    }

    private func write(_ file: FailureFile, to path: String) throws {
        do {
            try FileManager.default.createDirectory(atPath: failures, withIntermediateDirectories: true)
        } catch { throw OutputFailure(path: failures, error) }
        try OutputFile(path: path).write(try file.encoded())
    }

    private func searchSystematically(
        _ program: Program,
        from recipe: Recipe?,
        _ terminal: Terminal
    ) throws {
        let seed = seeds?.seeds.lowerBound ?? recipe?.seed ?? 1
        var view =
            exhaustive
            ? SystematicSearchView(
                ExhaustiveSearch(program, seed: seed).run(stopsAtFailure: !keepGoing),
                of: program,
                seed: seed
            )
            : SystematicSearchView(CancellationSearch(program, seed: seed).run(), of: program, seed: seed)
        var names = FailureNames(folder: failures, program: program.name)
        for failure in view.shown {
            let path = names.path(seed: seed)
            try write(FailureFile(program, recipe: failure.recipe), to: path)
            view.files.append(path)
        }
        try view.show(asJSON: json, on: terminal)
        if !view.failures.isEmpty { throw Exit.failed }
    }
}

extension FailureFile {
    /// Runs a recipe again, in a process of its own if it would end this one, and keeps everything.
    init(
        _ program: Program,
        _ recipe: Recipe,
        shrunk: Shrinker.Result?,
        rate: FailureRate?,
        isolated: Bool
    ) throws {
        self =
            isolated
            ? try FailureFile(isolated: program, recipe: recipe, shrunk: shrunk, rate: rate)
            : FailureFile(program, recipe: recipe, shrunk: shrunk, rate: rate)
        if failure != nil, rate?.isNearlyAll != true { curve = try program.failureCurve(of: shown) }
    }
}

/// The files of failures, one for each.
private struct FailureNames {
    let folder: String
    let program: String
    private var taken: Set<String> = []

    init(folder: String, program: String) {
        self.folder = folder
        self.program = program
    }

    /// A path that no other failure of this search has.
    mutating func path(seed: UInt64) -> String {
        let name = "\(folder)/\(program)-\(seed)"
        var path = name + ".json"
        var number = 2
        while !taken.insert(path).inserted {
            path = "\(name)-\(number).json"
            number += 1
        }
        return path
    }
}
