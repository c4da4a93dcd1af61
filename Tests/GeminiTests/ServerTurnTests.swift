import GeminiServer
import HTTPTypes
import SimulationTesting
import Testing
import Transport

@Suite("Turns of the simulated service", .simulated(seeds: 1...20))
struct ServerTurnTests {
    private static let ask = #"{"realtimeInput":{"text":"Hi"}}"#
    /// A brain that begins, and then would take a day to go on.
    private static let slow = FixedBrain(pieces: [.init(["Well, "]), .init(["…"], after: .seconds(86_400))])

    @Test("a turn is modelTurn, generationComplete, turnComplete with usage, and then the handle")
    func order() async throws {
        let raw = try await GeminiWorld().raw()
        try await raw.start(
            #"{"setup":{"model":"models/gemini-2.0-flash-live-001","generation_config":{"response_modalities":["TEXT"]},"session_resumption":{}}}"#
        )
        try await raw.send(Self.ask)
        #expect(
            try await raw.kinds(5) == [
                "serverContent.modelTurn", "serverContent.modelTurn", "serverContent.generationComplete",
                "serverContent.turnComplete+usageMetadata", "sessionResumptionUpdate",
            ]
        )
    }

    @Test("every character of an answer arrives as it is, those also that JSON writes in another way")
    func characters() async throws {
        let control = String(String.UnicodeScalarView((0...0x9F).compactMap(Unicode.Scalar.init)))
        let text = control + "\"\\/ é € 𝄞 \u{2028}\u{FEFF}\u{10FFFF}"
        let raw = try await GeminiWorld(script: GeminiScript(brain: FixedBrain(pieces: [.init([text])])))
            .raw()
        try await raw.start()
        try await raw.send(Self.ask)
        let content = try await raw.receive()["serverContent"] as? [String: Any]
        let parts = (content?["modelTurn"] as? [String: Any])?["parts"] as? [[String: Any]]
        // Scalar by scalar: equality of texts would not tell characters that look the same apart.
        #expect(parts?.first?["text"].map { Array("\($0)".unicodeScalars) } == Array(text.unicodeScalars))
    }

    @Test(
        "words during a reply cut it short without generationComplete, and are answered themselves",
        arguments: [
            #"{"realtimeInput":{"text":"Stop"}}"#,
            #"{"clientContent":{"turns":[{"role":"user","parts":[{"text":"Stop"}]}],"turnComplete":true}}"#,
            #"{"client_content":{"turns":{"parts":{"text":"Stop"}},"turnComplete":true}}"#,
        ]
    )
    func interruption(words: String) async throws {
        let raw = try await GeminiWorld(script: GeminiScript(brain: Self.slow)).raw()
        try await raw.start()
        try await raw.send(Self.ask)
        #expect(try await raw.kinds(1) == ["serverContent.modelTurn"])
        try await raw.send(words)
        #expect(
            try await raw.kinds(3) == [
                "serverContent.interrupted", "serverContent.turnComplete+usageMetadata",
                "serverContent.modelTurn",
            ]
        )
    }

    @Test("content that is not complete interrupts and then waits for the rest")
    func incompleteContent() async throws {
        let world = try await GeminiWorld(script: GeminiScript(brain: Self.slow))
        let raw = try await world.raw()
        try await raw.start()
        try await raw.send(Self.ask)
        _ = try await raw.receive()
        try await raw.send(#"{"clientContent":{"turns":[{"parts":[{"text":"A"}]}],"turnComplete":false}}"#)
        #expect(
            try await raw.kinds(2) == [
                "serverContent.interrupted", "serverContent.turnComplete+usageMetadata",
            ]
        )
        #expect(world.server.record.sessions[0].replies.count == 1)
        try await raw.send(#"{"clientContent":{"turnComplete":true}}"#)
        #expect(try await raw.kinds(1) == ["serverContent.modelTurn"])
        #expect(world.server.record.sessions[0].texts == ["Hi", "A"])
    }

    @Test("initial history is taken in silence")
    func history() async throws {
        let world = try await GeminiWorld()
        let raw = try await world.raw()
        try await raw.start(
            #"{"setup":{"model":"models/gemini-2.0-flash-live-001","generationConfig":{"responseModalities":["TEXT"]},"historyConfig":{"initial_history_in_client_content":true}}}"#
        )
        try await raw.send(
            #"{"clientContent":{"turns":[{"role":"model","parts":[{"text":"x"}]}],"turnComplete":true}}"#
        )
        try await raw.send(Self.ask)
        _ = try await raw.kinds(4)
        #expect(world.server.record.sessions[0].replies == ["Hello there."])
    }

    @Test("both alphabets, padded or not, both cases and deprecated chunks bring the same picture")
    func tolerantFrames() async throws {
        let world = try await GeminiWorld()
        let raw = try await world.raw()
        try await raw.start()
        // FF D8 40 30 05 FB EF BE FF D9, whose base64 needs both special letters.
        for data in ["/9hAMAX77777/9k=", "_9hAMAX77777_9k=", "_9hAMAX77777_9k", "/9hAMAX77777/9k"] {
            try await raw.send(#"{"realtimeInput":{"video":{"mimeType":"image/jpeg","data":"\#(data)"}}}"#)
            try await raw.send(
                #"{"realtime_input":{"media_chunks":[{"mime_type":"image/jpeg","data":"\#(data)"}]}}"#
            )
        }
        try await raw.send(Self.ask)
        _ = try await raw.receive()
        let frames = world.server.record.sessions[0].frames
        #expect(frames.count == 8)
        #expect(Set(frames.map(\.bytes)).count == 1)
    }

    @Test(
        "three versions, doubled slashes and a key in the header are accepted",
        arguments: ["v1", "v1beta", "v1alpha"]
    )
    func paths(version: String) async throws {
        let world = try await GeminiWorld()
        var headers = HTTPFields()
        headers[try #require(HTTPField.Name("x-goog-api-key"))] = GeminiWorld.key
        let raw = try await world.raw(path: "/" + GeminiWorld.path(version: version), headers: headers)
        try await raw.send(RawConnection.setup)
        #expect(try await raw.kinds(1) == ["setupComplete"])
        #expect(world.server.record.sessions[0].version == version)
        #expect(world.server.record.sessions[0].keyPlace == .header)
    }

    @Test("activity marks start a reply when detection is off, and are refused when it is on")
    func activity() async throws {
        let off =
            #"{"setup":{"model":"models/gemini-2.0-flash-live-001","generationConfig":{"responseModalities":["TEXT"]},"realtimeInputConfig":{"automatic_activity_detection":{"disabled":true}}}}"#
        let raw = try await GeminiWorld().raw()
        try await raw.start(off)
        try await raw.send(#"{"realtimeInput":{"activityStart":{}}}"#)
        try await raw.send(
            #"{"realtimeInput":{"audio":{"mimeType":"audio/pcm;rate=16000","data":"AAAAAA=="}}}"#
        )
        try await raw.send(#"{"realtimeInput":{"activityEnd":{}}}"#)
        #expect(try await raw.kinds(1) == ["serverContent.modelTurn"])
        let other = try await GeminiWorld().raw()
        try await other.start()
        try await other.send(#"{"realtimeInput":{"activityEnd":{}}}"#)
        #expect(try await other.close().code == 1007)
    }
}
