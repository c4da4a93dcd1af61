import Conformance
import GeminiAPI
import GeminiLive
import GeminiServer
import LiveModelConformance
import Services
import Transport

/// The real client and the simulated service, over a network of either kind.
struct GeminiHarness: LiveModelHarness {
    let transport: any WebSocketClient
    let endpoint: GeminiEndpoint
    /// Puts something between the client and the case.
    var wrap: @Sendable (any LiveModel) -> any LiveModel = { $0 }

    var capabilities = Set(LiveCapability.allCases)

    var configuration: LiveConfiguration { LiveConfiguration(model: GeminiWorld.model) }
    var jpeg: [UInt8] { TestPicture.jpeg(number: 1) }
    var secrets: [String] { [GeminiWorld.key, "another secret"] }

    func makeModel(_ key: LiveKey) async throws -> any LiveModel {
        let secret: Secret? =
            switch key {
            case .good: Secret(GeminiWorld.key)
            case .bad: Secret("another secret")
            case .none: nil
            }
        let model = GeminiLiveModel(client: transport, endpoint: endpoint) {
            () throws(SecretStoreError) in secret
        }
        return wrap(model)
    }

    /// What a session says is its own; a pause that would be wished for is left out.
    static let script = GeminiScript(brain: DescribingBrain(delayMilliseconds: 0...20))

    static func simulated(
        _ wrap: @escaping @Sendable (any LiveModel) -> any LiveModel = { $0 }
    ) async throws -> GeminiHarness {
        let world = try await GeminiWorld(script: script)
        let endpoint = GeminiEndpoint(authority: "gemini.test")
        return GeminiHarness(transport: world.transport, endpoint: endpoint, wrap: wrap)
    }
}
