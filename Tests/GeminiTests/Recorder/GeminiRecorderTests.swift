import Concurrency
import GeminiAPI
import GeminiLive
import GeminiREST
import GeminiRecorder
import GeminiScripts
import GeminiServer
import HTTPTypes
import Services
import SimulatedTransport
import Simulation
import TestSupport
import Testing
import Transport

@Suite("Recording a Gemini")
struct GeminiRecorderTests {
    private static let script = """
        version: 1
        rules:
          - when: {text: weather, result: weather}
            reply: [It is , "21 °C."]
          - when: {result: weather}
            reply: ["Warm, ", "21 °C: “nice”."]
          - when: {text: weather in Rome}
            reply: [{call: weather, arguments: {city: Rome, days: [1, 2.5, true, null, "3"]}, id: c1}]
          - when: {text: weather}
            replies: [[It rains, "\\u2028 again."], "yes"]
          - when: {text: think}
            reply: [{text: Hm., thought: true}, "\\tDone\\n"]
          - when: {text: limit}
            reply: {messages: [Too, " much"], finish: MAX_TOKENS}
          - when: {text: forbidden}
            reply: {blocked: SAFETY}
          - when: {text: busy}
            reply: {error: {code: 429, message: Slow down., retryAfter: 7}}
          - when: {picture: true}
            reply: A picture.
        """

    @Test func `what a service has answered is answered again from the script, without the service`() throws {
        try Simulation(seed: 1).run {
            let world = try await RecorderWorld(Self.script)
            let recorded = try await Self.ask(world.client(RecorderWorld.ownKey, at: "recorder.test"))
            let text = try #require(world.script.text)
            #expect(world.script.leftOutCount == 0)
            for secret in [RecorderWorld.ownKey, RecorderWorld.serviceKey] { #expect(!text.contains(secret)) }
            #expect(world.service.record.requestCount > 0)

            try await world.replay(text)
            let replayed = try await Self.ask(world.client(RecorderWorld.ownKey, at: "replay.test"))
            #expect(recorded == replayed)
            #expect(recorded.count == 9)
        }
    }

    @Test func `answers of Live sessions are answered again from the script`() throws {
        try Simulation(seed: 1).run {
            let world = try await RecorderWorld(Self.script)
            let recorded = try await Self.converse(world.live(RecorderWorld.ownKey, at: "recorder.test"))
            try await world.replay(try #require(world.script.text))
            let replayed = try await Self.converse(world.live(RecorderWorld.ownKey, at: "replay.test"))
            #expect(recorded == replayed)
            let arguments: [StructuredValue] = [
                .text("Rome"), .list([.integer(1), .number(2.5), .bool(true), .null, .text("3")]),
            ]
            let expected = [
                "It rains\u{2028} again.", "weather \(arguments)", "Warm, 21 °C: “nice”.", "yes",
            ]
            #expect(recorded == expected)
        }
    }

    @Test func `who does not show the recorder's own key reaches nothing`() throws {
        try Simulation(seed: 1).run {
            let world = try await RecorderWorld(Self.script)
            let error = await #expect(throws: ChatModelError.self) {
                try await world.client(RecorderWorld.serviceKey, at: "recorder.test")
                    .generate(ChatRequest(model: RecorderWorld.model, contents: [.user("busy")]))
            }
            #expect(error?.code == .invalidKey)
            await #expect(throws: LiveModelError.self) {
                try await world.live("other", at: "recorder.test")
                    .startSession(LiveConfiguration(model: GeminiWorld.model))
            }
            #expect(world.script.text == nil)
            #expect(world.service.record.requestCount == 0)
        }
    }

    @Test func `an answer that is cut off is passed on as such, and not written down`() throws {
        try Simulation(seed: 1).run {
            let torn = ScriptedChat { _, _, _ in
                let cut = TransportError(.reset, operation: "give body", peer: "test")
                let body = ScriptedChat.body([ScriptedChat.events([ScriptedChat.piece("Half")])], then: cut)
                return ScriptedChat.ok(body, type: "text/event-stream")
            }
            let world = try await RecorderWorld(torn.server)
            let (events, error) = try await world.client(RecorderWorld.ownKey, at: "recorder.test")
                .stream(ChatRequest(model: RecorderWorld.model, contents: [.user("Hi")])).all()
            #expect(events.texts == ["Half"] && error?.code == .interrupted)
            #expect(world.script.text == nil)
        }
    }

