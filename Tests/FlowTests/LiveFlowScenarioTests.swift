import FlowScenarios
import ScenarioKit
import Testing

@Suite("The scenarios of Flow over real sockets", .timeLimit(.minutes(5)))
struct LiveFlowScenarioTests {
    @Test func `many calls share one token over real sockets, too`() async {
        let outcome = await FlowTokens().runOverLoopback(seed: 1)
        #expect(outcome.failure == nil)
    }
}
