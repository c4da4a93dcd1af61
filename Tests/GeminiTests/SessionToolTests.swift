import GeminiLive
import GeminiServer
import PeerKit
import Services
import SimulationTesting
import Testing

/// Calls functions in its first turn, and tells what they gave in the others.
private struct CallingBrain: GeminiBrain {
    var calls: [String]

    func reply(to turn: GeminiTurn) -> GeminiReply {
        guard turn.index > 0 else {
            return GeminiReply([
                .init(["Let me see."]),
                .init([], calls: calls.map { GeminiCall(name: $0, arguments: ["place": "here"]) }),
            ])
        }
        let results = turn.results.map { "\($0.name)=\(String(decoding: $0.response.json, as: UTF8.self))" }
        return GeminiReply([.init(["\(turn.prompt)|" + results.joined(separator: ",")])])
    }
}

@Suite("Live tools", .simulated(seeds: 1...5))
struct SessionToolTests {
    private static func open(
        _ calls: [String] = ["look"],
        options: GeminiOptions = GeminiOptions()
    ) async throws -> (world: GeminiWorld, session: any LiveSession) {
        let world = try await GeminiWorld(script: GeminiScript(brain: CallingBrain(calls: calls)))
        let tools = [
            LiveTool.function(
                FunctionDeclaration(
                    name: "look",
                    summary: "Looks.",
                    parameters: ["type": "object", "properties": [:]]
                )
            ),
            .function(FunctionDeclaration(name: "hear", summary: "Hears.")),
            .function(FunctionDeclaration(name: "hum", summary: "Hums."), isBlocking: false),
        ]
        let configuration = LiveConfiguration(model: GeminiWorld.model, tools: tools)
        return (world, try await world.open(configuration, options: options))
    }

    /// The calls of the turn that begins now.
    private static func calls(_ session: any LiveSession) async throws -> [LiveToolCall] {
        while true {
            switch try await session.nextEvent() {
            case .toolCall(let calls): return calls
            case .turnComplete, .closed: return []
            default: break
            }
        }
    }

    @Test func `a blocking call holds the turn open until it is answered, and the answer is used`()
        async throws
    {
        let (world, session) = try await Self.open()
        try await session.send(text: "Hi")
        let calls = try await Self.calls(session)
        #expect(calls.map(\.name) == ["look"] && calls.map(\.arguments) == [["place": "here"]])
        let start = ContinuousClock.now
        try await Task.sleep(for: .seconds(60))
        try await session.send(
            .toolResponses(calls.map { LiveToolResponse(to: $0, values: ["output": "a cat"]) })
        )
        let events = try await session.eventsOfTurn()
        #expect(events.text == #"|look={"output":"a cat"}"#)
        #expect(start.duration(to: .now) >= .seconds(60), "nothing came before the answer")
        #expect(world.server.record.sessions[0].calls == ["look"])
        #expect(world.server.record.sessions[0].toolResponses == ["look"])
    }

    @Test func `all blocking calls of a turn are awaited, in any order`() async throws {
        let (world, session) = try await Self.open(["look", "hear"])
        try await session.send(text: "Hi")
        let calls = try await Self.calls(session)
        #expect(Set(calls.map(\.id)).count == 2)
        try await session.send(.toolResponses([LiveToolResponse(to: calls[1], values: [:])]))
        try await world.settle()
        #expect(world.server.record.sessions[0].replies.count == 1)
        try await session.send(.toolResponses([LiveToolResponse(to: calls[0], values: [:])]))
        #expect(try await session.eventsOfTurn().text == "|hear={},look={}")
    }

