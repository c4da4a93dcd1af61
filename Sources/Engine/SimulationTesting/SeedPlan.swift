import Foundation
import Simulation

/// Which seeds are run, after the environment had its say.
struct SeedPlan: Equatable {
    var seeds: ClosedRange<UInt64>
    var checksDeterminism: Bool

    /// Makes a plan; the environment has no say in the seeds where they are fixed.
    init(seeds: ClosedRange<UInt64>, isFixed: Bool = false, environment: Environment) throws {
        self.seeds = seeds
        checksDeterminism = environment["LENSSIM_CHECK_DETERMINISM"].map { $0 != "0" } ?? false
        if isFixed { return }
        if let range = environment["LENSSIM_SEEDS"] {
            guard let range = ClosedRange(seeds: range) else {
                throw InvalidSeeds(name: "LENSSIM_SEEDS", value: range)
            }
            self.seeds = range
        }
        if let single = environment["LENSSIM_SEED"] {
            guard let seed = UInt64(single) else { throw InvalidSeeds(name: "LENSSIM_SEED", value: single) }
            self.seeds = seed...seed
        }
    }

    /// Where the variables come from.
    struct Environment {
        var variables: [String: String]
        static var process: Environment { Environment(variables: ProcessInfo.processInfo.environment) }
        subscript(name: String) -> String? { variables[name].flatMap { $0.isEmpty ? nil : $0 } }
    }
}

/// A variable of the environment that cannot be understood.
struct InvalidSeeds: Error, CustomStringConvertible {
    var name: String
    var value: String

    var description: String {
        "\(name)=\(value) is not understood: write a number like 7, or a range like 1...1000"
    }
}
