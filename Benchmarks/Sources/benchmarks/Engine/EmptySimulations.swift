import Exploration
import Simulation

/// How many simulations of nothing are started and ended a second: each on its own, which hands it to another thread and
/// back, and in a sweep on one thread, which is the least that a seed costs.
enum EmptySimulations {
    private struct Failed: Error { var result: String }

    static let benchmark = Benchmark(
        name: "empty",
        summary: "simulations started a second whose body does nothing"
    ) { options in
        let rounds = options.rounds ?? 7
        let alone = try repeated(rounds: rounds) {
            let count = 20_000
            let (_, elapsed) = try Elapsed.of {
                for seed in 1...UInt64(count) { try Simulation(seed: seed).run {} }
            }
            return Double(count) / elapsed.wall
        }
        let count = 100_000
        let sweep = Sweep(
            Program(name: "empty", summary: "Does nothing.") {},
            seeds: 1...UInt64(count),
            jobs: 1
        )
        var samples = Samples()
        for round in 0...rounds {
            let start = ContinuousClock.now
            let result = try sweep.run()
            guard result.runs == count, result.failedRuns == 0 else { throw Failed(result: "\(result)") }
            if round > 0 { samples.add(Double(count) / ((ContinuousClock.now - start) / .seconds(1))) }
        }
        return [
            Finding("empty.simulations", "simulations/s", alone),
            Finding("empty.sweep", "simulations/s", samples),
        ]
    }
}
