import Simulation

/// How many simulations of nothing are started and ended a second, on one core: what each seed of a sweep costs at least.
enum EmptySimulations {
    static let benchmark = Benchmark(
        name: "empty",
        summary: "simulations started a second whose body does nothing"
    ) { options in
        let count = 20_000
        let samples = try repeated(rounds: options.rounds ?? 7) {
            let (_, elapsed) = try Elapsed.of {
                for seed in 1...UInt64(count) { try Simulation(seed: seed).run {} }
            }
            return Double(count) / elapsed.thread
        }
        return [Finding("empty.simulations", "simulations/s", samples)]
    }
}
