import ArgumentParser
import Simulation

/// Seeds as one types them: `7` or `1...1000`.
struct SeedRange: ExpressibleByArgument {
    let seeds: ClosedRange<UInt64>

    init?(argument: String) {
        guard let seeds = ClosedRange(seeds: argument) else { return nil }
        self.seeds = seeds
    }

    var defaultValueDescription: String {
        seeds.lowerBound == seeds.upperBound
            ? "\(seeds.lowerBound)" : "\(seeds.lowerBound)...\(seeds.upperBound)"
    }
}
