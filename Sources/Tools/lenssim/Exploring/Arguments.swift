public import ArgumentParser
import Exploration
import FaultPlans
import Foundation
public import Simulation

extension Strategy: ExpressibleByArgument {}

/// One part of a sweep, as `2/4`.
struct ShardArgument: ExpressibleByArgument {
    var number: Int
    var count: Int

    init?(argument: String) {
        let parts = argument.split(separator: "/").map { Int($0) }
        guard parts.count == 2, let number = parts[0], let count = parts[1], count > 0,
            (1...count).contains(number)
        else { return nil }
        self.number = number
        self.count = count
    }
}

/// A length of time, as `90s`, `1.5s`, `10m` or `2h`; a number alone is of seconds.
struct DurationArgument: ExpressibleByArgument {
    var duration: Duration

    init?(argument: String) {
        let units = ["s": 1.0, "m": 60, "h": 3600]
        let unit = argument.last.flatMap { units[String($0)] }
        // Also false for what is no number.
        guard let number = Double(unit == nil ? argument : String(argument.dropLast())),
            (0.001...1_000_000).contains(number)
        else { return nil }
        duration = .milliseconds(Int64((number * (unit ?? 1) * 1000).rounded()))
    }
}

/// A run, as `lenssim shrink` prints it, or a seed alone.
struct RecipeArgument: ExpressibleByArgument {
    var recipe: Recipe

    init?(argument: String) {
        guard let recipe = UInt64(argument).map({ Recipe(seed: $0) }) ?? Recipe(argument) else { return nil }
        self.recipe = recipe
    }
}

/// A plan of faults: the name of a file, or `swarm`.
struct PlanArgument: ExpressibleByArgument {
    var source: String

    init?(argument: String) { source = argument }

    /// The plan's text, checked.
    ///
    /// - Throws: A validation error with what is wrong.
    func text() throws -> String {
        guard source != "swarm" else { return source }
        guard let text = try? String(contentsOfFile: source, encoding: .utf8) else {
            throw ValidationError("There is no plan of faults \(source), or it cannot be read.")
        }
        do { _ = try FaultPlan(text: text) } catch { throw ValidationError("\(source): \(error)") }
        return text
    }
}
