import AppKernel
import ChatModelConformance
import CompletionsModel
import Concurrency
import Lens
import LensScenarios
import Services
import SimulatedTransport
import SimulationTesting
import Testing
import Transport

@Suite("Lens with the completions model", .simulated(seeds: 1...20))
struct LensWithCompletionsTests {
    @Test func `a question is answered in the end, whatever breaks, and the answer is kept once`()
        async throws
    {
        let server = ScriptedCompletions([
            .breaks(after: ["It is "]), .refuses(.unavailable), .says(["It is ", "a lamp."]),
        ])
        var options = LensOptions()
        options.chatModel = { client in
            CompletionsModel(
                client: client,
                address: "http://completions"
            ) { () throws(SecretStoreError) in Secret(ScriptedCompletions.key) }
        }
        options.adjust = { $0.chat = ChatPolicy(model: "llama", instructions: "Be brief.") }
        let world = try await LensWorld.start(options)
        let address = SocketAddress(host: "completions", port: 80)
        _ = try await world.network.host("completions").listen(server, at: address)

        try await world.onPhone { try await $0.chat.send(ChatDraft("What is it?")) }
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...500)))
        world.network.reset("phone", "completions")
        for _ in 0..<10 {
            while world.lens.chat.state.value.isAnswering { try await Task.sleep(for: .milliseconds(100)) }
            if world.lens.chat.state.value.failure == nil { break }
            try await world.onPhone { try await $0.chat.retry() }
        }

        let messages = world.lens.conversation.content.value.messages
        #expect(messages.map(\.content) == [.text("What is it?"), .text("It is a lamp.")])
        #expect(messages.last?.isPartial == false)
    }
}
