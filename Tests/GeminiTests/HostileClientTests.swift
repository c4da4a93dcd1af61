import GeminiServer
import HTTPTypes
import SimulationTesting
import TestSupport
import Testing
import Transport

@Suite("A hostile client", .simulated(seeds: 1...20))
struct HostileClientTests {
    private static let invalid = "Request contains an invalid argument."
    private static func unknown(_ name: String, _ place: String) -> String {
        "Invalid JSON payload received. Unknown name \"\(name)\"\(place): Cannot find field."
    }

    @Test(
        "a first message other than a proper setup is refused with the service's words",
        arguments: [
            (#"{"realtimeInput":{"text":"Hi"}}"#, 1007, invalid),
            (#"{}"#, 1007, invalid),
            (#"{"setup":{"model":"models/x"},"clientContent":{}}"#, 1007, invalid),
            (#"{"hello":1}"#, 1007, unknown("hello", "")),
            (#"{"setup":{"modle":"x"}}"#, 1007, unknown("modle", " at 'setup'")),
            (
                #"{"setup":{"generationConfig":{"topX":1}}}"#, 1007,
                unknown("topX", " at 'setup.generation_config'")
            ),
            (
                #"{"setup":{"systemInstruction":{"parts":[{"txt":"x"}]}}}"#, 1007,
                unknown("txt", " at 'setup.system_instruction.parts[0]'")
            ),
            (#"{"setup":{"model":5}}"#, 1007, "Invalid value at 'setup.model' (TYPE_STRING), 5"),
            (
                #"{"setup":{"model":"models/gemini-2.0-flash-live-001","generationConfig":{"responseModalities":["TEXT","AUDIO"]}}}"#,
                1007, invalid
            ),
            (
                #"{"setup":{"model":"models/gemini-2.0-flash-live-001","generationConfig":{"responseModalities":["IMAGE"]}}}"#,
                1007, invalid
            ),
            (
                #"{"setup":{"tools":[{"functionDeclarations":[{"name":"f","parameters":{"typ":"OBJECT"}}]}]}}"#,
                1007,
                unknown("typ", " at 'setup.tools[0].function_declarations[0].parameters'")
            ),
            (
                #"{"setup":{"safetySettings":[{"category":"HARM_CATEGORY_RUDENESS"}]}}"#, 1007,
                "Invalid value at 'setup.safety_settings[0].category' "
                    + "(type.googleapis.com/google.ai.generativelanguage.v1beta.HarmCategory)"
            ),
            (
                #"{"setup":{"inputAudioTranscription":{"language":"en"}}}"#, 1007,
                unknown("language", " at 'setup.input_audio_transcription'")
            ),
            (
                #"{"setup":{"generationConfig":{"speechConfig":{"voice":"Kore"}}}}"#, 1007,
                unknown("voice", " at 'setup.generation_config.speech_config'")
            ),
            (#"{"setup":{"labels":{"a":1}}}"#, 1007, "Invalid value at 'setup.labels[a]' (TYPE_STRING), 1"),
            (
                #"{"setup":{"model":"models/gemini-2.0-flash-live-001","generationConfig":{"responseModalities":["TEXT"],"responseMimeType":"a/b"}}}"#,
                1007, invalid
            ),
            ("nonsense", 1007, "Invalid JSON payload received. Unexpected token."),
        ] as [(String, UInt16, String)]
    )
    func badSetup(message: String, code: UInt16, reason: String) async throws {
        let raw = try await GeminiWorld().raw()
        try await raw.send(message)
        #expect(try await raw.close() == WebSocketClose(code: code, reason: String(reason.prefix(123))))
    }

    @Test(
        "after the setup, what the API does not know is refused",
        arguments: [
            RawConnection.setup,
            #"{"toolResponse":{"functionResponses":[]}}"#,
            #"{"realtimeInput":{"video":{"mimeType":"image/jpeg","data":"not base64"}}}"#,
            #"{"realtimeInput":{"video":{"mimeType":"image/jpeg","data":"/9hA\nMAX77777/9k="}}}"#,
            #"{"realtimeInput":{"video":{"mimeType":"image/jpeg","data":"AAAA"}}}"#,
            #"{"realtimeInput":{"video":{"mimeType":"image/jpeg","data":""}}}"#,
            #"{"realtimeInput":{"video":{"mimeType":"text/plain","data":"/9hAMAX77777/9k="}}}"#,
            #"{"realtimeInput":{"video":{"mimeType":"image/jpeg","data":"/9hAMAX77777/9k=","size":3}}}"#,
            #"{"realtimeInput":{"audio":{"mimeType":"audio/pcm;rate=16000","data":"AAAA"}}}"#,
            #"{"realtimeInput":{"audio":{"mimeType":"audio/pcm;rate=1","data":"AAA="}}}"#,
            #"{"realtimeInput":{"audio":{"mimeType":"audio/mp3","data":"AAA="}}}"#,
            #"{"toolResponse":{"functionResponses":[{"name":"f","response":{}}]}}"#,
            #"{"toolResponse":{"functionResponses":[{"id":"1","name":"f","result":{}}]}}"#,
            #"{"contextUpdate":{"tools":[]}}"#, #"{"contextUpdate":{"model":"x"}}"#,
            #"{"clientContent":{"turns":[{"parts":[{"inlineData":{"mimeType":"image/png","data":"AAAA"}}]}]}}"#,
            #"{"clientContent":{"turns":[{"parts":[{"functionCall":{"nam":"f"}}]}]}}"#,
            #"{"realtimeInput":{"text":["a"]}}"#, #"{"clientContent":{"turns":"x"}}"#, "[1]", "",
        ]
    )
    func badMessage(message: String) async throws {
        let world = try await GeminiWorld()
        let raw = try await world.raw()
        try await raw.start()
        try await raw.send(message)
        #expect(try await raw.close().code == 1007)
        #expect(world.server.record.sessions[0].frameCount == 0)
    }

    @Test("a caller without a key is refused after its setup, with at most 123 bytes of reason")
    func noKey() async throws {
        let raw = try await GeminiWorld().raw(path: GeminiWorld.path(version: "v1"))
        try await raw.send(RawConnection.setup)
        let close = try await raw.close()
        #expect(close.code == 1008)
        #expect(close.reason.hasPrefix("Method doesn't allow unregistered callers"))
        #expect(close.reason.utf8.count == 123)
    }

    @Test("a message above the limit ends the connection with 1009, and the server lives on")
    func oversize() async throws {
        let world = try await GeminiWorld(
            settings: GeminiServerSettings(keys: [GeminiWorld.key], largestMessage: 1000)
        )
        let raw = try await world.raw()
        try await raw.start()
        try await raw.send(#"{"realtimeInput":{"text":"\#(String(repeating: "x", count: 1000))"}}"#)
        #expect(try await raw.close().code == 1009)
        try await world.raw().start()
    }

    @Test(
        "words that wait for the end of their turn are bounded, in number and in size",
        .simulated(seeds: 1...3),
        arguments: [1, 900]
    )
    func endlessTurn(size: Int) async throws {
        let world = try await GeminiWorld(
            settings: GeminiServerSettings(keys: [GeminiWorld.key], largestMessage: 100_000)
        )
        let raw = try await world.raw()
        try await raw.start()
        let part = #"{"text":"\#(String(repeating: "x", count: size))"}"#
        let parts = Array(repeating: part, count: 100).joined(separator: ",")
        let message = #"{"clientContent":{"turns":[{"parts":[\#(parts)]}],"turnComplete":false}}"#
        for _ in 0..<200 {
            do { try await raw.send(message) } catch { break }
        }
        #expect(try await raw.close().code == 1007)
        #expect(world.server.record.sessions[0].texts.count <= 10_200)
    }

    @Test("deep nesting is refused", arguments: [101, 400, 600, 100_000])
    func nesting(depth: Int) async throws {
        let raw = try await GeminiWorld().raw()
        try await raw.send(
            #"{"setup":{"labels":"# + String(repeating: "[", count: depth)
                + String(repeating: "]", count: depth) + "}}"
        )
        #expect(try await raw.close().code == 1007)
    }

    @Test("a client that never sends its setup is closed in the end")
    func silence() async throws {
        let settings = GeminiServerSettings(keys: [GeminiWorld.key], setupTimeout: .milliseconds(1))
        let raw = try await GeminiWorld(settings: settings).raw()
        #expect(try await raw.close().code == 1011)
    }

    @Test(
        "other paths are refused as not found",
        arguments: [
            "/", "/ws/x", "/v1beta/models",
            "/ws/google.ai.generativelanguage.v9.GenerativeService.BidiGenerateContent",
        ]
    )
    func paths(path: String) async throws {
        await #expect { _ = try await GeminiWorld().raw(path: path) } throws: {
            ($0 as? TransportError)?.status == 404
        }
    }

    @Test(
        "mutated messages never harm the server",
        .simulated(seeds: 1...5),
        arguments: 0..<30 as Range<UInt64>
    )
    func mutated(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let world = try await GeminiWorld()
        let seeds = [
            RawConnection.setup,
            #"{"realtimeInput":{"video":{"mimeType":"image/jpeg","data":"/9hAMAX77777/9k="}}}"#,
            #"{"clientContent":{"turns":[{"role":"user","parts":[{"text":"Hi"}]}],"turnComplete":true}}"#,
            #"{"realtimeInput":{"text":"Hi"}}"#,
        ]
        for _ in 0..<10 {
            let raw = try await world.raw()
            try await raw.start()
            for _ in 0..<5 {
                var bytes = Array(seeds[Int.random(in: 0..<4, using: &generator)].utf8)
                for _ in 0..<Int.random(in: 0...2, using: &generator) {
                    bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(
                        in: 0...255,
                        using: &generator
                    )
                }
                do { try await raw.socket.send(binary: bytes) } catch { break }
            }
            await raw.socket.close(.normal)
        }
        try await world.settle()
        let record = world.server.record
        #expect(record.sessions.count == 10)
        #expect(record.sessions.allSatisfy { [1000, 1007, 1008].contains($0.close?.code) })
    }
}
