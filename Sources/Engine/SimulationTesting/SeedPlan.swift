import Foundation
package import Simulation

/// Which runs a test consists of, after the environment had its say.
package struct SeedPlan: Equatable {
    package var seeds: ClosedRange<UInt64>
    /// Real time after which no new seed is begun; `nil` for no limit.
    package var limit: Duration?
    /// How each seed chooses steps; `nil` where the test's configuration says it.
    package var strategy: Strategy?
    /// Whether the thread pool may be late.
    package var stalls: Simulation.Configuration.Stalls
    /// What decides the only run, where the environment says it.
    package var recipe: Recipe?
    package var checksDeterminism: Bool
    /// Whether a failing run is made smaller before it is reported.
    package var shrinks: Bool

    /// Makes a plan; the environment has no say in what is run where that is fixed.
    package init(
        seeds: ClosedRange<UInt64>,
        strategy: Strategy? = nil,
        stalls: Simulation.Configuration.Stalls = .drawn,
        isFixed: Bool = false,
        environment: Environment
    ) throws(InvalidVariable) {
        self.seeds = seeds
        self.strategy = strategy
        self.stalls = stalls
        checksDeterminism = environment["LENSSIM_CHECK_DETERMINISM"].map { $0 != "0" } ?? false
        // A run that is to be looked at is not changed.
        let isChosen = isFixed || environment["LENSSIM_RECIPE"] != nil || environment["LENSSIM_SEED"] != nil
        shrinks = !isChosen && !checksDeterminism && environment["LENSSIM_SHRINK"].map { $0 != "0" } ?? true
        let timeout = "LENSSIM_STEP_TIMEOUT"
        if let value = environment[timeout], !(Double(value).map { (0..<1e9).contains($0) } ?? false) {
            throw InvalidVariable(
                name: timeout,
                value: value,
                allowed: "seconds, such as 60, or 0 for no limit"
            )
        }
        if isFixed { return }
        try readLimit(environment)
        try readSeeds(environment)
        self.strategy =
            try environment.value(of: "LENSSIM_STRATEGY", allowed: "one of \(Self.strategies)") {
                Strategy(rawValue: $0)
            } ?? strategy
        let allowed =
            "a recipe as a failure prints it, such as 'seed=7 strategy=portfolio'; strategies are \(Self.strategies)"
        if let recipe = try environment.value(of: "LENSSIM_RECIPE", allowed: allowed, { Recipe($0) }) {
            self.recipe = recipe
            self.seeds = recipe.seed...recipe.seed
            limit = nil
        }
    }

    /// As many seeds as there is time for.
    private mutating func readLimit(_ environment: Environment) throws(InvalidVariable) {
        let allowed = "a length of time, such as 90s, 10m or 2h"
        guard let limit = try environment.value(of: "LENSSIM_FOR", allowed: allowed, { Duration(text: $0) })
        else { return }
        self.limit = limit
        seeds = seeds.lowerBound...UInt64.max
    }

    private mutating func readSeeds(_ environment: Environment) throws(InvalidVariable) {
        let allowed = "a number like 7, or a range like 1...1000"
        let range = try environment.value(of: "LENSSIM_SEEDS", allowed: allowed) { ClosedRange(seeds: $0) }
        seeds = range ?? seeds
        if let seed = try environment.value(of: "LENSSIM_SEED", allowed: allowed, { UInt64($0) }) {
            self.seeds = seed...seed
            limit = nil
        }
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
        var recipe = Recipe(seed: seed, strategy: strategy, stalls: stalls == .drawn)
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