    @Test func `what repeats the service's key is passed on and written down without it`() throws {
        try Simulation(seed: 1).run {
            let words = "Consumer 'api_key:\(RecorderWorld.serviceKey)' has been suspended."
            let echo = ScriptedChat { _, _, _ in
                ScriptedChat.refusal(403, ScriptedChat.error(403, "PERMISSION_DENIED", words))
            }
            let world = try await RecorderWorld(echo.server)
            let error = await #expect(throws: ChatModelError.self) {
                try await world.client(RecorderWorld.ownKey, at: "recorder.test")
                    .generate(ChatRequest(model: RecorderWorld.model, contents: [.user("Hi")]))
            }
            #expect(error?.detail.contains("has been suspended") == true)
            #expect(error?.detail.contains(RecorderWorld.serviceKey) == false)
            let text = try #require(world.script.text)
            #expect(text.contains("has been suspended") && !text.contains(RecorderWorld.serviceKey))
        }
        try Simulation(seed: 1).run {
            let closing = ScriptedServer.session { socket in
                _ = try? await socket.receive()
                await socket.close(
                    WebSocketClose(code: 1008, reason: "The key \(RecorderWorld.serviceKey) is blocked.")
                )
            }
            let world = try await RecorderWorld(closing)
            let error = await #expect(throws: LiveModelError.self) {
                try await world.live(RecorderWorld.ownKey, at: "recorder.test")
                    .startSession(LiveConfiguration(model: GeminiWorld.model))
            }
            #expect(error?.closeCode == 1008 && error?.detail.contains("is blocked.") == true)
            #expect(error?.detail.contains(RecorderWorld.serviceKey) == false)
        }
    }

    /// The key as it may stand in an answer: as it is, as in an address, as in JSON, and as in an address in JSON.
    private static let writtenKeys = [
        RecorderWorld.serviceKey, "service%2Dkey%2d7", #"\u0073ervice-key-\u0037"#, #"%73erv\u0069ce-key-7"#,
    ]

    @Test(
        "an error in the middle of a stream shows no key, however it is written and cut",
        arguments: writtenKeys
    )
    func maskedStream(written: String) throws {
        let error = ScriptedChat.error(400, "INVALID_ARGUMENT", "API key \(written) is suspended")
        let bytes = ScriptedChat.events([ScriptedChat.piece("Half"), error])
        let cuts = stride(from: 0, to: bytes.count, by: 5).map { Array(bytes[$0..<min($0 + 5, bytes.count)]) }
        for chunks in [[bytes], bytes.map { [$0] }, cuts] {
            try Simulation(seed: 1).run {
                let world = try await RecorderWorld(ScriptedChat(chunks: chunks).server)
                let address = HTTPRequest(
                    method: .post,
                    scheme: "http",
                    authority: "recorder.test",
                    path: "/v1beta/models/m:streamGenerateContent?alt=sse&key=\(RecorderWorld.ownKey)"
                )
                let question = #"{"contents":[{"parts":[{"text":"Hi"}]}]}"#
                let (_, body) = try await world.transport.send(
                    address,
                    body: .text(question),
                    timeout: .seconds(60)
                )
                let seen = String(decoding: try await body.collect(upTo: 1 << 20), as: UTF8.self)
                let asterisks = String(repeating: "*", count: written.utf8.count)
                #expect(
                    seen == String(decoding: bytes, as: UTF8.self).replacing(written, with: asterisks)
                )
                let text = try #require(world.script.text)
                #expect(text.contains("API key \(asterisks) is suspended"))
            }
        }
    }

    @Test func `a whole answer that repeats the key keeps its length, and header fields show none`() throws {
        let key = RecorderWorld.serviceKey
        try Simulation(seed: 1).run {
            let document = ScriptedChat.piece("The key is \(key)", finish: "STOP")
            let echo = ScriptedChat { _, _, _ in
                var (head, body) = ScriptedChat.ok(.text(document))
                head.headerFields[.eTag] = "for \(key)"
                return (head, body)
            }
            let world = try await RecorderWorld(echo.server)
            let request = HTTPRequest(
                method: .get,
                scheme: "http",
                authority: "recorder.test",
                path: "/v1beta/models?key=\(RecorderWorld.ownKey)"
            )
            let (head, body) = try await world.transport.send(request, body: .empty, timeout: .seconds(60))
            #expect(body.length == document.utf8.count)
            let seen = String(decoding: try await body.collect(upTo: 1 << 20), as: UTF8.self)
            #expect(seen == document.replacing(key, with: "*************"))
            #expect(head.headerFields[.eTag] == "for *************")
        }
    }

    @Test func `messages of Live sessions show no key, as text or as bytes, nor does the script`() throws {
        try Simulation(seed: 1).run {
            let echo = ScriptedServer.session { socket in
                _ = try? await socket.receive()
                try? await socket.send(text: #"{"setupComplete":{}}"#)
                _ = try? await socket.receive()
                func content(_ text: String, _ end: String) -> String {
                    #"{"serverContent":{"modelTurn":{"parts":[{"text":"\#(text)"}]}\#(end)}}"#
                }
                try? await socket.send(text: content("One \(RecorderWorld.serviceKey). ", ""))
                let last = content("Two \(RecorderWorld.serviceKey).", #","turnComplete":true"#)
                try? await socket.send(binary: Array(last.utf8))
                _ = try? await socket.receive()
            }
            let world = try await RecorderWorld(echo)
            let session = try await world.live(RecorderWorld.ownKey, at: "recorder.test")
                .startSession(LiveConfiguration(model: GeminiWorld.model))
            try await session.send(text: "Hello")
            #expect(try await session.turn() == "One *************. Two *************.")
            await session.close()
            let text = try #require(world.script.text)
            #expect(text.contains("*************") && !text.contains(RecorderWorld.serviceKey))
        }
    }

    @Test func `files are uploaded through the recorder, whose address takes no key for their bytes`() throws
    {
        try Simulation(seed: 1).run {
            let world = try await RecorderWorld(Self.script)
            let bytes = TestPicture.jpeg(number: 7, byteCount: 100_000)
            let file = try await world.files(at: "recorder.test").upload(
                .bytes(bytes),
                mediaType: "image/jpeg"
            )
            #expect(file.byteCount == bytes.count)
        }
    }

    @Test func `an answer that is still coming when the next prompt is sent is that of the first`() throws {
        try Simulation(seed: 1).run {
            let slow = ScriptedServer.session { socket in
                _ = try? await socket.receive()
                try? await socket.send(text: #"{"setupComplete":{}}"#)
                // Both prompts first, then their answers.
                for _ in 1...2 { _ = try? await socket.receive() }
                for words in ["One", "Two"] {
                    let turn = #"{"parts":[{"text":"\#(words)"}]}"#
                    try? await socket.send(
                        text: #"{"serverContent":{"modelTurn":\#(turn),"turnComplete":true}}"#
                    )
                }
                _ = try? await socket.receive()
            }
            let world = try await RecorderWorld(slow)
            let session = try await world.live(RecorderWorld.ownKey, at: "recorder.test")
                .startSession(LiveConfiguration(model: GeminiWorld.model))
            try await session.send(text: "first")
            try await session.send(text: "second")
            var ends = 0
            while ends < 2 { if case .turnComplete = try await session.nextEvent() { ends += 1 } }
            await session.close()
            try await world.replay(try #require(world.script.text))
            let replayed = world.client(RecorderWorld.ownKey, at: "replay.test")
            for (prompt, answer) in [("second", "Two"), ("first", "One")] {
                let request = ChatRequest(model: RecorderWorld.model, contents: [.user(prompt)])
                #expect(try await replayed.generate(request).text == answer)
            }
        }
    }

    @Test func `a service that is not there is a refusal that names it`() throws {
        try Simulation(seed: 1).run {
            let world = try await RecorderWorld(Self.script, upstream: "nobody.test")
            let error = await #expect(throws: ChatModelError.self) {
                try await world.client(RecorderWorld.ownKey, at: "recorder.test")
                    .generate(ChatRequest(model: RecorderWorld.model, contents: [.user("Hi")]))
            }
            #expect(error?.status == 502 && error?.detail.contains("nobody.test") == true)
        }
    }

    /// Every kind of answer, whole and streamed, as lines.
    private static func ask(_ model: GeminiChatModel) async throws -> [String] {
        func request(_ parts: [ChatPart], history: [ChatContent] = []) -> ChatRequest {
            ChatRequest(model: RecorderWorld.model, contents: history + [ChatContent(.user, parts)])
        }
        var lines: [String] = []
        for text in [
            "The weather?", "The weather?", "The weather in Rome?", "Please think", "To the limit",
            "The forbidden",
        ] {
            let answer = try await model.generate(request([.text(text)]))
            lines.append("\(answer.parts) \(answer.ending)")
        }
        let (events, error) = try await model.stream(request([.text("Think, and stream")])).all()
        // Thoughts that were not asked for are counted by the service, and not seen by a recorder.
        let seen = events.filter { if case .usage = $0 { false } else { true } }
        lines.append("\(seen) \(String(describing: error))")
        let picture = ChatPart.inline(mediaType: "image/jpeg", TestPicture.jpeg(number: 1))
        lines.append("\(try await model.generate(request([picture])).parts)")
        do { lines.append("\(try await model.generate(request([.text("Is it busy?")])))") } catch {
            lines.append("\(error.code) \(error.detail) \(String(describing: error.retryAfter))")
        }
        return lines
    }

    /// What the model says and calls in a session.
    private static func converse(_ model: GeminiLiveModel) async throws -> [String] {
        var configuration = LiveConfiguration(model: GeminiWorld.model)
        configuration.tools = [.function(FunctionDeclaration(name: "weather", summary: "Tells the weather."))]
        let session = try await model.startSession(configuration)
        var lines: [String] = []
        var call = ""
        func turn() async throws {
            var text = ""
            while true {
                switch try await session.nextEvent() {
                case .text(let more): text += more
                case .toolCall(let calls):
                    call = calls.first?.id ?? ""
                    return lines += calls.map { call in
                        "\(call.name) \(call.arguments.sorted { $0.key < $1.key }.map(\.value))"
                    }
                case .turnComplete: return lines.append(text)
                case .closed: return lines.append("closed")
                default: break
                }
            }
        }
        try await session.send(text: "The weather?")
        try await turn()
        try await session.send(text: "The weather in Rome?")
        try await turn()
        try await session.send(.toolResponses([LiveToolResponse(id: call, name: "weather", values: [:])]))
        try await turn()
        try await session.send(text: "The weather?")
        try await turn()
        await session.close()
        return lines
    }
}

/// A service, a recorder in front of it, and a client, each on a machine of its own.
///
/// - Precondition: In a simulation.
private struct RecorderWorld {
    static let serviceKey = "service-key-7"
    static let ownKey = "own-key-9"
    static let model = "gemini-2.5-flash"

    let script = RecordedScript()
    let service: GeminiServer
    private let network = SimulatedNetwork(defaults: LinkConditions(latency: .constant(.zero)))

    init(_ script: String, upstream: String = "gemini.test") async throws {
        let settings = GeminiServerSettings(keys: [Self.serviceKey])
        let brain = try GeminiScriptFile.brain(of: script)
        service = GeminiServer(
            settings,
            script: GeminiScript(brain: brain),
            inspectFrame: TestPicture.inspect
        )
        try await listen(service, "gemini.test")
        try await record(upstream)
    }

    init(_ server: some Server) async throws {
        service = GeminiServer(GeminiServerSettings(keys: []), inspectFrame: TestPicture.inspect)
        try await listen(server, "gemini.test")
        try await record("gemini.test")
    }

    private func record(_ upstream: String) async throws {
        let recorder = GeminiRecorder(
            to: GeminiEndpoint(authority: upstream, isSecure: false),
            over: network.host("recorder.test"),
            key: Secret(Self.serviceKey),
            clientKey: Secret(Self.ownKey),
            into: script
        )
        try await listen(recorder, "recorder.test")
    }

    /// Serves a script at another place.
    func replay(_ text: String) async throws {
        let server = GeminiServer(
            GeminiServerSettings(keys: [Self.ownKey]),
            script: GeminiScript(brain: try GeminiScriptFile.brain(of: text)),
            inspectFrame: TestPicture.inspect
        )
        try await listen(server, "replay.test")
    }

    private func listen(_ server: some Server, _ name: String) async throws {
        _ = try await network.host(name).listen(server, at: SocketAddress(host: name, port: 80))
    }

    var transport: SimulatedHost { network.host("client") }

    func client(_ key: String, at name: String) -> GeminiChatModel {
        GeminiChatModel(
            client: network.host("client"),
            endpoint: GeminiEndpoint(authority: name, isSecure: false),
            options: GeminiRESTOptions(retries: RetryPolicy(retries: 0, first: .zero, longest: .zero))
        ) { () throws(SecretStoreError) in Secret(key) }
    }

    func files(at name: String) -> GeminiFiles {
        GeminiFiles(
            client: network.host("client"),
            endpoint: GeminiEndpoint(authority: name, isSecure: false)
        ) { () throws(SecretStoreError) in Secret(Self.ownKey) }
    }

    func live(_ key: String, at name: String) -> GeminiLiveModel {
        GeminiLiveModel(
            client: network.host("client"),
            endpoint: GeminiEndpoint(authority: name, isSecure: false)
        ) { () throws(SecretStoreError) in Secret(key) }
    }
}
