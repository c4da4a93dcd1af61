import Foundation
import GeminiServer
import HTTPTypes
import PeerKit
import SimulationTesting
import Testing
import Transport

@Suite("Gemini over REST: words", .simulated(seeds: 1...5))
struct GenerateRESTTests {
    /// Says a fixed reply, whatever it is asked.
    private func caller(
        _ reply: GeminiReply = GeminiReply([.init(["Hel", "lo "]), .init(["there."])])
    ) async throws -> RESTCaller {
        RESTCaller(try await GeminiWorld(script: GeminiScript(brain: ScriptedBrain([reply]))))
    }

    @Test func `an answer comes in one piece, with what it costs`() async throws {
        let answer = try await caller().call("generateContent", RESTCaller.hello)
        #expect(answer.status == 200)
        let json = try answer.json()
        #expect(json.at("candidates.0.content") == ["role": "model", "parts": [["text": "Hello there."]]])
        #expect(json.at("candidates.0.finishReason") == "STOP")
        #expect(json["modelVersion"] == "gemini-2.5-flash")
        #expect(json["responseId"]?.string?.count == 22)
        // Five bytes of prompt are two tokens, twelve of answer three.
        #expect(
            json["usageMetadata"] == [
                "promptTokenCount": 2, "candidatesTokenCount": 3, "totalTokenCount": 5,
                "promptTokensDetails": [["modality": "TEXT", "tokenCount": 2]],
                "candidatesTokensDetails": [["modality": "TEXT", "tokenCount": 3]],
            ]
        )
    }

    @Test func `a stream has an event for each piece, and says at the last why it ends`() async throws {
        let answer = try await caller().send(
            .post,
            "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
            body: .bytes(RESTCaller.hello.json)
        )
        #expect(answer.headers[.contentType] == "text/event-stream")
        let events = try answer.events()
        #expect(events.map(\.words) == ["Hello ", "there."])
        #expect(events.map { $0.at("candidates.0.finishReason") } == [nil, "STOP"])
        #expect(events.map { $0.at("usageMetadata.totalTokenCount") } == [4, 5])
        #expect(Set(events.map { $0["responseId"] }).count == 1)
    }

    @Test func `without events, a stream is one array`() async throws {
        let answer = try await caller().call("streamGenerateContent", RESTCaller.hello)
        #expect(answer.headers[.contentType]?.hasPrefix("application/json") == true)
        #expect(try answer.json().array?.map(\.words) == ["Hello ", "there."])
        let refused = try await caller().call("streamGenerateContent", ["contents": []])
        #expect(refused.status == 400)
        #expect(try refused.json().at("0.error.status") == "INVALID_ARGUMENT")
    }

    @Test func `pieces come when their time has come`() async throws {
        let chunks = [2, 3].map { GeminiReply.Chunk(["word"], after: .seconds($0)) }
        let caller = try await caller(GeminiReply(chunks))
        let start = ContinuousClock.now
        let (_, body) = try await caller.open(
            .post,
            "/v1/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
            body: .bytes(RESTCaller.hello.json)
        )
        // A run's own stalls add to it.
        #expect((.seconds(2) ..< .seconds(2.5)).contains(start.duration(to: .now)))
        var times: [Duration] = []
        for try await _ in try await body.chunks() { times.append(start.duration(to: .now)) }
        #expect(times.count == 2 && (.seconds(5) ..< .seconds(5.5)).contains(times[1]))
    }

    @Test func `names come in both cases, also mixed, and free JSON is left alone`() async throws {
        let request: JSONValue = [
            "contents": [
                ["parts": [["inlineData": ["mime_type": "text/plain", "data": "SGk-"]]]],
                [
                    "role": "model",
                    "parts": [["function_call": ["name": "f", "args": ["someName": ["aB": 1]]]]],
                ],
                ["role": "user", "parts": [["functionResponse": ["name": "f", "response": ["oK": true]]]]],
            ],
            "system_instruction": ["role": "user", "parts": [["text": "Be brief."]]],
            "generationConfig": ["topK": 20, "max_output_tokens": "100"],
        ]
        #expect(try await caller().call("generateContent", request).status == 200)
    }

    // MARK: What the brain learns

    @Test func `a brain gets the whole conversation`() async throws {
        let brain = ListeningBrain()
        let caller = RESTCaller(try await GeminiWorld(script: GeminiScript(brain: brain)))
        let picture = TestPicture.jpeg(number: 7)
        let request: JSONValue = [
            "contents": [
                ["role": "user", "parts": [["text": "Hi"]]],
                // A streamed reply comes back in pieces.
                ["role": "model", "parts": [["text": "Hel"]]],
                ["role": "model", "parts": [["text": "lo"], ["text": "Hm", "thought": true]]],
                [
                    "role": "user",
                    "parts": [
                        ["text": "What is this?"],
                        [
                            "inlineData": [
                                "mimeType": "image/jpeg",
                                "data": .string(Data(picture).base64EncodedString()),
                            ]
                        ],
                    ],
                ],
            ],
            "systemInstruction": ["parts": [["text": "Be brief."]]],
            "tools": [["functionDeclarations": [["name": "look", "description": "Looks."]]]],
        ]
        let answer = try await caller.call("generateContent", request).json()
        let turn = try #require(brain.turns.first)
        let inspection = FrameInspection(width: 64, height: 48, number: 7)
        #expect(turn.index == 1 && turn.prompt == "What is this?" && turn.instructions == "Be brief.")
        #expect(turn.frameCount == 1 && turn.lastFrame == inspection && turn.lastFrameBytes == picture.count)
        #expect(turn.model == "gemini-2.5-flash" && turn.functions.map(\.name) == ["look"])
        #expect(
            turn.contents == [
                GeminiContent(.user, [.text("Hi")]),
                GeminiContent(.model, [.text("Hel"), .text("lo"), .thought("Hm")]),
                GeminiContent(
                    .user,
                    [.text("What is this?"), .picture(inspection, byteCount: picture.count, file: nil)]
                ),
            ]
        )
        #expect(
            answer.at("usageMetadata.promptTokensDetails.1") == ["modality": "IMAGE", "tokenCount": 258]
        )
    }

    // MARK: How it is to answer

    @Test(
        arguments: [
            (["maxOutputTokens": 2], "Hello th", "MAX_TOKENS"),
            (["maxOutputTokens": 3], "Hello there.", "STOP"),
            (["stopSequences": ["nothing", "o th"]], "Hell", "STOP"), (["stopSequences": ["H"]], "", "STOP"),
            (["stopSequences": ["there"], "maxOutputTokens": 1], "Hell", "MAX_TOKENS"),
        ] as [(JSONValue, String, String)]
    )
    func `an answer is cut where it has to end`(config: JSONValue, words: String, reason: String) async throws
    {
        let request = RESTCaller.prompt([["text": "Hello"]], ["generationConfig": config])
        let json = try await caller().call("generateContent", request).json()
        #expect(json.words == words)
        #expect(json.at("candidates.0.finishReason")?.string == reason)
        let stream = try await caller().call("streamGenerateContent", request).json().array ?? []
        #expect(stream.map(\.words).joined() == words)
        #expect(stream.last?.at("candidates.0.finishReason")?.string == reason)
    }

    @Test func `an answer is never cut inside a character`() async throws {
        let caller = try await caller(GeminiReply([.init(["aäöü"])]))
        let request = RESTCaller.prompt([["text": "Hello"]], ["generationConfig": ["maxOutputTokens": 1]])
        #expect(try await caller.call("generateContent", request).json().words == "aä")
    }

    @Test func `there are as many candidates as were asked for`() async throws {
        let request = RESTCaller.prompt([["text": "Hello"]], ["generationConfig": ["candidateCount": 3]])
        let json = try await caller().call("generateContent", request).json()
        #expect(json["candidates"]?.array?.map { $0["index"] } == [0, 1, 2])
        #expect(json.at("usageMetadata.candidatesTokenCount") == 9)
    }

    @Test func `thoughts are shown to who asks, and count in any case`() async throws {
        let caller = try await caller(GeminiReply([.init(["Hmmm"], isThought: true), .init(["Yes."])]))
        let shown = RESTCaller.prompt(
            [["text": "Hello"]],
            ["generationConfig": ["thinkingConfig": ["includeThoughts": true]]]
        )
        let open = try await caller.call("generateContent", shown).json()
        #expect(
            open.at("candidates.0.content.parts") == [["text": "Hmmm", "thought": true], ["text": "Yes."]]
        )
        let hidden = try await caller.call("generateContent", RESTCaller.hello).json()
        #expect(hidden.at("candidates.0.content.parts") == [["text": "Yes."]])
        for json in [open, hidden] {
            #expect(json.at("usageMetadata.thoughtsTokenCount") == 1)
            #expect(json.at("usageMetadata.totalTokenCount") == 4)
        }
    }

    @Test func `JSON fits the schema that is given`() async throws {
        let schema: JSONValue = [
            "type": "OBJECT", "required": ["name"],
            "properties": [
                "name": ["type": "STRING", "maxLength": "5"], "count": ["type": "INTEGER", "minimum": 3],
                "kind": ["type": "STRING", "enum": ["a", "b"]],
                "rows": ["type": "ARRAY", "minItems": 2, "items": ["type": "BOOLEAN"]],
                "other": ["anyOf": [["type": "NULL"], ["type": "NUMBER", "maximum": .real(-1.5)]]],
            ],
        ]
        let request = RESTCaller.prompt(
            [["text": "Hello"]],
            ["generationConfig": ["responseMimeType": "application/json", "responseSchema": schema]]
        )
        let fitting: JSONValue = [
            "name": "Hello", "count": 3, "kind": "a", "rows": [true, true], "other": .real(-1.5),
        ]
        let whole = try await caller().call("generateContent", request).json().words
        #expect(try JSONValue(json: Array(whole.utf8)) == fitting)
        let events = try await caller().call("streamGenerateContent", request).json().array ?? []
        #expect(events.count == 2 && events.map(\.words).joined() == whole)
    }

    @Test func `JSON Schema is followed through its references, and a schema in itself ends`() async throws {
        let schema: JSONValue = [
            "$ref": "#/$defs/tree",
            "$defs": [
                "tree": [
                    "type": ["object", "null"],
                    "properties": ["children": ["items": ["$ref": "#/$defs/tree"]]],
                ]
            ],
        ]
        let request = RESTCaller.prompt(
            [["text": "Hello"]],
            ["generationConfig": ["responseMimeType": "application/json", "responseJsonSchema": schema]]
        )
        let words = try await caller().call("generateContent", request).json().words
        #expect(try JSONValue(json: Array(words.utf8)).at("children.0.children.0") != nil)
    }

    @Test func `an enumeration is answered by one of its names`() async throws {
        let request = RESTCaller.prompt(
            [["text": "Hello"]],
            [
                "generationConfig": [
                    "responseMimeType": "text/x.enum",
                    "responseSchema": ["type": "STRING", "enum": ["bye", "there"]],
                ]
            ]
        )
        #expect(try await caller().call("generateContent", request).json().words == "there")
    }

    // MARK: How it is written

    @Test func `responses are JSON in its shortest form, with members in order`() async throws {
        let call = GeminiCall(id: "7", name: "look", arguments: ["b": 1, "a": "\u{1}"])
        let replies = [
            GeminiReply([.init(["a\"b\\c\n\u{1}é", "2"]), .init([]), .init(["3"])]),
            GeminiReply([.init(["Hm"], isThought: true), .init(["Yes."], calls: [call, call]), .init([])]),
            GeminiReply([], ending: .blocked("SAFETY")), GeminiReply([], ending: .finished("SAFETY")),
            GeminiReply([]), GeminiReply([.init([""])]),
        ]
        let configs: [JSONValue] = [
            [:], ["candidateCount": 3, "thinkingConfig": ["includeThoughts": true]], ["maxOutputTokens": 1],
        ]
        for reply in replies {
            let caller = try await caller(reply)
            for config in configs {
                for prompt in ["Hello", ""] {
                    let request = RESTCaller.prompt([["text": .string(prompt)]], ["generationConfig": config])
                    let whole = try await caller.call("generateContent", request)
                    #expect(whole.bytes == (try whole.json().json))
                    let stream = try await caller.call("streamGenerateContent", request)
                    #expect(Array(stream.text.replacing(",\r\n", with: ",").utf8) == (try stream.json().json))
                }
            }
        }
    }

    @Test func `what waits for nothing is ready at once, and an error is a chunk of its own`() async throws {
        let failure = GeminiFailure(500, "INTERNAL", "An internal error has occurred.")
        let chunks = [
            GeminiReply.Chunk(["a"], after: .seconds(1)), .init(["b"]), .init(["c"], after: .seconds(1)),
            .init(["d"]),
        ]
        for ending in [GeminiReply.Ending.finished("STOP"), .failed(failure)] {
            let reply = GeminiReply(chunks, ending: ending)
            let world = try await GeminiWorld(script: GeminiScript(brain: ScriptedBrain([reply])))
            let path = "/v1/models/gemini-2.5-flash:streamGenerateContent?alt=sse"
            var request = HTTPRequest(method: .post, scheme: "https", authority: "gemini.test", path: path)
            request.headerFields.set("x-goog-api-key", GeminiWorld.key)
            let (_, body) = await world.server.respond(to: request, body: .bytes(RESTCaller.hello.json))
            guard case .stream(let stream, nil) = body else {
                Issue.record("no stream: \(body)")
                continue
            }
            func words(_ bytes: [UInt8]?) throws -> [String] {
                try RESTCaller.Answer(status: 200, headers: [:], bytes: bytes ?? []).events().map {
                    $0.at("error.status")?.string ?? $0.words
                }
            }
            var parts = stream.makeAsyncIterator()
            guard case .chunk(let first) = parts.ready() else {
                Issue.record("nothing is ready")
                continue
            }
            #expect(try words(first) == ["a", "b"])
            #expect(parts.ready() == .later && parts.ready() == .later)
            #expect(try words(await parts.next()) == ["c", "d"])
            if case .failed = ending {
                #expect(parts.ready() == .later)
                #expect(try words(await parts.next()) == ["INTERNAL"])
            }
            #expect(parts.ready() == .end)
            #expect(try await parts.next() == nil)
        }
    }

    // MARK: Ends of their own

    private static let ratings: JSONValue = [
        ["blocked": true, "category": "HARM_CATEGORY_DANGEROUS_CONTENT", "probability": "HIGH"],
        ["category": "HARM_CATEGORY_HARASSMENT", "probability": "NEGLIGIBLE"],
        ["category": "HARM_CATEGORY_HATE_SPEECH", "probability": "NEGLIGIBLE"],
        ["category": "HARM_CATEGORY_SEXUALLY_EXPLICIT", "probability": "NEGLIGIBLE"],
    ]

    @Test func `a blocked prompt has no candidates, and ratings where it is harmful`() async throws {
        let caller = try await caller(GeminiReply([], ending: .blocked("SAFETY")))
        let json = try await caller.call("generateContent", RESTCaller.hello).json()
        #expect(json["candidates"] == nil)
        #expect(json["promptFeedback"] == ["blockReason": "SAFETY", "safetyRatings": Self.ratings])
        let other = try await self.caller(GeminiReply([], ending: .blocked("OTHER")))
        let answer = try await other.call("generateContent", RESTCaller.hello).json()
        #expect(answer["promptFeedback"] == ["blockReason": "OTHER"])
        #expect(json.at("usageMetadata.totalTokenCount") == 2)
        let stream = try await caller.call("streamGenerateContent", RESTCaller.hello).json()
        #expect(stream.array?.count == 1 && stream.at("0.promptFeedback.blockReason") == "SAFETY")
    }

    @Test func `an answer that is stopped says for what`() async throws {
        let caller = try await caller(GeminiReply([], ending: .finished("SAFETY")))
        let json = try await caller.call("generateContent", RESTCaller.hello).json()
        #expect(
            json["candidates"] == [["finishReason": "SAFETY", "index": 0, "safetyRatings": Self.ratings]]
        )
    }

    @Test func `a failure is a status before the first words, and an event after them`() async throws {
        let failure = GeminiFailure(500, "INTERNAL", "An internal error has occurred.")
        let early = try await caller(GeminiReply([], ending: .failed(failure)))
            .call("streamGenerateContent", RESTCaller.hello)
        #expect(early.status == 500)
        let late = try await caller(GeminiReply([.init(["Well"])], ending: .failed(failure)))
        #expect(try await late.call("generateContent", RESTCaller.hello).error().status == "INTERNAL")
        let stream = try await late.send(
            .post,
            "/v1/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
            body: .bytes(RESTCaller.hello.json)
        )
        #expect(stream.status == 200)
        #expect(try stream.events().map { $0.object?.keys.sorted().first } == ["candidates", "error"])
    }
}

/// Notes what it is asked.
private final class ListeningBrain: GeminiBrain {
    private let heard = KeptTurns()

    var turns: [GeminiTurn] { heard.all }

    func reply(to turn: GeminiTurn) -> GeminiReply {
        heard.keep(turn)
        return GeminiReply([.init(["Yes."])])
    }
}
