import LensScenarios
import Simulation
import Testing

@Suite("Scenarios over real sockets")
struct LiveScenarioTests {
    @Test func `a scenario runs over real sockets too`() async throws {
        var settings = Scenario.lensStreaming.settings
        // Long enough for an answer also where many tests share two cores.
        settings.seconds = 10
        let outcome = await Scenario.lensStreaming.runOverLoopback(seed: 1, settings: settings)
        #expect(outcome.failure == nil)
        #expect(outcome.summary?.figures.first { $0.name == "frames sent" }?.value ?? 0 >= 8)
    }
}
