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
