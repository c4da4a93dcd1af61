import AppKernel
import Concurrency
import GeminiServer
import Lens
import LensScenarios
import ScenarioKit
import Services
import Simulation
import SimulationTesting
import Testing

/// The app's reconnection against the simulated service, as the table of its policy has it.
@Suite("Lens reconnects in its world", .simulated(seeds: 1...5))
struct ReconnectScenarioTests {
    private static let hour = Duration.seconds(3_600)

    private func stream(_ world: LensWorld, for time: Duration) async throws {
        try await world.onPhone { try await $0.startStreaming() }
        try await Task.sleep(for: time)
    }

    @Test func `a service that says goAway to every new session is given up after a handful of them`()
        async throws
    {
        let world = try await LensWorld.start()
        world.base.arm("gemini.session.goAway", values: ["after": 0, "timeLeft": 60])
        try await stream(world, for: Self.hour)
        let policy = StreamingPolicy(model: LensOptions.modelName)
        #expect((2...policy.reconnect.retries + 1).contains(world.gemini.record.handshakeCount))
        #expect(world.lens.stream.state.value.phase == .idle)
        #expect(world.lens.stream.state.value.error?.code == .unavailable)
    }

    @Test(
        "a service that closes every session is dialled no more often than the policy has it",
        arguments: [1000, 1007, 1008, 1011] as [Double],
        [0, 1, 2, 3, 4] as [Double]
    )
    func closes(code: Double, reason: Double) async throws {
        let world = try await LensWorld.start()
        // Not in its setup, which is the starter's to see.
        world.base.arm("gemini.live.close", values: ["code": code, "reason": reason], skipping: 1)
        try await stream(world, for: Self.hour)
        let policy = StreamingPolicy(model: LensOptions.modelName)
        #expect((1...policy.reconnect.retries + 1).contains(world.gemini.record.handshakeCount))
        #expect(world.lens.stream.state.value.phase == .idle)
        #expect(world.lens.stream.state.value.error != nil)
    }

    @Test func `a session that went on and in which the model stays silent is followed by a fresh one`()
        async throws
    {
        let world = try await LensWorld.start()
        try await stream(world, for: .seconds(40))
        world.base.arm("gemini.session.poisonedResume", atMost: 1)
        world.base.arm("gemini.live.drop", atMost: 1)
        try await Task.sleep(for: .seconds(150))
        let sessions = world.gemini.record.sessions
        #expect(sessions.map(\.isResumed) == [false, true, false])
        #expect(sessions[1].replies.isEmpty && !sessions[2].replies.isEmpty)
        #expect(world.lens.stream.state.value.phase == .streaming)
    }
}
