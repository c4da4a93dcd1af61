import Foundation
import GeminiLive
import GeminiServer
import HTTPTypes
import PeerKit
import Services
import Simulation
import SimulationTesting
import Synchronization
import Testing
import Transport

@Suite(
    "Gemini: what a client can make the service keep and do",
    .simulated(seeds: 1...3),
    .timeLimit(.minutes(10))
)
struct ServerBoundTests {
    // MARK: The record

    private static func world(recordMemory: Int, sessionsKept: Int = .max) async throws -> GeminiWorld {
        var settings = GeminiServerSettings(keys: [GeminiWorld.key], sessionsKept: sessionsKept)
        settings.recordMemory = recordMemory
        return try await GeminiWorld(settings: settings)
    }

    private static func held(_ session: GeminiRecord.Session) -> Int {
        let texts = session.texts + session.replies + session.calls + session.toolResponses
        return (texts + [session.instructions ?? ""]).reduce(0) { $0 + $1.utf8.count }
            + session.frames.reduce(0) { $0 + ($1.bytes?.count ?? 0) }
    }

    @Test func `the record keeps texts, instructions and pictures of all sessions up to its bytes`()
        async throws
    {
        let world = try await Self.world(recordMemory: 30_000)
        for _ in 0..<3 {
            let session = try await world.open(
                LiveConfiguration(model: GeminiWorld.model, instructions: String(repeating: "i", count: 1000))
            )
            for number in 0..<4 {
                try await session.send(.frame(TestPicture.jpeg(number: UInt8(number), byteCount: 2900)))
                try await session.send(text: String(repeating: "x", count: 3000))
                _ = try await session.turn()
            }
            await session.close()
        }
        let sessions = world.server.record.sessions
        let held = sessions.map(Self.held)
        #expect((25_000...30_000).contains(held.reduce(0, +)), "\(held)")
        #expect(sessions[0].leftOutCount == 0 && sessions[0].texts.count == 4)
        #expect(sessions[2].leftOutCount >= 4 && sessions[2].texts.isEmpty)
        #expect(sessions.allSatisfy { $0.frameCount == 4 && $0.replies.count == 4 })
        #expect(sessions[2].frames.allSatisfy { $0.bytes == nil })
    }

    @Test func `what the record forgets makes room, down to the last byte`() async throws {
        let world = try await Self.world(recordMemory: 8_000, sessionsKept: 1)
        for number in 0..<20 {
            let session = try await world.open(
                LiveConfiguration(model: GeminiWorld.model, instructions: "Be brief.")
            )
            for _ in 0..<12 { try await session.send(.frame(TestPicture.jpeg(number: 1, byteCount: 200))) }
            try await session.send(text: String(repeating: "x", count: 1500))
            #expect(try await session.turn() == "Hello there.")
            await session.close()
            let record = world.server.record.sessions[number]
            #expect(record.leftOutCount == 0 && record.texts.count == 1 && record.replies == ["Hello there."])
            #expect(record.frames.count { $0.bytes != nil } == 8, "the newest")
        }
        #expect(world.server.record.sessions[0].texts.isEmpty)
        #expect(world.server.record.sessions[0].instructions == "Be brief.")
    }

    @Test func `frames take room in the record, also those whose pictures are not kept`() async throws {
        var settings = GeminiServerSettings(keys: [GeminiWorld.key], framesKept: 0)
        settings.recordMemory = 4_000
        let world = try await GeminiWorld(settings: settings)
        let session = try await world.open()
        for number in 0..<200 { try await session.send(.frame(TestPicture.jpeg(number: UInt8(number)))) }
        try await world.settle()
        let record = world.server.record.sessions[0]
        #expect(record.frameCount == 200 && record.leftOutCount == 200 - record.frames.count)
        #expect((1...4_000 / MemoryLayout<GeminiRecord.Frame>.size).contains(record.frames.count))
    }

    @Test func `what a session keeps after it was forgotten is forgotten when it ends`() async throws {
        let world = try await Self.world(recordMemory: 8_000, sessionsKept: 1)
        let old = try await world.open()
        for _ in 0..<10 {
            let new = try await world.open()
            try await old.send(text: String(repeating: "x", count: 1500))
            _ = try await old.turn()
            await new.close()
        }
        #expect(world.server.record.sessions[0].leftOutCount > 0, "it holds all the room")
        await old.close()
        try await world.settle()
        #expect(world.server.record.sessions[0].texts.isEmpty)
        let last = try await world.open()
        for _ in 0..<4 {
            try await last.send(text: String(repeating: "x", count: 1500))
            _ = try await last.turn()
        }
        #expect(world.server.record.sessions.last?.texts.count == 4)
    }

    // MARK: Functions

    private static func functions(_ names: [String]) -> JSONValue {
        [["functionDeclarations": .array(names.map { ["name": .string($0)] })]]
    }

