import ChatModelConformance
import Conformance
import Services

/// A model whose server is LLMock, which answers and fails as its control interface says.
///
/// One case at a time: the server plays one script. What it cannot play is skipped: answers of a certain cost, a report of a failure in the middle
/// of a stream, and a connection that is lost before an answer.
struct LLMockHarness: ChatModelHarness {
    let server: Server

    var model: String { server.model }
    var secrets: [String] { [server.key].compactMap { $0?.reveal() } }
    let capabilities: Set<ChatCapability> = [.costs, .keys, .safety]

    func makeModel(answering answers: [ServiceAnswer]) async throws -> (any ChatModel, any ChatServiceWatch) {
        guard answers.count == 1 else { throw CaseSkipped("LLMock gives one answer to all requests") }
        return try await makeModel(playing: LLMockScript(answers[0]))
    }

    func makeModel(like answer: ServiceAnswer) async throws -> any ChatModel {
        // Whatever it costs.
        guard case .says(let pieces, let ending, _) = answer else {
            return try await makeModel(answering: [answer]).0
        }
        return try await makeModel(playing: LLMockScript(.says(pieces, ending))).0
    }

    private func makeModel(
        playing script: LLMockScript
    ) async throws -> (any ChatModel, any ChatServiceWatch) {
        let control = LLMockControl(client: server.client, address: server.address)
        try await control.play(script)
        return (server.chatModel(), control)
    }
}
