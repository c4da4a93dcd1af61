import FlowScenarios
import ScenarioKit
import Testing

@Suite("The scenarios of Flow over real sockets", .timeLimit(.minutes(5)))
struct LiveFlowScenarioTests {
    /// Few things each, since time is real.
    private static let settings = [
        "flow-tokens": [:], "flow-user": ["actions": "5"], "flow-onboarding": ["pause": "200"],
    ]

    @Test("each scenario of Flow holds over real sockets too", arguments: settings.keys.sorted())
    func holds(name: String) async throws {
        let type = try #require(ScenarioCatalogue.flow.scenario(named: name))
        let outcome = try await type.init(settings: Self.settings[name] ?? [:]).runOverLoopback(seed: 1)
        #expect(outcome.failure == nil)
        #expect(outcome.summary?.figures.first { $0.name == "requests" }?.value ?? 0 > 0)
    }

    @Test func `each scenario of Flow can do without a simulated world`() {
        #expect(Set(ScenarioCatalogue.flow.scenarios.map { $0.name }) == Set(Self.settings.keys))
        #expect(ScenarioCatalogue.flow.scenarios.allSatisfy { !$0.needsSimulatedNetwork })
    }
}
