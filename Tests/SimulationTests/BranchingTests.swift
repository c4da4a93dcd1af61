import Probes
import Simulation
import Testing

@Suite("Branches")
struct BranchingTests {
    private struct Seen: Equatable, Sendable {
        var stream: UInt64 = 0
        var copy: UInt64 = 0
        var late: UInt64 = 0
        var fault: UInt64 = 0
        var node: UInt64 = 0
        var order: [Int] = []
    }

    /// What is drawn behind a branch point, before which everything was made.
    private func run(future: UInt64?, schedule: Schedule = .random, seed: UInt64 = 1) throws -> Seen {
        var configuration = Simulation.Configuration()
        configuration.schedule = schedule
        configuration.onBranchPoint = { simulation, point in
            if let future { simulation.branch(to: Recipe.Branch(point: point, future: future)) }
        }
        return try Simulation(seed: seed, configuration: configuration).run {
            let simulation = try #require(Simulation.current)
            var seen = Seen()
            var stream = simulation.entropy("link")
            var copy = stream
            _ = stream.next()
            let source = simulation.faultSource("spark")
            let order = Shared<[Int]>([])
            await withTaskGroup { group in
                for number in 0..<6 {
                    group.addTask {
                        await Task.yield()
                        order.withLock { $0.append(number) }
                    }
                }
                // Ready when the run branches.
                branchPoint("here")
            }
            seen.order = order.withLock { $0 }
            seen.stream = stream.next()
            seen.copy = copy.next()
            var late = simulation.entropy("late")
            seen.late = late.next()
            var chance = try #require(source.fires(probability: 1))
            seen.fault = chance.next()
            seen.node = try await simulation.node("late").run { UInt64.random(in: .min ... .max) }
            return seen
        }
    }

    @Test func `all chance is another in another future, also in streams that were made before`() throws {
        let (plain, one, other) = try (run(future: nil), run(future: 1), run(future: 2))
        for parts in [\Seen.stream, \.copy, \.late, \.fault, \.node] {
            #expect(Set([plain[keyPath: parts], one[keyPath: parts], other[keyPath: parts]]).count == 3)
        }
    }

    @Test(arguments: [Schedule.random, .priorities(depth: 3), .partialOrder, .sticky(decisions: 4)])
    func `the same future is the same again`(_ schedule: Schedule) throws {
        for future in 1...5 as ClosedRange<UInt64> {
            #expect(try run(future: future, schedule: schedule) == run(future: future, schedule: schedule))
        }
    }

    @Test(arguments: [Schedule.priorities(depth: 1), .partialOrder])
    func `priorities are drawn anew, also of those that were ready`(_ schedule: Schedule) throws {
        let orders = try Set(
            (1...20 as ClosedRange<UInt64>).map { try run(future: $0, schedule: schedule).order }
        )
        #expect(orders.count > 5)
    }
}
