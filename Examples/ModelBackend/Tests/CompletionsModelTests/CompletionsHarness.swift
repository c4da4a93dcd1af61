import ChatModelConformance
import CompletionsModel
import Concurrency
import Conformance
import LiveTransport
import ServiceClient
import Services
import SimulatedTransport
import Synchronization
import Transport

/// The model over a simulated network.
///
/// - Precondition: In a simulation.
struct SimulatedHarness: ChatModelHarness {
    let form: ScriptedCompletions.Form
    let secrets = [ScriptedCompletions.key]
    let capabilities: Set<ChatCapability> = [.keys, .costs, .safety, .delivery]

    func makeModel(answering answers: [ServiceAnswer]) async throws -> (any ChatModel, any ChatServiceWatch) {
        let server = ScriptedCompletions(answers, form: form)
        let network = SimulatedNetwork()
        let address = SocketAddress(host: "completions", port: 80)
        _ = try await network.host("completions").listen(server, at: address)
        let model = CompletionsModel(
            client: network.host("client"),
            address: "http://completions"
        ) { () throws(SecretStoreError) in Secret(ScriptedCompletions.key) }
        return (model, server.watch)
    }
}

/// The model over real sockets of this machine.
final class LoopbackHarness: ChatModelHarness {
    let form: ScriptedCompletions.Form
    let secrets = [ScriptedCompletions.key]
    let capabilities: Set<ChatCapability> = [.keys, .costs, .safety]
    private let opened = Mutex<[(any Listener, LiveTransport)]>([])

    init(form: ScriptedCompletions.Form) { self.form = form }

    func makeModel(answering answers: [ServiceAnswer]) async throws -> (any ChatModel, any ChatServiceWatch) {
        let server = ScriptedCompletions(answers, form: form)
        let listener = try await LoopbackHost().listen(server, at: .loopback())
        let transport = try LiveTransport()
        opened.withLock { $0.append((listener, transport)) }
        var policy = CompletionsModel.policy
        // Pauses are real here.
        policy.retries.retries = 0
        let model = CompletionsModel(
            client: transport,
            address: "http://\(listener.address)",
            policy: policy
        ) { () throws(SecretStoreError) in Secret(ScriptedCompletions.key) }
        return (model, server.watch)
    }

    /// Ends what the models of this harness stand on.
    func shutdown() async {
        for (listener, transport) in opened.withLock({ $0 }) {
            await transport.shutdown()
            await listener.stop()
        }
    }
}