    @Test(.simulated(seeds: 1...1), arguments: [nil, 29_999])
    func `thirty thousand functions are looked at once each`(_ twice: Int?) async throws {
        // Pairwise, these would be 450 million comparisons for each of both lists, in one step, which may not take so long.
        var names = (0..<30_000).map { "function_\($0)" }
        if let twice { names[twice] = "function_5" }
        var config: [String: JSONValue] = ["tools": Self.functions(names)]
        config["toolConfig"] = [
            "functionCallingConfig": [
                "mode": "ANY", "allowedFunctionNames": .array(names.map { .string($0) }),
            ]
        ]
        let caller = RESTCaller(try await GeminiWorld())
        let answer = try await caller.call("generateContent", RESTCaller.prompt([["text": "Hi"]], config))
        #expect(answer.status == (twice == nil ? 200 : 400))
        if twice != nil { #expect(try answer.error().message.contains("function_5")) }
    }

    @Test func `a function that may be called and is not declared is refused`() async throws {
        let config: [String: JSONValue] = [
            "tools": Self.functions(["a", "b"]),
            "toolConfig": ["functionCallingConfig": ["mode": "ANY", "allowedFunctionNames": ["b", "c"]]],
        ]
        let caller = RESTCaller(try await GeminiWorld())
        let answer = try await caller.call("generateContent", RESTCaller.prompt([["text": "Hi"]], config))
        #expect(try answer.error().message.contains("Function c is not defined"))
    }

    @Test(arguments: [
        ["a b"], ["1a"], [""], [String(repeating: "a", count: 65)], ["é"], ["a", "b", "a"],
    ])
    func `a Live session takes no function of another kind of name, and no name twice`(_ names: [String])
        async throws
    {
        let setup = { (tools: JSONValue) -> String in
            let setup: JSONValue = [
                "setup": ["model": .string("models/\(GeminiWorld.model)"), "tools": tools]
            ]
            return String(decoding: setup.json, as: UTF8.self)
        }
        let world = try await GeminiWorld()
        let refused = try await world.raw()
        try await refused.send(setup(Self.functions(names)))
        #expect(try await refused.close().code == 1007)
        let changed = try await world.raw()
        try await changed.start(setup(Self.functions(["a.b:c-d_1", "_x"])))
        let update: JSONValue = ["contextUpdate": ["tools": ["tools": Self.functions(names)]]]
        try await changed.send(String(decoding: update.json, as: UTF8.self))
        #expect(try await changed.close().code == 1007)
    }

    // MARK: Requests

    @Test func `a request takes its room until it is answered`() async throws {
        var settings = GeminiServerSettings(keys: [GeminiWorld.key])
        settings.requestMemory = 1000
        let reply = GeminiReply([.init(["Well."], after: .seconds(10))])
        let world = try await GeminiWorld(
            script: GeminiScript(brain: ScriptedBrain([reply])),
            settings: settings
        )
        let caller = RESTCaller(world)
        let text = JSONValue.string(String(repeating: "x", count: 600))
        let prompt = RESTCaller.prompt([["text": text]])
        let first = Task { try await caller.call("generateContent", prompt).status }
        try await Task.sleep(for: .seconds(5))
        #expect(try await caller.call("generateContent", prompt).status == 503)
        #expect(try await first.value == 200)
        #expect(try await caller.call("generateContent", prompt).status == 200)
    }

    @Test func `names of a schema count in the answer that is made of it`() async throws {
        let name = String(repeating: "n", count: 100_000)
        let schema: JSONValue = [
            "type": "array", "minItems": 100,
            "items": ["type": "object", "properties": [name: ["type": "boolean"]]],
        ]
        let request = RESTCaller.prompt(
            [["text": "Hello"]],
            ["generationConfig": ["responseMimeType": "application/json", "responseJsonSchema": schema]]
        )
        let answer = try await RESTCaller(try await GeminiWorld()).call("generateContent", request)
        #expect(answer.status == 200 && (900_000..<2_000_000).contains(answer.bytes.count))
    }

    // MARK: Streams

    @Test(.simulated(seeds: 1...1)) func `a large event in crumbs is one of at most 4096 pieces, and whole`()
        async throws
    {
        Simulation.current?.arm(faultPoint: "gemini.generate.huge", values: ["kilobytes": 16_384], atMost: 1)
        Simulation.current?.arm(
            faultPoint: "gemini.generate.crumbs",
            values: ["bytes": 1, "pause": 0.001],
            atMost: 1
        )
        let server = GeminiServer(
            GeminiServerSettings(keys: [GeminiWorld.key]),
            script: GeminiScript(brain: ScriptedBrain([GeminiReply([.init(["Hello."])])])),
            inspectFrame: TestPicture.inspect
        )
        var request = HTTPRequest(
            method: .post,
            scheme: "https",
            authority: "gemini.test",
            path: "/v1/models/\(RESTCaller.model):streamGenerateContent?alt=sse"
        )
        request.headerFields.set("x-goog-api-key", GeminiWorld.key)
        let start = ContinuousClock.now
        var sizes: [Int] = []
        var words = ""
        for try await chunk in try await server.respond(to: request, body: .bytes(RESTCaller.hello.json)).body
            .chunks()
        {
            sizes.append(chunk.count)
            words += String(decoding: chunk.suffix(400), as: UTF8.self)
        }
        #expect((4000...4096).contains(sizes.count) && sizes.reduce(0, +) > 16 << 20)
        #expect(words.contains("\r\n\r\n"))
        #expect((.seconds(4) ... .seconds(5)).contains(start.duration(to: .now)))
    }
}
