import ArgumentParser
import ChatModelConformance
import CommandKit
import Conformance
import FakeCamera
import GeminiAPI
import GeminiLive
import GeminiREST
import LiveModelConformance
import LiveTransport
import Services

extension ValidateCommand {
    func chat(over transport: LiveTransport) async throws -> ConformanceReport {
        let harness = ChatHarness(
            transport: transport,
            endpoint: try address().endpoint,
            key: try key(),
            model: model ?? "gemini-2.5-flash",
            capabilities: try capabilities(ChatCapability.allCases)
        )
        return await ChatModelConformance.suite.report(on: harness)
    }

    func live(over transport: LiveTransport) async throws -> ConformanceReport {
        let harness = LiveHarness(
            transport: transport,
            endpoint: try address().endpoint,
            key: try key(),
            configuration: LiveConfiguration(model: model ?? "gemini-live-2.5-flash-preview"),
            capabilities: try capabilities(LiveCapability.allCases)
        )
        return await LiveModelConformance.suite.report(on: harness)
    }

    /// The address of a service, to which a key may be sent.
    func address() throws -> GeminiAddress {
        guard let address = GeminiAddress(argument: endpoint ?? "google") else {
            throw ValidationError("--endpoint wants an address such as http://127.0.0.1:8080.")
        }
        if address.showsKeys { throw ValidationError("A key would be readable on its way: use https.") }
        return address
    }
}

/// A text that no service takes for a key.
private let wrongKey = Secret("no-key-of-anybody")

/// A chat model whose service answers by itself.
private struct ChatHarness: ChatModelHarness {
    let transport: LiveTransport
    let endpoint: GeminiEndpoint
    let key: Secret
    let model: String
    let capabilities: Set<ChatCapability>
    let timeLimit = Duration.seconds(120)
    var secrets: [String] { [key.reveal()] }

    func makeModel(like answer: ServiceAnswer) -> any ChatModel { chatModel(key) }

    /// All that can be asked for is what any service does with a wrong key.
    func makeModel(answering answers: [ServiceAnswer]) throws -> (any ChatModel, any ChatServiceWatch) {
        guard answers == [.refuses(.invalidKey)] else { throw CaseSkipped("the service answers by itself") }
        return (chatModel(wrongKey), ServiceWatch())
    }

    private func chatModel(_ key: Secret) -> GeminiChatModel {
        GeminiChatModel(client: transport, endpoint: endpoint) { () throws(SecretStoreError) in key }
    }
}

/// A live model whose service is there.
private struct LiveHarness: LiveModelHarness {
    let transport: LiveTransport
    let endpoint: GeminiEndpoint
    let key: Secret
    let configuration: LiveConfiguration
    let capabilities: Set<LiveCapability>
    let jpeg: [UInt8] = {
        let camera = FakeCamera(.init(size: PixelSize(width: 320, height: 240), format: .jpeg(quality: 80)))
        if case .jpeg(let file) = camera.frame(0).content { return file }
        return []
    }()
    var secrets: [String] { [key.reveal()] }

    func makeModel(_ key: LiveKey) -> any LiveModel {
        let secret: Secret? =
            switch key {
            case .good: self.key
            case .bad: wrongKey
            case .none: nil
            }
        return GeminiLiveModel(client: transport, endpoint: endpoint) { () throws(SecretStoreError) in secret
        }
    }
}
