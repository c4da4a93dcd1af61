import Exploration
import Foundation
package import Simulation

/// Which runs a test consists of: what its trait says, overridden by variables of the environment.
package struct SeedPlan {
    package var seeds: ClosedRange<UInt64>
    /// Which of several equal parts of the seeds; `nil` for all of them.
    package var shard: (number: Int, count: Int)?
    /// Real time after which no new seed is begun; `nil` for no limit.
    package var limit: Duration?
    /// Whether a search that finds nothing says what it has done, since the environment gave it a time.
    package var reportsSuccess = false
    /// How each seed chooses steps; `nil` where the test's configuration says it.
    package var strategy: Strategy?
    /// Whether the thread pool may be late.
    package var stalls: Simulation.Configuration.Stalls
    /// Whether sleeps end late, and steps take time; `nil` where the stalls decide it.
    package var timing: Simulation.Configuration.Timing?
    /// What decides the only run, where the environment says it.
    package var recipe: Recipe?
    package var checksDeterminism: Bool
    /// Whether many runs are searched for a failure: not where one run is to be looked at, or each is compared with itself.
    package var isSearch: Bool
    /// How many seeds run at once; `nil` for as many as there are cores.
    package var jobs: Int?
    /// A plan of faults that each run gets; `nil` for none.
    package var plan: String?
    /// Whether runs are made in the process of the test, for a debugger or a profiler.
    package var isInProcess = false
    /// Whether each seed has a process of its own.
    package var isolates = false
    /// Whether a search goes on after a failure.
    package var keepsGoing = false
    /// The folder that wants what a search has found; `nil` for none.
    package var results: String?
    /// Whether a failing run is made smaller before it is reported.
    package var shrinks: Bool
    /// Real time in which that is done.
    package var shrinkingLimit = Duration.seconds(2)

    /// Makes a plan; where what is run is fixed, variables of the environment do not change it.
    package init(
        seeds: ClosedRange<UInt64>,
        limit: Duration? = nil,
        strategy: Strategy? = nil,
        stalls: Simulation.Configuration.Stalls = .drawn,
        timing: Simulation.Configuration.Timing? = nil,
        isFixed: Bool = false,
        environment: Environment
    ) throws(InvalidVariable) {
        self.seeds = seeds
        self.limit = limit
        self.strategy = strategy
        self.stalls = stalls
        self.timing = timing
        checksDeterminism = environment["LENSSIM_CHECK_DETERMINISM"].map { $0 != "0" } ?? false
        isInProcess = environment["LENSSIM_IN_PROCESS"].map { $0 != "0" } ?? false
        let shrinking = try environment.value(
            of: "LENSSIM_SHRINK",
            allowed: "a length of time, such as 60s, or 0 for none"
        ) {
            $0 == "0" ? .zero : Duration(text: $0)
        }
        // A run that is to be looked at is not changed, unless it is wanted smaller.
        let isChosen = isFixed || environment["LENSSIM_RECIPE"] != nil || environment["LENSSIM_SEED"] != nil
        isSearch = !isFixed && !checksDeterminism && (!isChosen || shrinking ?? .zero > .zero)
        shrinks = isSearch && shrinking != .zero
        shrinkingLimit = shrinking ?? shrinkingLimit
        let timeout = "LENSSIM_STEP_TIMEOUT"
        if let value = environment[timeout], !(Double(value).map { (0..<1e9).contains($0) } ?? false) {
            throw InvalidVariable(
                name: timeout,
                value: value,
                allowed: "seconds, such as 60, or 0 for no limit"
            )
        }
        let memory = "LENSSIM_MEMORY"
        if let value = environment[memory], !(Int(value).map { (1...1 << 40).contains($0) } ?? false) {
            throw InvalidVariable(name: memory, value: value, allowed: "a number of MiB, such as 8000")
        }
        for name in ["LENSSIM_DISPATCH", "LENSSIM_THREADS"] {
            if let value = environment[name], !["simulated", "refused"].contains(value) {
                throw InvalidVariable(name: name, value: value, allowed: "simulated or refused")
            }
        }
        if isFixed { return }
        isolates = environment["LENSSIM_ISOLATE"].map { $0 != "0" } ?? false
        keepsGoing = environment["LENSSIM_KEEP_GOING"].map { $0 != "0" } ?? false
        results = environment["LENSSIM_RESULTS"]
        jobs = try environment.value(of: "LENSSIM_JOBS", allowed: "a number of seeds at once, 1 to 1024") {
            Int($0).flatMap { (1...1024).contains($0) ? $0 : nil }
        }
        plan = try environment.value(
            of: "LENSSIM_PLAN",
            allowed: "swarm, or the path of a file with a plan of faults"
        ) {
            $0 == "swarm" ? $0 : try? String(contentsOfFile: $0, encoding: .utf8)
        }
        try readLimit(environment)
        try readSeeds(environment)
        try readShard(environment)
        self.strategy =
            try environment.value(of: "LENSSIM_STRATEGY", allowed: "one of \(Self.strategies)") {
                Strategy(rawValue: $0)
            } ?? strategy
        let allowed =
            "a recipe as a failure prints it, such as 'seed=7 strategy=portfolio'; strategies are \(Self.strategies)"
        if let recipe = try environment.value(of: "LENSSIM_RECIPE", allowed: allowed, { Recipe($0) }) {
            self.recipe = recipe
            self.seeds = recipe.seed...recipe.seed
            self.limit = nil
        }
    }

    /// The seeds of a test that names none.
    static let usualSeeds: ClosedRange<UInt64> = 1...1_000
    /// Real time after which such a test begins no new seed.
    static let usualLimit = Duration.seconds(1)

    /// What a test that names no seeds runs.
    static func usual(
        stalls: Simulation.Configuration.Stalls,
        timing: Simulation.Configuration.Timing?,
        plan: String?
    ) throws(InvalidVariable) -> SeedPlan {
        var usual = try SeedPlan(
            seeds: usualSeeds,
            limit: usualLimit,
            strategy: .portfolio,
            stalls: stalls,
            timing: timing,
            environment: .process
        )
        usual.plan = usual.plan ?? plan
        return usual
    }

    /// As many seeds as there is time for.
    private mutating func readLimit(_ environment: Environment) throws(InvalidVariable) {
        let allowed = "a length of time, such as 90s, 10m or 2h"
        guard let limit = try environment.value(of: "LENSSIM_FOR", allowed: allowed, { Duration(text: $0) })
        else { return }
        self.limit = limit
        reportsSuccess = true
        seeds = seeds.lowerBound...UInt64.max
    }

    private mutating func readSeeds(_ environment: Environment) throws(InvalidVariable) {
        let allowed = "a number like 7, or a range like 1...1000"
        let range = try environment.value(of: "LENSSIM_SEEDS", allowed: allowed) { ClosedRange(seeds: $0) }
        if let range {
            seeds = range
            // A range is run whole, whatever time the test gives itself.
            if !reportsSuccess { self.limit = nil }
        }
        if let seed = try environment.value(of: "LENSSIM_SEED", allowed: allowed, { UInt64($0) }) {
            self.seeds = seed...seed
            limit = nil
        }
    }

    private mutating func readShard(_ environment: Environment) throws(InvalidVariable) {
        shard = try environment.value(of: "LENSSIM_SHARD", allowed: "a part of the seeds, such as 2/4") {
            let parts = $0.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
            guard parts.count == 2, let number = parts[0], let count = parts[1], count > 0,
                (1...count).contains(number)
            else { return nil }
            return (number, count)
        }
    }

    /// The seeds of this part; `nil` where there are fewer seeds than parts, and none for this one.
    package var part: ClosedRange<UInt64>? {
        guard let shard else { return seeds }
        return Sweep.shard(shard.number, of: shard.count, seeds: seeds)
    }

    private static var strategies: String { Strategy.allCases.map(\.rawValue).joined(separator: ", ") }

    /// What decides the run of a seed; `nil` where the test's configuration does.
    ///
    /// - Parameters:
    ///   - seed: The seed.
    ///   - horizon: How long the tasks of earlier seeds were; see ``Simulation/Simulation/Configuration/horizon``.
    package func recipe(seed: UInt64, horizon: Int = 0) -> Recipe? {
        if let recipe { return recipe }
        guard let strategy else { return nil }
        var recipe = Recipe(
            seed: seed,
            strategy: strategy,
            plan: plan,
            stalls: stalls == .drawn,
            timing: timing
        )
        if recipe.usesHorizon { recipe.horizon = horizon }
        return recipe
    }

    /// Where the variables come from.
    package struct Environment {
        package var variables: [String: String]
        package static var process: Environment {
            Environment(variables: ProcessInfo.processInfo.environment)
        }
        package init(variables: [String: String]) { self.variables = variables }

        package subscript(name: String) -> String? { variables[name].flatMap { $0.isEmpty ? nil : $0 } }

        /// What a variable says; `nil` where it is not set.
        fileprivate func value<Value>(
            of name: String,
            allowed: String,
            _ read: (String) -> Value?
        ) throws(InvalidVariable) -> Value? {
            guard let text = self[name] else { return nil }
            guard let value = read(text) else {
                throw InvalidVariable(name: name, value: text, allowed: allowed)
            }
            return value
        }
    }
}

/// A variable of the environment that cannot be understood.
package struct InvalidVariable: Error, CustomStringConvertible {
    var name: String
    var value: String
    var allowed: String

    package var description: String { "\(name)=\(value) is not understood: write \(allowed)" }
}
