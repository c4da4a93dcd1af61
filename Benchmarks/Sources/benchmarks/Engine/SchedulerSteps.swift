import Simulation

/// Steps a second of the bare scheduler, in seconds of one core.
enum SchedulerSteps {
    static let benchmark = Benchmark(
        name: "scheduler",
        summary: "steps a second: 200 tasks that yield, and small groups of tasks that do nothing"
    ) { options in
        let rounds = options.rounds ?? 7
        return [
            Finding(
                "scheduler.yield",
                "steps/s",
                try repeated(rounds: rounds) { try stepsPerSecond(yielding) }
            ),
            Finding(
                "scheduler.groups",
                "steps/s",
                try repeated(rounds: rounds) { try stepsPerSecond(groups) }
            ),
        ]
    }

    private static func stepsPerSecond(_ body: @escaping @Sendable () async -> Void) throws -> Double {
        let (run, elapsed) = try Elapsed.of { try Simulation(seed: 1).runReporting(body) }
        return Double(run.report.steps) / elapsed.thread
    }

    @Sendable private static func yielding() async {
        await withTaskGroup { group in
            for _ in 0..<200 {
                group.addTask { for _ in 0..<5_000 { await Task.yield() } }
            }
        }
    }

    @Sendable private static func groups() async {
        for _ in 0..<25_000 {
            await withTaskGroup { group in
                for _ in 0..<8 { group.addTask {} }
            }
        }
    }
}
