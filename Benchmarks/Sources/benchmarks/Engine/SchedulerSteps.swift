import Simulation

/// Steps a second of the bare scheduler, in seconds of one core.
enum SchedulerSteps {
    static let benchmark = Benchmark(
        name: "scheduler",
        summary:
            "steps a second: 200 tasks that yield, groups of tasks that do nothing, tasks that enter actors"
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
            Finding(
                "scheduler.enter",
                "steps/s",
                try repeated(rounds: rounds) { try stepsPerSecond(entering) }
            ),
        ]
    }

    private actor Counter {
        var count = 0
        func add() { count += 1 }
    }

    /// Each call is two steps: one that leaves the caller, and one that enters the actor.
    @Sendable private static func entering() async {
        await withTaskGroup { group in
            for _ in 0..<50 {
                group.addTask {
                    let counter = Counter()
                    for _ in 0..<5_000 { await counter.add() }
                }
            }
        }
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
