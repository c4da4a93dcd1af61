import ChatModelConformance
import Conformance
import SimulationTesting
import Testing

/// What the service does not have; everything else must pass, but one case over real sockets.
private let notApplicable: Set = [
    "answer.recitation", "answer.blocked", "stream.blocked", "count.tokens", "question.tokens",
]

@Suite("Conformance of the completions model", .simulated(seeds: 1...5))
struct CompletionsConformanceTests {
    @Test(
        "every requirement is met over a simulated network",
        arguments: ChatModelConformance.cases,
        ScriptedCompletions.Form.allCases
    )
    func conforms(_ test: ChatModelConformance.Case, _ form: ScriptedCompletions.Form) async throws {
        let outcome = try await test.run(with: SimulatedHarness(form: form))
        #expect((outcome == .passed) != notApplicable.contains(test.id), "\(outcome)")
    }
}

@Suite("Conformance of the completions model over real sockets", .timeLimit(.minutes(2)))
struct LiveCompletionsConformanceTests {
    @Test(
        "every requirement is met over real sockets",
        arguments: ChatModelConformance.cases,
        ScriptedCompletions.Form.allCases
    )
    func conforms(_ test: ChatModelConformance.Case, _ form: ScriptedCompletions.Form) async throws {
        let harness = LoopbackHarness(form: form)
        let result: Result<ConformanceOutcome, any Error>
        do { result = .success(try await test.run(with: harness)) } catch { result = .failure(error) }
        await harness.shutdown()
        let isPossible = !notApplicable.contains(test.id) && test.id != "stream.beforeBreak"
        #expect((try result.get() == .passed) == isPossible)
    }
}
