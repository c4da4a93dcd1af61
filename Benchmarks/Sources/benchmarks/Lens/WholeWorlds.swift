import LensScenarios
import ScenarioKit
import Simulation

/// How many whole worlds are built, run for a second of streaming and taken down, on one core: what a seed of a sweep over
/// an app costs.
enum WholeWorlds {
    static let benchmark = Benchmark(
        name: "worlds",
        summary: "worlds of lens-streaming that stream prepared frames for a second, from different seeds"
    ) { options in
        var scenario = LensStreaming()
        scenario.seconds = 1
        scenario.usesPreparedFrames = true
        let count = 200
        // What worlds share is made for the first.
        try run(1, scenario)
        let samples = try repeated(rounds: options.rounds ?? 7) {
            let (_, elapsed) = try Elapsed.of {
                for seed in 1...UInt64(count) { try run(seed, scenario) }
            }
            return Double(count) / elapsed.thread
        }
        return [Finding("worlds.seeds", "seeds/core s", samples)]
    }

    private struct Failed: Error { var text: String }

    private static func run(_ seed: UInt64, _ scenario: LensStreaming) throws {
        let outcome = scenario.runSimulated(Recipe(seed: seed))
        if let failure = outcome.failure { throw Failed(text: failure) }
    }
}
