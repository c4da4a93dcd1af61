import GeminiServer
import HTTPTypes
import PeerKit
import SimulationTesting
import Testing
import Transport

@Suite("Gemini over REST: refusals", .simulated(seeds: 1...3))
struct GenerateRESTRefusalTests {
    private static let invalid = "INVALID_ARGUMENT"

    @Test(
        arguments: [
            (["contents": []], "contents is not specified"), ([:], "contents is not specified"),
            (["contents": [["parts": []]]], "contents.parts must not be empty."),
            (["contents": [["parts": [[:]]]]], "required oneof field 'data'"),
            (["contents": [["parts": [["text": "a", "inlineData": ["data": "YQ=="]]]]]], "(oneof)"),
            (["contents": [["role": "system", "parts": [["text": "a"]]]]], "valid role: user, model"),
            (["contents": [["parts": [["txt": "a"]]]]], "Unknown name \"txt\" at 'contents[0].parts[0]'"),
            (
                ["contents": [["parts": [["text": 5]]]]],
                "Invalid value at 'contents[0].parts[0].text' (TYPE_STRING), 5"
            ),
            (
                ["contents": [["parts": [["functionCall": ["name": "f", "argz": 1]]]]]],
                "Unknown name \"argz\" at 'contents[0].parts[0].function_call'"
            ),
            (
                ["contents": [["parts": [["inlineData": ["mimeType": "image/jpeg", "data": "!"]]]]]],
                "Base64 decoding failed"
            ),
            (
                ["contents": [["parts": [["inlineData": ["mimeType": "image/jpeg", "data": "YQ=="]]]]]],
                "input image"
            ),
            (
                ["contents": [["parts": [["inlineData": ["mimeType": "application/zip", "data": "YQ=="]]]]]],
                "Unsupported MIME type: application/zip"
            ),
        ] as [(JSONValue, String)]
    )
    func `a mistake in the contents is named`(request: JSONValue, text: String) async throws {
        let caller = RESTCaller(try await GeminiWorld())
        for method in ["generateContent", "countTokens"] {
            let answer = try await caller.call(method, request)
            let error = try answer.error()
            #expect(answer.status == 400 && error.status == Self.invalid)
            #expect(error.message.contains(text), "\(error.message)")
        }
    }

    @Test(
        arguments: [
            (["generationConfig": ["temperature": 3]], "temperature"),
            (["generationConfig": ["candidateCount": 9]], "candidate_count"),
            (["generationConfig": ["candidateCount": 0]], "candidate_count"),
            (["generationConfig": ["candidateCount": .real(1.5)]], "candidate_count' (TYPE_INT32), 1.5"),
            (["generationConfig": ["maxOutputTokens": 0]], "max_output_tokens"),
            (["generationConfig": ["stopSequences": ["a", "b", "c", "d", "e", "f"]]], "stop_sequences"),
            (["generationConfig": ["responseMimeType": "text/html"]], "response_mime_type"),
            (["generationConfig": ["responseSchema": ["type": "STRING"]]], "response_schema"),
            (["generationConfig": ["responseModalities": ["AUDIO"]]], "modalities"),
            (["generationConfig": ["responseSchema": ["properties": ["a": ["typ": "x"]]]]], "properties[a]"),
            (["tools": [["functionDeclarations": [["name": "1"]]]]], "Invalid function name"),
            (["tools": [["functionDeclarations": [["name": "f"], ["name": "f"]]]]], "Duplicate"),
            (["toolConfig": ["functionCallingConfig": ["mode": "ANY"]]], "no function"),
            (
                ["toolConfig": ["functionCallingConfig": ["mode": "ANY", "allowedFunctionNames": ["g"]]]],
                "Function g is not defined"
            ),
            (
                [
                    "tools": [["functionDeclarations": [["name": "f"]]]],
                    "generationConfig": ["responseMimeType": "application/json"],
                ], "Function calling with a response mime type"
            ),
            (["safetySettings": [["category": "HARM", "threshold": "OFF"]]], "safety_settings[0].category"),
        ] as [([String: JSONValue], String)]
    )
    func `a mistake in what is asked for is named`(fields: [String: JSONValue], text: String) async throws {
        let answer = try await RESTCaller(try await GeminiWorld()).call(
            "generateContent",
            RESTCaller.prompt([["text": "Hello"]], fields)
        )
        let error = try answer.error()
        #expect(answer.status == 400 && error.status == Self.invalid)
        #expect(error.message.contains(text), "\(error.message)")
    }

