import Dispatch
import Simulation
import Testing

@Suite("Dispatch in simulations of two processes", .timeLimit(.minutes(5)))
struct LiveDispatchTests {
    @Test
    func `outside of a simulation Dispatch is the library's, also for delays whose sources it frees itself`()
        async
    {
        let group = DispatchGroup()
        let queue = DispatchQueue(label: "concurrent", attributes: [.concurrent, .initiallyInactive])
        for number in 0..<2_000 {
            group.enter()
            DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(number)) { group.leave() }
            queue.async(group: group) {}
        }
        queue.activate()
        await ended(group, on: .global())
    }

    @Test func `each seed has the same hash in another process`() async throws {
        let result = try await #require(
            processExitsWith: .success,
            observing: [\.standardOutputContent]
        ) {
            print("hashes", try hashes())
        }
        let text = String(decoding: result.standardOutputContent, as: UTF8.self)
        #expect(text.contains("hashes \(try hashes())"), "\(text)")
    }
}

/// What comes of twenty seeds, as a process sees it.
private func hashes() throws -> [UInt64] {
    var configuration = Simulation.Configuration()
    configuration.dispatch = .simulated
    return try (1...20 as ClosedRange<UInt64>).map { seed in
        let run = Simulation(seed: seed, configuration: configuration)
        let (_, report) = try run.runReporting {
            let (queue, group) = (DispatchQueue(label: "q", attributes: .concurrent), DispatchGroup())
            for number in 1...5 { queue.async(group: group, flags: number == 3 ? .barrier : []) {} }
            queue.asyncAfter(deadline: .now() + 1) {}
            await ended(group, on: .main)
        }
        return report.hash
    }
}
