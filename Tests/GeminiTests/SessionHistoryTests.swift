import GeminiScripts
import GeminiServer
import Services
import SimulationTesting
import Testing

/// Keeps what it was asked, and says little.
struct KeepingBrain: GeminiBrain {
    let turns = KeptTurns()

    func reply(to turn: GeminiTurn) -> GeminiReply {
        turns.keep(turn)
        return GeminiReply([.init(["Well."])])
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
}
