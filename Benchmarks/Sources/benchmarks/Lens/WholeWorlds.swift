import LensScenarios
import ScenarioKit
import Simulation

/// How many whole worlds are built, run and taken down, on one core: what a seed of a sweep over an app costs.
enum WholeWorlds {
    static let streaming = Benchmark(
        name: "worlds",
        summary: "worlds of lens-streaming that stream prepared frames for a second, from different seeds"
    ) { options in
        var scenario = LensStreaming()
        scenario.seconds = 1
        scenario.usesPreparedFrames = true
        return [Finding("worlds.seeds", "seeds/core s", try measure(scenario, count: 200, options))]
    }

    static let upload = Benchmark(
        name: "worlds.upload",
        summary: "worlds of lens-upload, whose phone is killed and started again, from different seeds"
    ) { options in
        [Finding("worlds.upload.seeds", "seeds/core s", try measure(LensUpload(), count: 100, options))]
    }

    private struct Failed: Error { var text: String }

    private static func measure(_ scenario: some Scenario, count: Int, _ options: Options) throws -> Samples {
        // What worlds share is made for the first.
        try run(1, scenario)
        return try repeated(rounds: options.rounds ?? 7) {
            let (_, elapsed) = try Elapsed.of {
                for seed in 1...UInt64(count) { try run(seed, scenario) }
            }
            return Double(count) / elapsed.thread
        }
    }

    private static func run(_ seed: UInt64, _ scenario: some Scenario) throws {
        let outcome = scenario.runSimulated(Recipe(seed: seed))
        if let failure = outcome.failure { throw Failed(text: failure) }
    }
}
