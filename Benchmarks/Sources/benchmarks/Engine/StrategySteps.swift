import Simulation

/// What a choice costs with 50 and with 5,000 ready tasks, for each strategy, in the same run.
enum StrategySteps {
    private static let schedules: [(name: String, schedule: Schedule)] = [
        ("fifo", .firstInFirstOut), ("random", .random), ("pct", .priorities(depth: 3)),
        ("pos", .partialOrder),
        ("reentrant", .reentrant), ("sticky", .sticky(decisions: 8)), ("runUntilBlocked", .runUntilBlocked()),
    ]

    static let benchmark = Benchmark(
        name: "strategies",
        summary: "time of a step with 5,000 ready tasks over that with 50, for each strategy"
    ) { options in
        try schedules.flatMap { name, schedule in
            var few = Samples(), many = Samples()
            for round in 0...(options.rounds ?? 5) {
                let (a, b) = (try nanoseconds(schedule, tasks: 50), try nanoseconds(schedule, tasks: 5_000))
                guard round > 0 else { continue }
                few.add(a)
                many.add(b)
            }
            return [
                Finding("strategies.\(name).50", "ns/step", few),
                Finding("strategies.\(name).ratio", "×", many.divided(by: few)),
            ]
        }
    }

    private static func nanoseconds(_ schedule: Schedule, tasks: Int) throws -> Double {
        var configuration = Simulation.Configuration()
        configuration.schedule = schedule
        let turns = 500_000 / tasks
        let (run, elapsed) = try Elapsed.of {
            try Simulation(seed: 1, configuration: configuration).runReporting {
                await withTaskGroup { group in
                    for _ in 0..<tasks { group.addTask { for _ in 0..<turns { await Task.yield() } } }
                }
            }
        }
        return elapsed.thread * 1e9 / Double(run.report.steps)
    }
}