    @Test func `results follow their calls, one for each`() async throws {
        let caller = RESTCaller(try await GeminiWorld())
        let asked: JSONValue = ["role": "user", "parts": [["text": "Hi"]]]
        let call: JSONValue = ["functionCall": ["name": "f", "args": [:]]]
        let calls: JSONValue = ["role": "model", "parts": [call, call]]
        let result: JSONValue = ["functionResponse": ["name": "f", "response": ["output": 1]]]
        func status(_ contents: [JSONValue]) async throws -> Int {
            try await caller.call("generateContent", ["contents": .array(contents)]).status
        }
        #expect(try await status([asked, calls, ["role": "user", "parts": [result, result]]]) == 200)
        #expect(try await status([asked, calls, ["role": "user", "parts": [result]]]) == 400)
        #expect(try await status([asked, ["role": "user", "parts": [result]]]) == 400)
        #expect(try await status([asked, calls, asked]) == 400)
    }

    @Test func `a model that is unknown, or cannot, is not found`() async throws {
        let caller = RESTCaller(try await GeminiWorld())
        for model in ["none", GeminiWorld.model] {
            let answer = try await caller.call("generateContent", RESTCaller.hello, model: model)
            let error = try answer.error()
            #expect(answer.status == 404 && error.status == "NOT_FOUND")
            #expect(
                error.message.hasPrefix(
                    "models/\(model) is not found for API version v1, or is not supported for generateContent."
                )
            )
        }
        #expect(try await caller.call("predict", RESTCaller.hello).status == 404)
    }

    @Test func `keys are judged before anything else`() async throws {
        let world = try await GeminiWorld(settings: GeminiServerSettings(keys: ["k"], expiredKeys: ["old"]))
        for (key, status, text) in [
            (nil, 403, "unregistered callers"), ("x", 400, "API key not valid"),
            ("old", 400, "API key expired"),
        ] as [(String?, Int, String)] {
            let answer = try await RESTCaller(world, key: key).call("generateContent", ["x": 1])
            #expect(answer.status == status)
            #expect(try answer.error().message.contains(text))
        }
    }

    @Test func `what is no JSON, or too large, is refused`() async throws {
        var settings = GeminiServerSettings(keys: [GeminiWorld.key])
        settings.largestRequest = 1000
        let caller = RESTCaller(try await GeminiWorld(settings: settings))
        let path = "/v1/models/gemini-2.5-flash:generateContent"
        let broken = try await caller.send(.post, path, body: .text("{\"contents\":"))
        #expect(try broken.error().message.hasPrefix("Invalid JSON payload received."))
        let text = JSONValue.string(String(repeating: "x", count: 1000))
        let large = try await caller.call("generateContent", RESTCaller.prompt([["text": text]]))
        #expect(large.status == 400)
        #expect(try large.error().message.hasPrefix("Request payload size exceeds the limit: 1000 bytes."))
    }

    @Test func `tokens are counted without an answer`() async throws {
        let caller = RESTCaller(try await GeminiWorld())
        let whole: JSONValue = [
            "generateContentRequest": RESTCaller.prompt(
                [["text": "Hello"]],
                [
                    "model": "models/gemini-2.5-flash",
                    "systemInstruction": ["parts": [["text": "Be brief."]]],
                ]
            )
        ]
        #expect(try await caller.call("countTokens", RESTCaller.hello).json()["totalTokens"] == 2)
        #expect(try await caller.call("countTokens", whole).json()["totalTokens"] == 5)
        guard case .object(var both) = whole else { return }
        both["contents"] = RESTCaller.hello["contents"]
        #expect(try await caller.call("countTokens", .object(both)).status == 400)
    }
}
