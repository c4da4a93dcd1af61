public import ArgumentParser
import Exploration
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

/// A length of time, as `90s`, `10m` or `2h`.
struct DurationArgument: ExpressibleByArgument {
    var duration: Duration

    init?(argument: String) {
        let units = ["s": 1, "m": 60, "h": 3600]
        guard let unit = argument.last.flatMap({ units[String($0)] }), let number = Int(argument.dropLast()),
            (1...1_000_000).contains(number)
        else { return nil }
        duration = .seconds(number * unit)
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
