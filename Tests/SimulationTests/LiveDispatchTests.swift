import Dispatch
import Simulation
import Testing

@Suite("Dispatch in simulations of two processes", .timeLimit(.minutes(5)))
struct LiveDispatchTests {
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
