import ArgumentParser
import CommandKit
import Exploration
import Foundation
import ScenarioKit
import Simulation

/// The command `lenssim run SCENARIO`.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Runs a scenario from one or many seeds.",
        discussion: HelpText.filled(
            """
            A seed is one run: --seed 7, --recipe 'seed=7' and seed 7 of lenssim explore with the same strategy are the same, step
            by step. Tasks that are left behind when the story has ended are a failure. A test with @Test(.simulated) has the
            same run by LENSSIM_RECIPE='seed=7', but for tasks that it leaves behind: they are cancelled, and a failure only
            where its configuration forbids them.

            Examples:
              lenssim run lens-streaming --seeds 1...1000
              lenssim run lens-streaming --seeds 1...1000 --check-determinism
              lenssim run lens-streaming --seconds 3600 --prepared
              lenssim run lens-upload --seed 7 --record bug.lenssession
              lenssim run lens-streaming --fidelity loopback
              lenssim run lens-upload --seed 7 --strategy pct
              lenssim run lens-upload --recipe 'seed=7 strategy=pct'
              lenssim run lost-update --recipe 'seed=7 strategy=pos' --check-determinism
              lenssim run --package . --filter AccountTests --recipe 'seed=7 strategy=pos'
              lenssim run --from signup.lenssession --recipe 'seed=7 strategy=pos'
            """
        )
    )

    enum Fidelity: String, ExpressibleByArgument, CaseIterable {
        case simulated, loopback
    }

    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp(
            "The scenario's name, and its settings, such as --seconds 5; lenssim scenarios NAME lists them.",
            valueName: "scenario"
        )
    )
    var words: [String] = []

    @OptionGroup var tests: PackageArguments

    @OptionGroup var recording: RecordingArgument

    @Option(help: "One seed.")
    var seed: UInt64?

    @Option(help: "A range of seeds, such as 1...1000.")
    var seeds: SeedRange?

    @Option(
        help: "One run, as lenssim explore and lenssim shrink print it.",
        transform: RecipeArgument.read
    )
    var recipe: RecipeArgument?

    @Option(help: "How steps are chosen; lenssim explore --help lists the strategies. (default: random)")
    var strategy: Strategy?

    @Option(help: "Simulated, or over real sockets of this machine in real time.")
    var fidelity = Fidelity.simulated

    @Flag(help: "Run every seed twice and compare each step.")
    var checkDeterminism = false

    @Flag(help: "Go on after a failure.")
    var keepGoing = false

    @Option(help: "How many seeds run at once. (default: one for each core)")
    var jobs: Int?

    @Option(help: "Write a recording; for one seed.")
    var record: String?

    @Flag(help: "Print JSON for machines.")
    var json = false

    func validate() throws {
        if seed != nil, seeds != nil { throw ValidationError("Give --seed or --seeds, not both.") }
        if let jobs, !(1...1024).contains(jobs) { throw ValidationError("--jobs must be 1 to 1024.") }
        if recipe != nil { try validateRecipe() }
        if tests.package != nil { try typed.refuse("is for scenarios: give it without --package.") }
        try recording.refuse(["a scenario": typed.scenario != nil, "--package": tests.package != nil])
        if recording.from != nil {
            try validateRecordedRun()
        } else if try tests.tests(besides: typed.scenario) != nil {
            try validatePackageRun()
        }
        if record != nil, range(from: nil).lowerBound != range(from: nil).upperBound {
            throw ValidationError("--record takes one seed: add --seed N.")
        }
        if record != nil, fidelity == .loopback {
            throw ValidationError("--record records simulated runs; lenssim demo records one over loopback.")
        }
        if record != nil, checkDeterminism {
            throw ValidationError("--record runs the seed once: check it in a run without --record.")
        }
        if fidelity == .loopback, checkDeterminism {
            throw ValidationError(
                "--check-determinism compares simulated runs; real sockets are not deterministic."
            )
        }
        if fidelity == .loopback, strategy != nil {
            throw ValidationError(
                "--strategy is for simulated runs; real sockets choose the order themselves."
            )
        }
        if fidelity == .loopback, jobs != nil {
            throw ValidationError(
                "--jobs is for simulated runs; over loopback seeds run one after the other."
            )
        }
    }

    /// What the tests of a package have no say in.
    private func validatePackageRun() throws {
        let others: KeyValuePairs = [
            "--fidelity": fidelity != .simulated, "--record": record != nil, "--json": json,
        ]
        guard let other = others.first(where: \.value)?.key else { return }
        throw ValidationError("\(other) is for scenarios: give it without --package.")
    }

    /// What a recording decides itself, or cannot have.
    private func validateRecordedRun() throws {
        try typed.refuse("is for scenarios: a recording has its own.")
        try recording.refuse(["--fidelity": fidelity != .simulated, "--record": record != nil])
    }

    /// Runs tests of a package, which print what they find.
    private func run(_ tests: PackageTests) throws {
        var variables: [String: String] = [:]
        if let recipe { variables["LENSSIM_RECIPE"] = "\(recipe.recipe)" }
        if let seed { variables["LENSSIM_SEED"] = "\(seed)" }
        if let seeds { variables["LENSSIM_SEEDS"] = seeds.seeds.description }
        if let strategy { variables["LENSSIM_STRATEGY"] = strategy.rawValue }
        if let jobs { variables["LENSSIM_JOBS"] = "\(jobs)" }
        variables["LENSSIM_CHECK_DETERMINISM"] = checkDeterminism ? "1" : "0"
        variables["LENSSIM_KEEP_GOING"] = keepGoing ? "1" : "0"
        try tests.report(try tests.run(variables))
    }

    /// A recipe decides everything by itself.
    private func validateRecipe() throws {
        let others: KeyValuePairs = [
            "--seed": seed != nil, "--seeds": seeds != nil, "--fidelity": fidelity != .simulated,
            "--keep-going": keepGoing, "--jobs": jobs != nil, "--strategy": strategy != nil,
        ]
        guard let other = others.first(where: \.value)?.key else { return }
        throw ValidationError("--recipe is one whole run: give it without \(other).")
    }

    private var typed: SettingArguments { SettingArguments(words, of: RunCommand.self) }

    /// - Parameter recorded: A run that was recorded, whose seed is the one where none is given.
    private func range(from recorded: Recipe?) -> ClosedRange<UInt64> {
        let only = recipe?.recipe.seed ?? seed ?? recorded?.seed ?? 1
        return seeds?.seeds ?? only...only
    }

    func run() async throws {
        let typed = typed
        if recording.from != nil {
            return try await reportingFailures { terminal in
                if let file = try recording.explored() {
                    try await run(file.program, nil, from: file.recipe, terminal)
                }
            }
        }
        if let tests = try tests.tests(besides: typed.scenario) {
            return try tests.ending(on: Terminal()) { try run(tests) }
        }
        let name = typed.scenario ?? ""
        let scenario = try Apps.scenarios.scenario(named: name).map { try typed.apply(to: $0.init()) }
        let program = try scenario?.program ?? ProgramCatalogue.named(name)
        if scenario == nil {
            try typed.refuse("is for scenarios of an app, and \(program.name) is not one.")
            let others: KeyValuePairs = ["--fidelity": fidelity != .simulated, "--record": record != nil]
            if let other = others.first(where: \.value)?.key {
                throw ValidationError("\(other) applies to scenarios of an app; \(program.name) is not one.")
            }
        }
        try await run(program, scenario, Terminal())
    }

    /// Runs a program, which may be that of a scenario.
    ///
    /// - Parameter recorded: A run of it that was recorded; `nil` for none.
    private func run(
        _ program: Program,
        _ scenario: (any Scenario)?,
        from recorded: Recipe? = nil,
        _ terminal: Terminal
    ) async throws {
        let range = range(from: recorded)
        let recipes = try recipes(of: program, from: recorded)
        var tally = RunTally(
            scenario: program.name,
            seeds: range,
            command: program.command ?? "lenssim run \(program.name)",
            isSimulated: fidelity == .simulated,
            checksDeterminism: checkDeterminism,
            recipe: recipes
        )
        switch (scenario, fidelity) {
        case (let scenario?, .loopback): try await runOverLoopback(scenario, &tally)
        case (let scenario?, .simulated): try runSimulated(scenario, recipes, &tally, terminal)
        case (nil, _):
            try sweep(&tally, terminal) { [checkDeterminism] seed in
                RunOutcome(program, recipes(seed), checkingDeterminism: checkDeterminism)
            }
        }
        try tally.show(asJSON: json, on: terminal)
        if Interruption.isRequested { throw Exit.interrupted }
        if !tally.failures.isEmpty { throw Exit.failed }
    }

    /// What decides the run of each seed: the same as in lenssim explore, or what decided a recorded run where nothing else is asked for.
    private func recipes(
        of program: Program,
        from recorded: Recipe?
    ) throws -> @Sendable (UInt64) -> Recipe {
        if let recipe { return { [recipe = recipe.recipe] _ in recipe } }
        if let recorded, seed == nil, seeds == nil, strategy == nil { return { _ in recorded } }
        var sweep = Sweep(program, strategy: .random, seeds: range(from: recorded), jobs: 1)
        if let recorded { sweep.resemble(recorded) }
        if let strategy { sweep.strategy = strategy }
        let measured = try sweep.measured()
        return { measured.recipe(seed: $0) }
    }

    private func runOverLoopback(_ scenario: some Scenario, _ tally: inout RunTally) async throws {
        guard !type(of: scenario).needsSimulatedNetwork else {
            throw ValidationError("\(NeedsSimulatedNetwork(scenario: type(of: scenario).name))")
        }
        for seed in tally.seeds {
            tally.add(RunOutcome(await scenario.runOverLoopback(seed: seed)))
            if !tally.failures.isEmpty, !keepGoing { return }
        }
    }

    private func runSimulated(
        _ scenario: some Scenario,
        _ recipes: @escaping @Sendable (UInt64) -> Recipe,
        _ tally: inout RunTally,
        _ terminal: Terminal
    ) throws {
        if let record {
            do {
                tally.add(RunOutcome(try scenario.record(recipes(tally.seeds.lowerBound), to: record)))
            } catch {
                terminal.warn("lenssim: \(error)")
                throw Exit.code(for: error)
            }
            return
        }
        try sweep(&tally, terminal) { [checkDeterminism] seed in
            RunOutcome(scenario.runSimulated(recipes(seed), checkingDeterminism: checkDeterminism))
        }
    }

    /// Runs all seeds, in several processes, up to a failure; what a recipe decides runs here, for debuggers and profilers.
    private func sweep(
        _ tally: inout RunTally,
        _ terminal: Terminal,
        _ run: @escaping @Sendable (UInt64) -> RunOutcome
    ) throws {
        if let recipe { return tally.add(run(recipe.recipe.seed)) }
        Interruption.takeNote()
        var sweep = SeedSweep(
            seeds: tally.seeds,
            jobs: jobs ?? ProcessInfo.processInfo.activeProcessorCount,
            value: run,
            ended: { RunOutcome(seed: $0, failure: "\($1)") }
        )
        sweep.isStopped = { Interruption.isRequested }
        let line = ProgressLine(on: terminal, unit: "seeds", total: tally.seeds.count, isQuiet: json)
        var ending = ProgressLine.End.done
        try sweep.run { _, outcome in
            tally.add(outcome)
            line.show(tally.done, "\(tally.failures.count) failed")
            if !tally.failures.isEmpty, !keepGoing { ending = .failure }
            return ending == .done
        }
        if Interruption.isRequested, ending == .done { ending = .interruption }
        line.end(tally.done, "\(tally.failures.count) failed", ending: ending)
    }
}
