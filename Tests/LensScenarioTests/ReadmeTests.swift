import AppKernel
import Concurrency
import GeminiServer
import Lens
import LensScenarios
import SimulatedTransport
import SimulationTesting
import Testing

// The first example of README.md, word for word; a house rule compares them.

@Suite("Streaming", .simulated(seeds: 1...20))
struct StreamingTests {
    @Test func `a dropped session resumes, and frames go on`() async throws {
        let world = try await LensWorld.start()  // a phone, a Gemini, a Supabase, one network
        world.network["phone", "gemini"].latency = .exponential(mean: .milliseconds(40))
        try await world.onPhone { lens in try await lens.startStreaming() }

        try await Task.sleep(for: .seconds(12))  // virtual seconds: milliseconds of wall-clock time
        world.network.reset("phone", "gemini")
        try await Task.sleep(for: .seconds(60))

        #expect(world.gemini.record.sessions.count == 2)
        #expect(world.lens.stream.state.value.isConnected)
    }
}
