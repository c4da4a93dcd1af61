import Dispatch
import Simulation
import Testing

@Suite("Dispatch in simulations of two processes", .timeLimit(.minutes(5)))
struct LiveDispatchTests {
    @Test
    func `outside of a simulation Dispatch is the library's, also for delays whose sources it frees itself`()
        async
    {
        let (group, entries) = (DispatchGroup(), Shared(0))
        let queue = DispatchQueue(label: "concurrent", attributes: [.concurrent, .initiallyInactive])
        for number in 0..<2_000 {
            group.enter()
            DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(number)) {
                entries.withLock { $0 += 1 }
                group.leave()
            }
            queue.async(group: group) { entries.withLock { $0 += 1 } }
        }
        queue.activate()
        await ended(group, on: .global())
        #expect(entries.withLock { $0 } == 4_000)
    }

    @Test func `each seed has the same order in another process`() async throws {
        let result = try await #require(
            processExitsWith: .success,
            observing: [\.standardOutputContent]
        ) {
            print("orders", try orders().map(\.description))
        }
        let text = String(decoding: result.standardOutputContent, as: UTF8.self)
        let own = try orders()
        #expect(text.contains("orders \(own.map(\.description))"), "\(text)")
        // The hash tells orders of blocks apart.
        #expect(Set(own.map(\.blocks)).count > 10)
        #expect(Set(own.map(\.hash)).count == Set(own.map(\.blocks)).count)
    }
}

private struct Order: CustomStringConvertible {
    var hash: UInt64
    var blocks: [Int]

    var description: String { "\(hash) \(blocks)" }
}

/// What comes of twenty seeds, as a process sees it.
private func orders() throws -> [Order] {
    var configuration = Simulation.Configuration()
    configuration.dispatch = .simulated
    return try (1...20 as ClosedRange<UInt64>).map { seed in
        let run = Simulation(seed: seed, configuration: configuration)
        let (blocks, report) = try run.runReporting {
            let (queue, group) = (DispatchQueue(label: "q", attributes: .concurrent), DispatchGroup())
            let blocks = Shared<[Int]>([])
            for number in 1...5 {
                queue.async(group: group, flags: number == 3 ? .barrier : []) {
                    blocks.withLock { $0.append(number) }
                }
                DispatchQueue(label: "\(number)").async(group: group) {
                    blocks.withLock { $0.append(-number) }
                }
            }
            await ended(group, on: .main)
            return blocks.withLock { $0 }
        }
        return Order(hash: report.hash, blocks: blocks)
    }
}
