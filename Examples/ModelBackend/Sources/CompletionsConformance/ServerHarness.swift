import ChatModelConformance
import CompletionsModel
import Concurrency
import Conformance
import ServiceClient
import Services
import Transport

/// A server that is there, and how it is asked.
struct Server: Sendable {
    let client: any HTTPClient
    let address: String
    let model: String
    let key: Secret?

    /// The model on trial.
    ///
    /// - Parameter hasKey: Whether it gives the server's key, or one that no server takes.
    func chatModel(hasKey: Bool = true) -> CompletionsModel {
        let key = hasKey ? self.key : Secret("no-key-of-anybody")
        var policy = CompletionsModel.policy
        // Pauses are real here.
        policy.retries.retries = 0
        return CompletionsModel(
            client: client,
            address: address,
            policy: policy
        ) { () throws(SecretStoreError) in key }
    }
}

/// A model whose server answers by itself: cases that want other answers are skipped.
struct ServerHarness: ChatModelHarness {
    let server: Server

    var model: String { server.model }
    var secrets: [String] { [server.key].compactMap { $0?.reveal() } }
    var capabilities: Set<ChatCapability> { server.key == nil ? [.costs] : [.costs, .keys] }
    let timeLimit = Duration.seconds(300)

    func makeModel(like answer: ServiceAnswer) -> any ChatModel { server.chatModel() }

    func makeModel(answering answers: [ServiceAnswer]) throws -> (any ChatModel, any ChatServiceWatch) {
        // Whose case looks at no requests.
        guard answers == [.refuses(.invalidKey)] else { throw CaseSkipped("the server answers by itself") }
        return (server.chatModel(hasKey: false), ServiceWatch())
    }
}
