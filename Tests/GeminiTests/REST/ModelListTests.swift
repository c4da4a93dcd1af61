import GeminiAPI
import GeminiREST
import GeminiServer
import HTTPTypes
import LiveTransport
import Services
import SimulationTesting
import TestSupport
import Testing
import Transport

private func models(
    _ client: any HTTPClient,
    authority: String = "gemini.test",
    isSecure: Bool = true,
    key: String = GeminiWorld.key
) -> GeminiModels {
    let endpoint = GeminiEndpoint(authority: authority, isSecure: isSecure)
    return GeminiModels(client: client, endpoint: endpoint) { () throws(SecretStoreError) in Secret(key) }
}

@Suite("Lists of models", .simulated(seeds: 1...3))
struct ModelListTests {
    private static func scripted(_ chat: ScriptedChat) async throws -> GeminiModels {
        let transport = try await GeminiWorld.transport(to: chat.server, port: 80)
        return models(transport, isSecure: false, key: ScriptedChat.key)
    }

    @Test func `a list comes whole, page by page, and model by model`() async throws {
        let many = (0..<2345).map { GeminiModel(id: "m-\($0)", displayName: "Model \($0)") }
        let settings = GeminiServerSettings(
            keys: [GeminiWorld.key],
            models: GeminiServerSettings.usualModels + many
        )
        let world = try await GeminiWorld(settings: settings)
        let client = models(world.transport)
        let all = try await client.all()
        #expect(all.map(\.name) == settings.models.map { "models/\($0.id)" })
        #expect(world.server.record.requestCount == 3)
        let first = try await client.page(size: 2)
        #expect(
            first.models == Array(all.prefix(2)) && first.models.allSatisfy { $0.isLive && !$0.generates }
        )
        let second = try await client.page(after: first.next, size: 2)
        #expect(second.models == Array(all[2..<4]))
        #expect(try await client.page().models.count == 50)
        for name in ["gemini-2.5-flash", "models/gemini-2.5-flash"] {
            let model = try await client.model(name)
            #expect(model == all[2] && model.generates && !model.isLive)
            #expect(model.displayName == "Gemini 2.5 Flash" && model.inputTokens == 1_048_576)
            #expect(model.outputTokens == 65_536 && model.methods == ["generateContent", "countTokens"])
        }
    }

    @Test func `what does not exist, or cannot be asked for, is an error of its kind`() async throws {
        let world = try await GeminiWorld()
        let client = models(world.transport)
        func code(_ ask: () async throws -> Void) async -> ChatModelError.Code? {
            do { try await ask() } catch { return (error as? ChatModelError)?.code }
            return nil
        }
        #expect(await code { _ = try await client.model("none") } == .notFound)
        #expect(await code { _ = try await client.page(after: "99&pageSize=1") } == .rejected)
        #expect(world.server.record.requestCount == 2)
        // Without a request.
        for size in [0, -1, 1001] {
            #expect(await code { _ = try await client.page(size: size) } == .rejected)
        }
        for name in ["../files/x", "models/a?b", "", "a b"] {
            #expect(await code { _ = try await client.model(name) } == .rejected)
        }
        #expect(world.server.record.requestCount == 2)
        let stranger = models(world.transport, key: "another secret")
        #expect(await code { _ = try await stranger.all() } == .invalidKey)
    }

    @Test func `a list that is asked for again after a refusal is whole`() async throws {
        let chat = ScriptedChat { number, _, _ in
            if number == 1 { return ScriptedChat.refusal(503) }
            let page = number == 0 ? #"{"models":[{"name":"models/a"}],"nextPageToken":"a b"}"# : "{}"
            return ScriptedChat.ok(.text(page))
        }
        let all = try await Self.scripted(chat).all()
        #expect(all.map(\.name) == ["models/a"] && all[0].displayName.isEmpty && all[0].inputTokens == nil)
        #expect(
            chat.requests.value.map(\.head.path) == [
                "/v1beta/models?pageSize=1000", "/v1beta/models?pageSize=1000&pageToken=a%20b",
                "/v1beta/models?pageSize=1000&pageToken=a%20b",
            ]
        )
    }

    @Test(arguments: [(3, true), (4, false)])
    func `an answer that breaks off is asked for again, as often as the policy says`(
        _ losses: Int,
        _ comes: Bool
    ) async throws {
        let chat = ScriptedChat { number, _, _ in
            guard number < losses else { return ScriptedChat.ok(.text(#"{"name":"models/a"}"#)) }
            let cut = TransportError(.reset, operation: "give body", peer: "test")
            return ScriptedChat.ok(ScriptedChat.body([Array(#"{"na"#.utf8)], then: cut))
        }
        let client = try await Self.scripted(chat)
        if comes {
            #expect(try await client.model("a").name == "models/a")
        } else {
            let error = await #expect(throws: ChatModelError.self) { try await client.model("a") }
            #expect(error?.code == .interrupted)
        }
        #expect(chat.requests.value.count == 4)
    }

    @Test func `refusals and answers that break off share one number of tries`() async throws {
        let chat = ScriptedChat { number, _, _ in
            guard number.isMultiple(of: 2) else { return ScriptedChat.refusal(503) }
            let cut = TransportError(.reset, operation: "give body", peer: "test")
            return ScriptedChat.ok(ScriptedChat.body([Array(#"{"na"#.utf8)], then: cut))
        }
        let client = try await Self.scripted(chat)
        let error = await #expect(throws: ChatModelError.self) { try await client.model("a") }
        #expect(error?.code == .unavailable)
        #expect(chat.requests.value.count == 4)
    }

    @Test(arguments: [
        (#"{"models":[{"name":"models/a"}],"nextPageToken":"again"}"#, ChatModelError.Code.tooLarge),
        (#"{"nextPageToken":"again"}"#, .tooLarge),
        (#"{"models":[{"displayName":"x"}]}"#, .malformed), (#"{"models":{}}"#, .malformed),
        (#"{"models":[{"name":"a","inputTokenLimit":"x"}]}"#, .malformed), ("[", .malformed),
        (#"{"nextPageToken":"\#(String(repeating: "x", count: 5000))"}"#, .malformed),
    ])
    func `a hostile list costs a bounded number of requests, and ends in an error`(
        _ document: String,
        _ code: ChatModelError.Code
    ) async throws {
        let chat = ScriptedChat(document: document)
        let list = try await Self.scripted(chat)
        let error = await #expect(throws: ChatModelError.self) { try await list.all() }
        #expect(error?.code == code && (error?.description.utf8.count ?? .max) < 1000)
        #expect(chat.requests.value.count <= 100)
    }
}

@Suite("Lists of models over real sockets", .timeLimit(.minutes(5)))
struct LiveModelListTests {
    @Test func `a list and a model come over loopback`() async throws {
        let settings = GeminiServerSettings(keys: [GeminiWorld.key])
        let server = GeminiServer(settings, inspectFrame: TestPicture.inspect)
        let listener = try await LoopbackHost().listen(server, at: .loopback())
        let transport = try LiveTransport()
        let client = models(transport, authority: "\(listener.address)", isSecure: false)
        let result: Result<[ListedModel], any Error>
        do {
            let all = try await client.all()
            result = .success(all + [try await client.model("gemini-2.5-flash")])
        } catch {
            result = .failure(error)
        }
        await transport.shutdown()
        await listener.stop()
        let names = settings.models.map { "models/\($0.id)" }
        #expect(try result.get().map(\.name) == names + ["models/gemini-2.5-flash"])
    }
}
