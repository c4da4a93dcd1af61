import Foundation
import GeminiServer
import HTTPTypes
import PeerKit
import SimulationTesting
import Testing
import Transport

@Suite("Gemini over REST: bounds", .simulated(seeds: 1...3))
struct LimitsRESTTests {
    private func answer(to schema: JSONValue) async throws -> RESTCaller.Answer {
        let request = RESTCaller.prompt(
            [["text": "Hello"]],
            ["generationConfig": ["responseMimeType": "application/json", "responseJsonSchema": schema]]
        )
        return try await RESTCaller(try await GeminiWorld()).call("generateContent", request)
    }

    @Test func `a schema cannot ask for an answer without end`() async throws {
        var nested: JSONValue = ["type": "string", "minLength": 10_000]
        for _ in 0..<10 { nested = ["type": "array", "minItems": 100, "items": nested] }
        #expect(try await answer(to: nested).bytes.count < 2_000_000)
        let names = (0..<10).map { "p\($0)" }
        let properties = Dictionary(uniqueKeysWithValues: names.map { ($0, ["$ref": "#"] as JSONValue) })
        let tree: JSONValue = [
            "type": "object", "properties": .object(properties),
            "required": .array(names.map { .string($0) }),
        ]
        #expect(try await answer(to: tree).bytes.count < 2_000_000)
    }

    @Test(arguments: ["nan", "inf", "-1e300"] as [JSONValue])
    func `bounds of a schema that are no numbers end nothing`(bound: JSONValue) async throws {
        let schema: JSONValue = [
            "type": "object",
            "properties": [
                "a": ["type": "string", "minLength": bound, "maxLength": bound],
                "b": ["type": "array", "minItems": bound, "maxItems": bound],
                "c": ["type": "integer", "minimum": bound, "maximum": bound],
            ],
        ]
        #expect(try await answer(to: schema).status == 200)
        let request = RESTCaller.prompt([["text": "Hello"]], ["generationConfig": ["maxOutputTokens": bound]])
        let caller = RESTCaller(try await GeminiWorld())
        #expect(try await caller.call("generateContent", request).status == 400)
    }

    @Test func `requests that are read at the same time share a memory`() async throws {
        var settings = GeminiServerSettings(keys: [GeminiWorld.key])
        settings.requestMemory = 1000
        let caller = RESTCaller(try await GeminiWorld(settings: settings))
        let text = JSONValue.string(String(repeating: "x", count: 1000))
        let refused = try await caller.call("generateContent", RESTCaller.prompt([["text": text]]))
        #expect(refused.status == 503)
        // What was refused takes no room.
        for _ in 0..<5 {
            let half = JSONValue.string(String(repeating: "x", count: 600))
            #expect(
                try await caller.call("generateContent", RESTCaller.prompt([["text": half]])).status == 200
            )
        }
    }

    @Test(arguments: [
        // 1x1 pixel each, of the smallest size that the formats allow.
        (
            "image/png",
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
        ),
        ("image/webp", "UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAwA0JaQAA3AA/vuUAAA="),
    ])
    func `pictures of other formats are read, and cut ones are not`(type: String, data: String) async throws {
        let caller = RESTCaller(try await GeminiWorld())
        func status(_ data: String) async throws -> Int {
            let blob: JSONValue = ["inlineData": ["mimeType": .string(type), "data": .string(data)]]
            return try await caller.call("countTokens", RESTCaller.prompt([blob])).status
        }
        #expect(try await status(data) == 200)
        let bytes = try #require(Data(base64Encoded: data))
        for count in 1..<bytes.count {
            #expect(try await status(bytes.prefix(count).base64EncodedString()) == 400)
        }
    }
}
