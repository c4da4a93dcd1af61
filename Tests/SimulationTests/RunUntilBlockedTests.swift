import Simulation
import SimulationTesting
import Testing

/// Three tasks note their numbers, with a yield after each.
private func interleaving(_ schedule: Schedule, seed: UInt64 = 1) throws -> (
    value: [Int], report: SimulationReport
) {
    var configuration = Simulation.Configuration()
    configuration.schedule = schedule
    configuration.recordsDecisions = true
    return try Simulation(seed: seed, configuration: configuration).runReporting {
        let order = Shared<[Int]>([])
        await withTaskGroup { group in
            for number in 1...3 {
                group.addTask {
                    for _ in 0..<3 {
                        order.withLock { $0.append(number) }
                        await Task.yield()
                    }
                }
            }
        }
        return order.withLock { $0 }
    }
}

@Suite("Running until blocked")
struct RunUntilBlockedTests {
    @Test func `one task goes on as long as it can`() throws {
        let (order, report) = try interleaving(.runUntilBlocked())
        #expect(order == [1, 1, 1, 2, 2, 2, 3, 3, 3] || order == [1, 1, 1, 3, 3, 3, 2, 2, 2], "\(order)")
        #expect(report.preemptions.isEmpty)
    }

    @Test func `a preemption lets another go on, after so many steps of the one`() throws {
        let (order, report) = try interleaving(
            .runUntilBlocked([Preemption(after: 2, steps: 2, to: .task(4))])
        )
        #expect(order.prefix { $0 == 1 }.count < 3)
        #expect(order.first { $0 != 1 } == 3)
        #expect(report.departures == 0)
        #expect(report.preemptions == [Preemption(after: 2, steps: 2, to: .task(4))])
    }

    @Test func `a preemption to a task that is not ready is left out, and counted`() throws {
        let (order, report) = try interleaving(
            .runUntilBlocked([Preemption(after: 2, steps: 2, to: .task(99))])
        )
        #expect(order.prefix(3) == [1, 1, 1])
        #expect(report.departures == 1)
        #expect(report.firstDeparture?.wanted.task == 99)
    }

    @Test(arguments: [
        Schedule.random, .priorities(depth: 3), .partialOrder, .sticky(decisions: 4), .firstInFirstOut,
    ])
    func `the preemptions of any run repeat it`(_ schedule: Schedule) throws {
        for seed in 1...30 as ClosedRange<UInt64> {
            let (order, report) = try interleaving(schedule, seed: seed)
            let (again, replayed) = try interleaving(.runUntilBlocked(report.preemptions), seed: seed)
            #expect(again == order)
            #expect(replayed.hash == report.hash)
            #expect(replayed.departures == 0)
        }
    }

    @Test func `a sticky schedule departs now and then`() throws {
        let counts = try (1...200 as ClosedRange<UInt64>).map { seed in
            try interleaving(.sticky(decisions: 8), seed: seed).report.preemptions.count
        }
        #expect(counts.contains(0))
        #expect(counts.contains { $0 > 1 })
        #expect(counts.reduce(0, +) < 200 * 5)
    }

    @Test func `preemptions can be written down and read again`() throws {
        let preemptions = [
            Preemption(after: 3, steps: 5, to: .task(4)),
            Preemption(after: 0, steps: 2, to: .step(.mainActor, node: 1)),
            Preemption(after: 2, steps: 0, to: .step(.event, node: 0)),
            Preemption(
                after: .spawned(by: "Bank.pay/1", ordinal: 2),
                steps: 1,
                to: .task(.spawned(by: "up: 3.5, #2", ordinal: 11))
            ),
        ]
        let recipe = Recipe(seed: 7, strategy: .runUntilBlocked, preemptions: preemptions, build: .debug)
        let list = "3.5:4,0.2:m1,2.0:e0,Bank.pay/1#2.1:up%3a+3.5%2c+%232#11"
        #expect("\(recipe)" == "seed=7 strategy=runUntilBlocked preemptions=\(list) build=debug")
        #expect(Recipe("\(recipe)") == recipe)
        for wrong in [
            "3:4", "3.x:4", "3.5:", "3.5:q1", "3.5:4.4", "-1.2:3", "3.5:0", "#1.5:3", "a#0.5:3", "a.5:3",
            "1.5:a#",
        ] {
            #expect(Recipe("seed=7 preemptions=\(wrong)") == nil, "\(wrong)")
        }
    }
}
