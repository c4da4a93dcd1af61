import GeminiAPI
import GeminiLive
import GeminiREST
import GeminiServer
import Services
import SimulatedTransport
import Simulation
import Testing
import Transport

/// A simulated network with a simulated Gemini at `gemini.test`.
private func networkWithGemini(_ script: GeminiScript) async throws -> SimulatedNetwork {
    let network = SimulatedNetwork()
    let settings = GeminiServerSettings(keys: ["key"])
    let server = GeminiServer(settings, script: script, inspectFrame: TestPicture.inspect)
    _ = try await network.host("gemini.test").listen(
        server,
        at: SocketAddress(host: "gemini.test", port: 443)
    )
    return network
}

// The examples of the articles of GeminiLive, GeminiREST and GeminiServer, word for word.

@Test func `a session sees a picture and answers`() throws {
    let photo = TestPicture.jpeg(number: 7)
    let brain = ScriptedBrain([GeminiReply([.init(["A ", "cat."])])])
    try Simulation(seed: 7).run {
        let network = try await networkWithGemini(GeminiScript(brain: brain))
        let model = GeminiLiveModel(
            client: network.host("phone"),
            endpoint: GeminiEndpoint(authority: "gemini.test"),
            key: { Secret("key") }
        )
        let session = try await model.startSession(LiveConfiguration(model: GeminiWorld.model))
        try await session.send(frame: photo)
        try await session.send(text: "What is there?")
        var answer = ""
        events: while true {
            switch try await session.nextEvent() {
            case .text(let piece): answer += piece
            case .turnComplete, .closed: break events
            default: continue
            }
        }
        await session.close()
        #expect(answer == "A cat.")
    }
}

@Test func `an answer comes in pieces`() throws {
    let brain = ScriptedBrain([GeminiReply([.init(["Good ", "morning."])])])
    try Simulation(seed: 7).run {
        let network = try await networkWithGemini(GeminiScript(brain: brain))
        let model = GeminiChatModel(
            client: network.host("phone"),
            endpoint: GeminiEndpoint(authority: "gemini.test"),
            key: { Secret("key") }
        )
        let question = ChatRequest(model: "gemini-2.5-flash", contents: [.user("Greet me.")])
        var answer = ""
        var ending: ChatEnding?
        for try await event in try await model.stream(question) {
            switch event {
            case .text(let piece): answer += piece
            case .ended(let end): ending = end
            default: break
            }
        }
        #expect(answer == "Good morning.")
        #expect(ending?.isComplete == true)
    }
}

@Test func `a rule refuses twice, and the client waits and asks again`() throws {
    let refusal = GeminiFailure(503, "UNAVAILABLE", "The model is overloaded. Please try again later.")
    let brain = RuleBrain([
        GeminiRule(replies: [GeminiReply([], ending: .failed(refusal))], atMost: 2),
        GeminiRule(replies: [GeminiReply([.init(["Here I am."])])]),
    ])
    let gemini = GeminiServer(
        GeminiServerSettings(keys: ["key"]),
        script: GeminiScript(brain: brain),
        inspectFrame: TestPicture.inspect
    )
    try Simulation(seed: 7).run {
        let network = SimulatedNetwork()
        let host = network.host("gemini.test")
        _ = try await host.listen(gemini, at: SocketAddress(host: "gemini.test", port: 443))
        let model = GeminiChatModel(
            client: network.host("phone"),
            endpoint: GeminiEndpoint(authority: "gemini.test"),
            key: { Secret("key") }
        )
        let question = ChatRequest(model: "gemini-2.5-flash", contents: [.user("Are you there?")])
        #expect(try await model.generate(question).text == "Here I am.")
        #expect(gemini.record.requestCount == 3)
    }
}
