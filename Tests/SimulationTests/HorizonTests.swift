import Simulation
import Testing

private actor Place {
    func visit() {}
}

/// Strategies that look at a few moments of a run know how long it is.
@Suite("Horizons")
struct HorizonTests {
    /// Two tasks that take `hops` steps; then one opens and closes a window eight times, and the other looks through it once.
    @Sendable private static func seesThrough(after hops: Int) async -> Bool {
        let isOpen = Shared(false)
        let saw = Shared(false)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                let place = Place()
                for _ in 0..<hops { await place.visit() }
                for _ in 0..<8 {
                    isOpen.withLock { $0 = true }
                    await place.visit()
                    isOpen.withLock { $0 = false }
                    await place.visit()
                }
            }
            group.addTask {
                let place = Place()
                for _ in 0..<hops { await place.visit() }
                let open = isOpen.withLock { $0 }
                saw.withLock { $0 = open }
            }
        }
        return saw.withLock { $0 }
    }

    private func findings(after hops: Int, seeds: ClosedRange<UInt64> = 1...400) throws -> Int {
        var configuration = Simulation.Configuration()
        configuration.schedule = .priorities(depth: 5)
        return try seeds.count { seed in
            let (saw, report) = try Simulation(seed: seed, configuration: configuration)
                .runReporting { await Self.seesThrough(after: hops) }
            // As a sweep does.
            configuration.horizon = max(configuration.horizon, report.longestTask)
            return saw
        }
    }

    @Test func `changes of priority find a window late in a run about as often as an early one`() throws {
        let (early, late) = (try findings(after: 0), try findings(after: 3000))
        #expect(early > 0)
        #expect(3 * late >= early && 3 * early >= late, "\(early) early, \(late) late")
    }

    @Test func `a drawn cancellation reaches the end of a long run`() throws {
        var configuration = Simulation.Configuration()
        configuration.cancellation = .drawn
        configuration.horizon = 4000
        let steps = try (1...200 as ClosedRange<UInt64>).compactMap { seed -> Int? in
            let report = try Simulation(seed: seed, configuration: configuration).runReporting {
                let task = Task { for _ in 0..<4000 where !Task.isCancelled { await Task.yield() } }
                await task.value
            }.report
            guard case .after(_, let steps) = report.cancellationPoint else { return nil }
            return steps
        }
        #expect(steps.contains { $0 < 40 })
        #expect(steps.contains { (1000...3000).contains($0) })
        #expect(steps.contains { $0 > 3900 })
    }
}