    @Test func `an interruption takes calls back, and a late answer to them does no harm`() async throws {
        let (world, session) = try await Self.open()
        try await session.send(text: "Hi")
        let calls = try await Self.calls(session)
        try await session.send(text: "Never mind")
        let events = try await session.eventsOfTurn()
        #expect(events.prefix(2) == [.interrupted, .toolCallCancelled(ids: calls.map(\.id))])
        #expect(try await session.eventsOfTurn().text == "Never mind|")
        try await session.send(.toolResponses([LiveToolResponse(to: calls[0], values: [:])]))
        try await world.settle()
        #expect(
            world.server.record.sessions[0].replies.count == 2 && world.server.record.sessions[0].close == nil
        )
    }

    @Test(arguments: [LiveToolResponse.Scheduling.silent, .whenIdle, .interrupt, nil])
    func `a call that does not block lets the turn end; its answer is heard as it says`(
        _ scheduling: LiveToolResponse.Scheduling?
    ) async throws {
        let (world, session) = try await Self.open(["hum"])
        try await session.send(text: "Hi")
        let calls = try await Self.calls(session)
        #expect(try await session.eventsOfTurn().last == .turnComplete)
        let response = LiveToolResponse(to: calls[0], values: [:], scheduling: scheduling)
        try await session.send(.toolResponses([response]))
        if scheduling == .silent {
            try await world.settle()
            #expect(world.server.record.sessions[0].replies.count == 1)
            try await session.send(text: "And?")
            #expect(try await session.eventsOfTurn().text == "And?|hum={}")
        } else {
            #expect(try await session.eventsOfTurn().text == "|hum={}")
        }
    }

    @Test func `a function that was not declared is not called`() async throws {
        let (_, session) = try await Self.open(["dance"])
        try await session.send(text: "Hi")
        #expect(try await Self.calls(session).isEmpty)
    }

    @Test(
        arguments: [
            (LiveToolResponse(id: "nobody", name: "look", values: [:]), 1008),
            (LiveToolResponse(id: "function-call-1", name: "hum", values: [:]), 1007),
            (
                LiveToolResponse(id: "function-call-1", name: "look", values: [:], scheduling: .silent),
                1007
            ),
            (LiveToolResponse(id: "function-call-1", name: "look", values: [:], continues: true), 1007),
        ] as [(LiveToolResponse, UInt16)]
    )
    func `an answer that fits no call closes the session`(_ response: LiveToolResponse, _ code: UInt16)
        async throws
    {
        let (_, session) = try await Self.open()
        try await session.send(text: "Hi")
        _ = try await Self.calls(session)
        try await session.send(.toolResponses([response]))
        guard case .closed(code, _)? = try await session.eventsOfTurn().last else {
            Issue.record("the session goes on")
            return
        }
    }

    @Test func `new tools and instructions take the place of the old ones`() async throws {
        let world = try await GeminiWorld(script: GeminiScript(brain: CallingBrain(calls: ["fly"])))
        let raw = try await world.raw()
        try await raw.start()
        try await raw.send(
            #"{"contextUpdate":{"systemInstruction":{"parts":[{"text":"Fly!"}]},"tools":{"tools":[{"function_declarations":[{"name":"fly"}]}]}}}"#
        )
        try await raw.send(#"{"realtimeInput":{"text":"Hi"}}"#)
        #expect(try await raw.kinds(2) == ["serverContent.modelTurn", "toolCall"])
        #expect(world.server.record.sessions[0].instructions == "Fly!")
    }

    @Test func `a context update of the client changes instructions and tools for all that follows`()
        async throws
    {
        let world = try await GeminiWorld(script: GeminiScript(brain: ContextBrain()))
        func function(_ name: String) -> LiveTool {
            .function(FunctionDeclaration(name: name, summary: "Does it."))
        }
        let configuration = LiveConfiguration(
            model: GeminiWorld.model,
            instructions: "Walk!",
            tools: [function("walk"), .search]
        )
        let session = try await world.open(configuration)
        func seen() async throws -> String {
            try await session.send(text: "Hi")
            return try await session.turn()
        }
        #expect(try await seen() == "Walk! walk")
        try await session.send(.contextUpdate(instructions: "Fly!"))
        #expect(try await seen() == "Fly! walk")
        try await session.send(.contextUpdate(tools: [function("fly"), function("land"), .search]))
        #expect(try await seen() == "Fly! fly,land")
        try await session.send(.contextUpdate(instructions: "Rest!", tools: []))
        #expect(try await seen() == "Rest! ")
        let error = await #expect(throws: LiveModelError.self) { try await session.send(.contextUpdate()) }
        #expect(error?.code == .rejected && error?.operation == "update context")
        let infinite = FunctionDeclaration(name: "f", summary: "F.", parameters: .number(.infinity))
        await #expect(throws: LiveModelError.self) {
            try await session.send(.contextUpdate(tools: [.function(infinite)]))
        }
        #expect(try await seen() == "Rest! ")
    }
}

/// Tells the instructions and the functions that it has.
private struct ContextBrain: GeminiBrain {
    func reply(to turn: GeminiTurn) -> GeminiReply {
        let functions = turn.functions.map(\.name).joined(separator: ",")
        return GeminiReply([.init(["\(turn.instructions ?? "") \(functions)"])])
    }
}
