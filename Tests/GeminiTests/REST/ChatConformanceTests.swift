import ChatModelConformance
import Conformance
import Services
import Simulation
import SimulationTesting
import Testing

@Suite("Chat model conformance")
struct ChatConformanceTests {
    @Test(
        "the REST client satisfies every requirement over a simulated network",
        .simulated(seeds: 1...5),
        arguments: ChatModelConformance.cases
    )
    func overREST(_ test: ChatModelConformance.Case) async throws {
        #expect(try await test.run(with: SimulatedChatHarness()) == .passed)
    }

    @Test(
        "a model in memory satisfies every requirement",
        .simulated(seeds: 1...3),
        arguments: ChatModelConformance.cases
    )
    func memory(_ test: ChatModelConformance.Case) async throws {
        #expect(try await test.run(with: MemoryChatHarness()) == .passed)
    }

    @Test(
        "a model that is wrong in one point fails the cases that are about it, for that reason, and no other",
        .simulated(seeds: 1...3),
        arguments: MemoryChatModel.Flaw.allCases
    )
    func wrong(_ flaw: MemoryChatModel.Flaw) async throws {
        let report = await ChatModelConformance.suite.report(on: MemoryChatHarness(flaw: flaw))
        #expect(report.differences(from: flaw.findings) == [])
    }

    @Test func `a case that the service has nothing for says what it lacks, and asks for no model`()
        async throws
    {
        struct Mute: ChatModelHarness {
            let capabilities: Set<ChatCapability> = []

            func makeModel(
                answering answers: [ServiceAnswer]
            ) async throws -> (any ChatModel, any ChatServiceWatch) {
                throw ConformanceFailure("no model is made", saw: "one")
            }
        }
        let cases = ChatModelConformance.cases.filter { !$0.needs.isEmpty }
        #expect(Set(cases.flatMap(\.needs)) == Set(ChatCapability.allCases.map(\.rawValue)))
        for test in cases {
            guard case .skipped(let reason) = try await test.run(with: Mute()) else {
                Issue.record("\(test.id) ran")
                continue
            }
            #expect(test.needs.allSatisfy { reason.contains($0) })
        }
    }

    @Test func `a case that does not come to an end fails, and says what it waited for`() async throws {
        struct Deaf: ChatModelHarness {
            let timeLimit = Duration.seconds(5)

            func makeModel(
                answering answers: [ServiceAnswer]
            ) async throws -> (any ChatModel, any ChatServiceWatch) {
                try await Task.sleep(for: .seconds(3_600))
                throw ConformanceFailure("nobody waits so long", saw: "somebody")
            }
        }
        let test = try #require(ChatModelConformance.cases.first)
        let failure = try Simulation(seed: 1).run { () async throws -> ConformanceFailure? in
            do {
                try await test.run(with: Deaf())
                return nil
            } catch let failure as ConformanceFailure { return failure }
        }
        #expect(failure?.expected == test.name)
        #expect(failure?.saw == "nothing within 5.0 seconds")
    }

    @Test func `an error that shows a secret fails its case without the secret, whoever throws it`()
        async throws
    {
        struct Talkative: ChatModelHarness {
            let secrets = ["hush"]

            func makeModel(
                answering answers: [ServiceAnswer]
            ) async throws -> (any ChatModel, any ChatServiceWatch) {
                throw ConformanceFailure("there is a service", saw: "none for hush")
            }
        }
        let report = await ChatModelConformance.suite.report(on: Talkative())
        #expect(report.grades.allSatisfy { $0.failed > 0 && $0.passed + $0.skipped == 0 })
        #expect(report.description.contains("shows a secret") && !report.description.contains("hush"))
    }

    @Test func `cases have identifiers of their own`() {
        #expect(Set(ChatModelConformance.cases.map(\.id)).count == ChatModelConformance.cases.count)
        #expect(Set(ChatModelConformance.cases.map(\.name)).count == ChatModelConformance.cases.count)
    }

    @Test(.simulated(seeds: 1...1))
    func `the report grades a model by groups, and names the case that it fails`() async throws {
        let right = await ChatModelConformance.suite.report(on: MemoryChatHarness())
        #expect(right.grades.map(\.group) == ["question", "answer", "count", "stream", "failure"])
        #expect(right.grades.allSatisfy { $0.verdict == "passes" })
        #expect(right.entries.count == ChatModelConformance.cases.count)
        let flaw = try #require(MemoryChatModel.Flaw.allCases.first)
        let wrong = await ChatModelConformance.suite.report(on: MemoryChatHarness(flaw: flaw))
        let group = String(flaw.noticedBy.prefix { $0 != "." })
        #expect(wrong.grades.first { $0.group == group }?.verdict == "fails")
        #expect(wrong.description.contains("\n\(flaw.noticedBy): expected that "))
    }
}
