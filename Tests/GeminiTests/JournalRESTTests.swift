import GeminiServer
import HTTPTypes
import PeerKit
import SimulationTesting
import Testing
import Transport

@Suite("Gemini over REST: the journal", .simulated(seeds: 1...3))
struct JournalRESTTests {
    private static let path = "/__lenssim/journal"

    @Test func `it has what clients sent, without media and without keys`() async throws {
        let world = try await GeminiWorld()
        let caller = RESTCaller(world)
        let picture = JSONValue.string(String(repeating: "A", count: 4000))
        let request = RESTCaller.prompt([
            ["text": .string("My key is \(GeminiWorld.key), keep it.")],
            ["text": .string(String(repeating: "x", count: 3000))],
            ["inlineData": ["mimeType": "text/plain", "data": picture]],
        ])
        #expect(try await caller.call("generateContent", request).status == 200)
        let query = "?key=test%2Bkey%2Fwith%3Dsigns"
        #expect(try await RESTCaller(world, key: nil).send(.get, "/v1/models/none\(query)").status == 404)
        let answer = try await caller.send(.get, Self.path)
        #expect(!answer.text.contains(GeminiWorld.key) && !answer.text.contains("key=test"))
        let requests = try #require(try answer.json()["requests"]?.array)
        #expect(
            requests.map { $0["path"] } == ["/v1/models/gemini-2.5-flash:generateContent", "/v1/models/none"]
        )
        #expect(requests.map { $0["status"] } == [200, 404])
        let parts = requests[0].at("body.contents.0.parts")
        #expect(parts?.at("0.text") == "My key is (key), keep it.")
        #expect(parts?.at("1.text")?.string?.count == 2001)
        #expect(parts?.at("2.inlineData.data") == "(4000 characters)")
        #expect(world.server.record.exchanges.map(\.status) == [200, 404])
    }

    @Test func `it is for those with a key, and keeps the newest requests`() async throws {
        let world = try await GeminiWorld()
        #expect(try await RESTCaller(world, key: "x").send(.get, Self.path).status == 400)
        #expect(try await RESTCaller(world, key: nil).send(.get, Self.path).status == 403)
        let caller = RESTCaller(world)
        for number in 0..<510 { _ = try await caller.send(.get, "/v1/models/\(number)") }
        let journal = try await caller.send(.get, Self.path).json()
        let numbers = journal["requests"]?.array?.map { $0["number"] }
        #expect(numbers?.count == 500 && numbers?.first == 10 && numbers?.last == 509)
        #expect(journal["dropped"] == 10)
    }

    @Test func `a body that is too large for it is left out`() async throws {
        let world = try await GeminiWorld()
        let parts = (0..<20).map { _ in
            JSONValue.object(["text": .string(String(repeating: "x", count: 1000))])
        }
        _ = try await RESTCaller(world).call("generateContent", RESTCaller.prompt(parts))
        #expect(world.server.record.exchanges.map { $0.body == nil && $0.status == 200 } == [true])
    }

    @Test func `it has Live sessions with what came in, without pictures, keys and handles`() async throws {
        let world = try await GeminiWorld()
        let raw = try await world.raw()
        try await raw.start(
            #"{"setup":{"model":"models/gemini-2.0-flash-live-001","generationConfig":{"responseModalities":["TEXT"]},"sessionResumption":{"handle":""}}}"#
        )
        let picture = JSONValue.string(Base64.encoded(TestPicture.jpeg(number: 5, byteCount: 300)))
        let blob: JSONValue = ["mimeType": "image/jpeg", "data": picture]
        func send(_ message: JSONValue) async throws {
            try await raw.send(String(decoding: message.json, as: UTF8.self))
        }
        for _ in 0..<3 { try await send(["realtimeInput": ["video": blob]]) }
        try await send(["realtime_input": ["media_chunks": [["mime_type": "audio/pcm", "data": "AAAAAA=="]]]])
        let text = JSONValue.string("My key is \(GeminiWorld.key).")
        let parts: JSONValue = [["text": text], ["inlineData": blob]]
        try await send([
            "clientContent": ["turns": [["role": "user", "parts": parts]], "turnComplete": true]
        ])
        try await send(["toolResponse": ["functionResponses": [["id": "1", "response": ["output": 7]]]]])
        #expect(try await raw.close().code == 1008)
        try await world.settle()
        let resumed = try await world.raw()
        try await resumed.send(
            #"{"setup":{"model":"models/gemini-2.0-flash-live-001","session_resumption":{"handle":"secret-handle"}}}"#
        )
        #expect(try await resumed.close().code == 1008)
        try await world.settle()
        let answer = try await RESTCaller(world).send(.get, Self.path)
        for secret in [GeminiWorld.key, "secret-handle", picture.string ?? ""] {
            #expect(!answer.text.contains(secret))
        }
        let journal = try answer.json()
        let messages = try #require(journal["messages"]?.array)
        #expect(messages.map { $0["kind"] } == ["setup", "clientContent", "toolResponse", "setup"])
        #expect(
            messages.map { $0["session"] } == [0, 0, 0, 1] && messages.map { $0["number"] } == [0, 1, 2, 3]
        )
        #expect(messages[0].at("body.setup.model") == "models/gemini-2.0-flash-live-001")
        let sent = messages[1].at("body.clientContent.turns.0.parts")
        #expect(sent?.at("0.text") == "My key is (key).")
        #expect(sent?.at("1.inlineData.data") == "(400 characters)")
        #expect(messages[2].at("body.toolResponse.functionResponses.0.response.output") == 7)
        #expect(messages[3].at("body.setup.session_resumption.handle") == "(13 characters)")
        #expect(journal["droppedMessages"] == 0)
        let sessions = try #require(journal["sessions"]?.array)
        #expect(
            sessions.map { $0["session"] } == [0, 1] && sessions.map { $0["isAccepted"] } == [true, false]
        )
        #expect(sessions[0]["frameCount"] == 3 && sessions[0]["pictureCount"] == 1)
        #expect(sessions[0]["audioBytes"] == 4)
        #expect(sessions[0]["frames"]?.array?.map { $0["number"] } == [0, 1, 2])
        #expect(
            sessions[0].at("frames.0")
                == ["number": 0, "byteCount": 300, "width": 64, "height": 48]
        )
        #expect(sessions[0].at("close.code") == 1008 && sessions[1].at("close.code") == 1008)
    }

    @Test func `of Live sessions it keeps the newest messages, and bodies that are not too large`()
        async throws
    {
        let world = try await GeminiWorld()
        let raw = try await world.raw()
        try await raw.start()
        let large = String(repeating: #"{"text":"\#(String(repeating: "x", count: 1000))"},"#, count: 20)
        try await raw.send(#"{"clientContent":{"turns":[{"parts":[\#(large.dropLast())]}]}}"#)
        for number in 0..<510 {
            try await raw.send(#"{"clientContent":{"turns":[{"parts":[{"text":"\#(number)"}]}]}}"#)
        }
        try await world.settle()
        let caller = RESTCaller(world)
        var journal = try await caller.send(.get, Self.path).json()
        #expect(journal["messages"]?.array?.count == 500 && journal["droppedMessages"] == 12)
        #expect(journal.at("messages.499.body.clientContent.turns.0.parts.0.text") == "509")
        let other = try await world.raw()
        try await other.start()
        try await other.send(#"{"clientContent":{"turns":[{"parts":[\#(large.dropLast())]}]}}"#)
        try await world.settle()
        journal = try await caller.send(.get, Self.path).json()
        let last = journal.at("messages.499")
        #expect(last?["kind"] == "clientContent" && last?["session"] == 1 && last?["body"] == nil)
    }

    @Test func `no part of a key is left where a text is cut`() async throws {
        let world = try await GeminiWorld()
        let caller = RESTCaller(world)
        for length in 1990..<2010 {
            let text =
                String(repeating: "x", count: length) + GeminiWorld.key + String(repeating: "y", count: 99)
            _ = try await caller.call("countTokens", RESTCaller.prompt([["text": .string(text)]]))
        }
        let kept = world.server.record.exchanges.compactMap { $0.body?.at("contents.0.parts.0.text")?.string }
        #expect(kept.count == 20)
        // Neither a beginning nor an end of it stands beside its neighbours.
        for text in kept { #expect(!text.contains("xt") && !text.contains("sy")) }
    }
}
