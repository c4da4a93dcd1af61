import ChatModelConformance
import Concurrency
import Conformance
import GeminiREST
import LiveTransport
import Services
import TestSupport
import Testing
import Transport

@Suite("Chat model conformance over real sockets", .timeLimit(.minutes(5)))
struct LiveChatConformanceTests {
    @Test("the REST client satisfies every requirement", arguments: ChatModelConformance.cases)
    func overREST(_ test: ChatModelConformance.Case) async throws {
        let harness = LoopbackChatHarness()
        let result: Result<ConformanceOutcome, any Error>
        do { result = .success(try await test.run(with: harness)) } catch { result = .failure(error) }
        await harness.shutdown()
        #expect((try result.get() == .passed) == test.needs.isSubset(of: harness.capabilityNames))
    }
}

/// The REST client over real sockets; does not repeat requests, since their pauses are real.
private struct LoopbackChatHarness: ChatModelHarness {
    let secrets = [ScriptedChat.key]
    let capabilities = Set(ChatCapability.allCases).subtracting([.delivery])
    private let opened = Box<[(any Listener, LiveTransport)]>([])

    func makeModel(answering answers: [ServiceAnswer]) async throws -> (any ChatModel, any ChatServiceWatch) {
        let watch = ServiceWatch()
        let listener = try await LoopbackHost().listen(ScriptedChat(answers, watch).server, at: .loopback())
        let transport = try LiveTransport()
        opened.append((listener, transport))
        let model = ScriptedChat.model(
            transport,
            authority: "\(listener.address)",
            options: GeminiRESTOptions(retries: RetryPolicy(retries: 0, first: .zero, longest: .zero))
        )
        return (model, watch)
    }

    func shutdown() async {
        for (listener, transport) in opened.value {
            await transport.shutdown()
            await listener.stop()
        }
    }
}
