import LensScenarios
import ScenarioKit
import Simulation
import Testing

@Suite("Scenarios over real sockets")
struct LiveScenarioTests {
    @Test func `a scenario runs over real sockets too`() async throws {
        var scenario = LensStreaming()
        // Long enough for an answer also where many tests share two cores.
        scenario.seconds = 10
        let outcome = await scenario.runOverLoopback(seed: 1)
        #expect(outcome.failure == nil)
        #expect(outcome.summary?.figures.first { $0.name == "frames sent" }?.value ?? 0 >= 8)
    }
}
