import Afluent
import SimulationTesting
import Testing

@Suite struct AfluentField {
    @Test(.simulated(seeds: 1...200))
    func `a value that is sent is received`() async throws {
        let channel = SingleValueChannel<Int>()
        let receiver = Task { try await channel.execute() }
        try await Task.sleep(for: .milliseconds(.random(in: 0...3)))
        try await channel.send(1)
        #expect(try await receiver.value == 1)
    }
}
