import GeminiAPI
import GeminiLive
import GeminiScripts
import GeminiServer
import Services
import SimulationTesting
import Testing
import Transport

/// Keeps what it was asked, and says little.
struct KeepingBrain: GeminiBrain {
    let turns = KeptTurns()
    var pieces: [GeminiReply.Chunk] = [.init(["Well."])]

    func reply(to turn: GeminiTurn) -> GeminiReply {
        turns.keep(turn)
        return GeminiReply(pieces)
    }
}

@Suite("Who has said what in a Live session", .simulated(seeds: 1...3))
struct SessionHistoryTests {
    /// A message with these turns, and whether an answer is due.
    static func content(_ turns: [(role: String, text: String)], isComplete: Bool = true) -> String {
        let turns = turns.map { #"{"role":"\#($0.role)","parts":[{"text":"\#($0.text)"}]}"# }
        return
            #"{"clientContent":{"turns":[\#(turns.joined(separator: ","))],"turnComplete":\#(isComplete)}}"#
    }

    private static let exchange = [("user", "Hi"), ("model", "Good morning"), ("user", "Bye")]

    @Test func `the prompt is what the user has said since the model spoke last`() async throws {
        let brain = KeepingBrain()
        let raw = try await GeminiWorld(script: GeminiScript(brain: brain)).raw()
        try await raw.start()
        func ask(_ turns: [(String, String)]) async throws {
            try await raw.send(Self.content(turns))
            #expect(try await raw.kinds(3).last == "serverContent.turnComplete+usageMetadata")
        }
        try await ask(Self.exchange)
        try await ask([("model", "Well then."), ("user", "One"), ("user", "Two")])
        try await ask([("user", "Three"), ("model", "Four")])
        #expect(brain.turns.all.map(\.prompt) == ["Bye", "One\nTwo", ""])
        // As over REST, where a history says how often the user has spoken.
        #expect(brain.turns.all.map(\.index) == [1, 2, 4])
    }

    @Test func `speakers are kept apart over several messages, and in a history`() async throws {
        let brain = KeepingBrain()
        let raw = try await GeminiWorld(script: GeminiScript(brain: brain)).raw()
        try await raw.start(
            #"{"setup":{"model":"models/gemini-2.0-flash-live-001","generationConfig":{"responseModalities":["TEXT"]},"historyConfig":{"initialHistoryInClientContent":true}}}"#
        )
        try await raw.send(Self.content(Array(Self.exchange.prefix(2))))
        try await raw.send(#"{"realtimeInput":{"text":"What now?"}}"#)
        _ = try await raw.kinds(3)
        try await raw.send(Self.content([("user", "A")], isComplete: false))
        try await raw.send(Self.content([("model", "B")], isComplete: false))
        try await raw.send(Self.content([("user", "C")]))
        _ = try await raw.kinds(3)
        #expect(brain.turns.all.map(\.prompt) == ["What now?", "C"])
        #expect(brain.turns.all.map(\.index) == [1, 3])
    }

    @Test func `a rule about words does not hold of the model's own`() async throws {
        let brain = try GeminiScriptFile.brain(
            of: "version: 1\nrules:\n- {when: {text: good morning}, reply: Wrong}\n- reply: Right"
        )
        let world = try await GeminiWorld(script: GeminiScript(brain: brain))
        let raw = try await world.raw()
        try await raw.start()
        try await raw.send(Self.content(Self.exchange))
        _ = try await raw.kinds(3)
        #expect(world.server.record.sessions[0].replies == ["Right"])
    }

    @Test func `a picture in a turn is a picture to rules, and to the model that describes it`() async throws
    {
        let brain = try GeminiScriptFile.brain(
            of: "version: 1\nrules:\n- {when: {picture: true, text: script}, reply: Seen.}"
        )
        let session = try await GeminiWorld(script: GeminiScript(brain: brain)).open()
        func say(_ words: String, _ parts: LiveTurn.Part...) async throws -> String {
            try await session.send(.turns([LiveTurn(.user, [.text(words)] + parts)], isComplete: true))
            return try await session.eventsOfTurn().text
        }
        #expect(try await say("script").contains("not seen a single frame"))
        #expect(try await say("script", .jpeg(TestPicture.jpeg(number: 7))) == "Seen.")
        #expect(try await say("Else").contains("I have seen 1 frames so far, e.g. no. 7 of 64x48"))
    }

    @Test func `a rule about the model holds in a Live session of that model alone`() async throws {
        let brain = try GeminiScriptFile.brain(
            of: "version: 1\nrules:\n- {when: {model: \(GeminiWorld.model)}, reply: Me.}\n- reply: Another."
        )
        let world = try await GeminiWorld(script: GeminiScript(brain: brain))
        for (model, words) in [(GeminiWorld.model, "Me."), ("gemini-live-2.5-flash-preview", "Another.")] {
            let session = try await world.open(LiveConfiguration(model: model))
            try await session.send(text: "Who are you?")
            #expect(try await session.eventsOfTurn().text == words)
        }
    }

    @Test func `a picture without a number is counted from 0`() async throws {
        let server = GeminiServer(GeminiServerSettings(keys: [GeminiWorld.key])) { bytes in
            var inspection = try TestPicture.inspect(bytes)
            inspection.number = nil
            return inspection
        }
        let model = GeminiLiveModel(
            client: try await GeminiWorld.transport(to: server, port: 443),
            endpoint: GeminiEndpoint(authority: "gemini.test")
        ) { () throws(SecretStoreError) in Secret(GeminiWorld.key) }
        let session = try await model.startSession(LiveConfiguration(model: GeminiWorld.model))
        let picture = LiveTurn(.user, [.jpeg(TestPicture.jpeg(number: 7))])
        try await session.send(.turns([picture, picture], isComplete: true))
        #expect(try await session.eventsOfTurn().text.contains("I have seen 2 frames so far, e.g. no. 1 of"))
    }

    @Test func `what a session has seen is known also when a function has answered`() async throws {
        let brain = KeepingBrain(pieces: [.init([], calls: [GeminiCall(name: "look")])])
        let tools = [LiveTool.function(FunctionDeclaration(name: "look", summary: "Looks."))]
        let session = try await GeminiWorld(script: GeminiScript(brain: brain)).open(
            LiveConfiguration(model: GeminiWorld.model, tools: tools)
        )
        try await session.send(.frame(TestPicture.jpeg(number: 7)))
        try await session.send(text: "Look!")
        var calls: [LiveToolCall] = []
        while calls.isEmpty {
            if case .toolCall(let made) = try await session.nextEvent() { calls = made }
        }
        try await session.send(.toolResponses([LiveToolResponse(to: calls[0], values: ["a": 1])]))
        while brain.turns.all.count < 2 { _ = try await session.nextEvent() }
        let turns = brain.turns.all
        #expect(turns.map(\.hasPicture) == [true, true])
        let names = turns.map { turn in turn.results.map(\.name) }
        #expect(names == [[], ["look"]])
        #expect(turns.flatMap(\.contents).isEmpty)
    }
}
