import Simulation
import Testing

@Suite("Steps that are ready")
struct OrderTests {
    @Test func `are listed by age, whichever was taken before`() throws {
        // A chooser that takes any of them, and looks whether the others keep their order.
        let seen = Shared<[[Int]]>([])
        let next = Shared(0)
        let chooser = StepChooser { ready in
            seen.withLock { $0.append(ready.map(\.serial)) }
            return next.withLock { place in
                place = (place &* 7 + 3) % ready.count
                return place
            }
        }
        var configuration = Simulation.Configuration()
        configuration.schedule = .chosen(chooser)
        try Simulation(seed: 1, configuration: configuration).run {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<200 { group.addTask { for _ in 0..<3 { await Task.yield() } } }
            }
        }
        let lists = seen.withLock { $0 }
        #expect(lists.contains { $0.count > 150 })
        #expect(lists.allSatisfy { $0 == $0.sorted() })
    }

    @Test func `first in, first out is their order of age`() throws {
        var configuration = Simulation.Configuration()
        configuration.schedule = .firstInFirstOut
        let order = try Simulation(seed: 1, configuration: configuration).run {
            let order = Shared<[Int]>([])
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<300 { group.addTask { order.withLock { $0.append(number) } } }
            }
            return order.withLock { $0 }
        }
        #expect(order == Array(0..<300))
    }

    @Test(arguments: [
        Schedule.random, .priorities(depth: 3), .partialOrder, .reentrant, .sticky(decisions: 4),
        .runUntilBlocked(),
    ])
    func `all run once under every strategy, also where there are thousands`(_ schedule: Schedule) throws {
        var configuration = Simulation.Configuration()
        configuration.schedule = schedule
        let counts = try Simulation(seed: 3, configuration: configuration).run {
            let counts = Shared(Array(repeating: 0, count: 3000))
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<3000 {
                    group.addTask {
                        await Task.yield()
                        counts.withLock { $0[number] += 1 }
                    }
                }
            }
            return counts.withLock { $0 }
        }
        #expect(counts.allSatisfy { $0 == 1 })
    }

    @Test func `timers of one moment fire in the order in which they were set`() throws {
        var configuration = Simulation.Configuration()
        configuration.schedule = .firstInFirstOut
        let order = try Simulation(seed: 1, configuration: configuration).run {
            let order = Shared<[Int]>([])
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        try? await Task.sleep(for: .seconds(1))
                        order.withLock { $0.append(number) }
                    }
                }
            }
            return order.withLock { $0 }
        }
        #expect(order == Array(0..<100))
    }

    @Test func `a node has its number also when there are many`() throws {
        try Simulation(seed: 1).run {
            guard let simulation = Simulation.current else { return }
            for number in 0..<70_000 { _ = simulation.node("phone \(number)") }
            let last = simulation.node("phone 69999")
            let name = try await last.run { Simulation.current?.currentNode.name }
            #expect(name == "phone 69999")
        }
    }
}
