import GeminiServer
import HTTPTypes
import PeerKit
import SimulationTesting
import Testing
import Transport

@Suite("What a Live session refuses as REST does", .simulated(seeds: 1...3))
struct SessionStrictnessTests {
    private static func setup(_ fields: String) -> String {
        #"{"setup":{"model":"models/gemini-2.0-flash-live-001",\#(fields)}}"#
    }

    @Test(arguments: [
        (#"{"role":"banana","parts":[{"text":"Hi"}]}"#, "Please use a valid role: user, model."),
        (#"{"role":"user","parts":[]}"#, "must not be empty"),
        (#"{"role":"user"}"#, "must not be empty"),
        (#"{"parts":[{}]}"#, "must have one initialized field"),
        (#"{"parts":[{"text":"a","fileData":{"fileUri":"files/a"}}]}"#, "oneof field 'data' is already set"),
        (#"{"parts":[{"fileData":{"fileUri":"files/a"}}]}"#, "do not have permission to access the File"),
        (#"{"parts":[{"functionCall":{"args":{}}}]}"#, "Name cannot be empty"),
        (#"{"parts":[{"functionResponse":{"name":"f"}}]}"#, "immediately after a function call turn"),
        (#"{"parts":[{"inlineData":{"mimeType":"image/png","data":"AAAA"}}]}"#, "Unsupported MIME type"),
        (#"{"parts":[{"inlineData":{"mimeType":"audio/wav","data":"AAAA"}}]}"#, "Unsupported MIME type"),
        (#"{"parts":[{"inlineData":{"mimeType":"image/jpeg","data":"AAAA"}}]}"#, "process input image"),
        (#"{"parts":[{"inlineData":{"mimeType":"image/jpeg"}}]}"#, "data must not be empty"),
    ])
    func `a turn that makes no sense ends the session, with a reason`(turn: String, reason: String)
        async throws
    {
        let world = try await GeminiWorld()
        let raw = try await world.raw()
        try await raw.start()
        try await raw.send(#"{"clientContent":{"turns":[\#(turn)],"turnComplete":true}}"#)
        let close = try await raw.close()
        #expect(close.code == 1007 && close.reason.contains(reason), "\(close)")
        #expect(world.server.record.sessions[0].replies.isEmpty)
        let request = #"{"contents":[\#(turn)]}"#
        // Media that REST takes are the only difference.
        if reason != "Unsupported MIME type" {
            let answer = try await RESTCaller(world).send(
                .post,
                "/v1/models/\(RESTCaller.model):generateContent",
                body: .text(request)
            )
            #expect(try answer.status >= 400 && answer.error().message.contains(reason), "\(answer.text)")
        }
    }

    @Test(arguments: [
        (#""generationConfig":{"temperature":99}"#, "temperature must be in the range"),
        (#""generationConfig":{"candidateCount":50}"#, "candidate_count must be in the range"),
        (#""generationConfig":{"topP":-1}"#, "top_p must be in the range"),
        (#""generationConfig":{"topK":-1}"#, "top_k must be in the range"),
        (#""generationConfig":{"maxOutputTokens":0}"#, "max_output_tokens must be in the range"),
        (#""systemInstruction":{"parts":[]}"#, "must not be empty"),
        (
            #""systemInstruction":{"parts":[{"inlineData":{"mimeType":"image/jpeg","data":"AAAA"}}]}"#,
            "Unsupported MIME type"
        ),
    ])
    func `a setup with values that make no sense is refused, with a reason`(fields: String, reason: String)
        async throws
    {
        let raw = try await GeminiWorld().raw()
        try await raw.send(Self.setup(fields))
        let close = try await raw.close()
        #expect(close.code == 1007 && close.reason.contains(reason), "\(close)")
    }

    @Test func `values at the ends of their ranges are taken`() async throws {
        let raw = try await GeminiWorld().raw()
        try await raw.send(
            Self.setup(
                #""generationConfig":{"temperature":2,"topP":1,"topK":0,"maxOutputTokens":1,"candidateCount":1},"systemInstruction":{"role":"any","parts":[{"text":"Be brief."}]}"#
            )
        )
        #expect(try await raw.kinds(1) == ["setupComplete"])
    }

    @Test func `instructions that replace others are as strict`() async throws {
        let raw = try await GeminiWorld().raw()
        try await raw.start()
        try await raw.send(#"{"contextUpdate":{"systemInstruction":{"parts":[{}]}}}"#)
        let close = try await raw.close()
        #expect(close.code == 1007 && close.reason.contains("must have one initialized field"), "\(close)")
    }

    @Test func `calls, results, code and files of a history are taken, and cost`() async throws {
        let brain = KeepingBrain()
        let world = try await GeminiWorld(script: GeminiScript(brain: brain))
        let caller = RESTCaller(world)
        let start = try await caller.send(
            .post,
            "/upload/v1/files",
            headers: ["x-goog-upload-protocol": "resumable", "x-goog-upload-command": "start"],
            body: .bytes(JSONValue.object(["file": ["name": "files/a", "mimeType": "application/pdf"]]).json)
        )
        let url = try #require(start.headers.value("x-goog-upload-url"))
        _ = try await caller.send(
            .post,
            String(url.dropFirst("https://gemini.test".count)),
            headers: ["x-goog-upload-command": "upload, finalize", "x-goog-upload-offset": "0"],
            body: .text("x")
        )
        let raw = try await world.raw()
        try await raw.start()
        let turns = [
            #"{"role":"user","parts":[{"fileData":{"fileUri":"files/a"}},{"text":"Look it up."}]}"#,
            #"{"role":"model","parts":[{"text":"Hm.","thought":true},{"functionCall":{"name":"f","args":{"a":1}}}]}"#,
            #"{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"12345678"}}}]}"#,
            #"{"role":"model","parts":[{"executableCode":{"language":"PYTHON","code":"print(1)"}}]}"#,
            #"{"role":"user","parts":[{"text":"Well?"}]}"#,
        ]
        try await raw.send(
            #"{"clientContent":{"turns":[\#(turns.joined(separator: ","))],"turnComplete":true}}"#
        )
        _ = try await raw.kinds(2)
        let usage = try #require(try await raw.receive()["usageMetadata"] as? [String: Any])
        #expect(brain.turns.all.map(\.prompt) == ["Well?"] && brain.turns.all.map(\.hasFile) == [false])
        let file = #"{"role":"user","parts":[{"fileData":{"fileUri":"files/a"}}]}"#
        for message in [
            #"{"clientContent":{"turns":[\#(file)],"turnComplete":true}}"#,
            #"{"realtimeInput":{"text":"And?"}}"#,
        ] {
            try await raw.send(message)
            _ = try await raw.kinds(3)
        }
        #expect(brain.turns.all.map(\.hasFile) == [false, true, false])
        // 11 + 3 + 7 + 21 + 8 + 5 bytes of text, and a page.
        #expect(usage["promptTokenCount"] as? Int == (11 + 3 + 7 + 21 + 8 + 5 + 3) / 4 + 258)
    }
}
