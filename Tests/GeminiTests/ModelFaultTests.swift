import ChatModelConformance
import Conformance
import FaultConformance
import GeminiAPI
import GeminiServer
import LiveModelConformance
import Services
import SimulatedTransport
import Testing
import Transport

/// The REST client between two hosts of a network that fails.
private struct FaultyChatHarness: ChatModelHarness {
    let world: FaultyWorld
    let secrets = [ScriptedChat.key]

    func makeModel(answering answers: [ServiceAnswer]) async throws -> (any ChatModel, any ChatServiceWatch) {
        let watch = ServiceWatch()
        let address = await world.serve(ScriptedChat(answers, watch).server, on: "gemini.test")
        return (ScriptedChat.model(world.network.host("phone"), authority: "\(address)"), watch)
    }
}

@Suite("Clients of Gemini conform while their world fails")
struct ModelFaultTests {
    @Test func `whatever fails, a chat model passes or says so`() {
        let report = FaultSweep(seeds: 1...10).report(ChatModelConformance.suite) { world in
            world.network.host("phone")
            // What a service that crashes was answering never ends, as its watch counts.
            world.serverHost("gemini.test", isMortal: false)
            return FaultyChatHarness(world: world)
        }
        #expect(report.wrongs == [], "\(report)")
    }

    @Test func `whatever fails, a live model passes or says so`() {
        let report = FaultSweep(seeds: 1...4).report(LiveModelConformance.suite) { world in
            let phone = world.network.host("phone")
            world.serverHost("gemini.test")
            let settings = GeminiServerSettings(keys: [GeminiWorld.key])
            let server = GeminiServer(
                settings,
                script: GeminiHarness.script,
                inspectFrame: TestPicture.inspect
            )
            _ = await world.serve(server, on: "gemini.test", port: 443)
            return GeminiHarness(transport: phone, endpoint: GeminiEndpoint(authority: "gemini.test"))
        }
        #expect(report.wrongs == [], "\(report)")
    }
}
