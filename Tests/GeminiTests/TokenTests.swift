import Foundation
import GeminiAPI
import GeminiLive
import GeminiREST
import GeminiServer
import HTTPTypes
import PeerKit
import Services
import SimulationTesting
import TestSupport
import Testing
import Transport

@Suite("Ephemeral tokens", .simulated(seeds: 1...5))
struct TokenTests {
    private static func tokens(_ world: GeminiWorld, key: String = GeminiWorld.key) -> GeminiTokens {
        GeminiTokens(client: world.transport, endpoint: GeminiEndpoint(authority: "gemini.test")) {
            () throws(SecretStoreError) in Secret(key)
        }
    }

    private static func token(
        _ world: GeminiWorld,
        _ terms: EphemeralToken.Terms = EphemeralToken.Terms()
    ) async throws -> GeminiLiveModel {
        world.client(key: try await tokens(world).make(terms).secret.reveal())
    }

    private static let live = LiveConfiguration(model: GeminiWorld.model)

    /// The error with which a session does not open.
    private static func refusal(
        _ model: GeminiLiveModel,
        _ configuration: LiveConfiguration = TokenTests.live
    ) async throws -> LiveModelError {
        try #require(
            await #expect(throws: LiveModelError.self) { _ = try await model.startSession(configuration) }
        )
    }

    // MARK: Times and uses

    @Test func `a token opens one session, which streams, and no second one`() async throws {
        let world = try await GeminiWorld()
        let model = try await Self.token(world)
        let session = try await model.startSession(Self.live)
        try await session.send(frame: TestPicture.jpeg(number: 7))
        try await session.send(text: "Hi")
        #expect(try await session.turn() == "Hello there.")
        let record = world.server.record.sessions[0]
        #expect(record.usesToken && record.keyPlace == .header && record.frameCount == 1)
        await session.close()
        let error = try await Self.refusal(model)
        #expect(error.code == .invalidKey && error.detail.contains("as often as it may be"))
    }

    @Test(arguments: [(2, [true, true, false]), (0, [true, true, true])])
    func `the number of uses is that of the terms, and 0 is any`(_ uses: Int, _ opens: [Bool]) async throws {
        let world = try await GeminiWorld()
        let model = try await Self.token(world, EphemeralToken.Terms(uses: uses))
        for opens in opens {
            if opens {
                await (try await model.startSession(Self.live)).close()
            } else {
                #expect(try await Self.refusal(model).code == .invalidKey)
            }
        }
    }

    @Test func `of sessions that begin at once, a token of one use opens one`() async throws {
        let world = try await GeminiWorld()
        let model = try await Self.token(world)
        let opened = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<4 {
                group.addTask { (try? await model.startSession(TokenTests.live)) != nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(opened == 1)
    }

    @Test(arguments: [
        (EphemeralToken.Terms(uses: 0), 60),
        (EphemeralToken.Terms(uses: 0, opening: .seconds(10)), 10),
        (EphemeralToken.Terms(uses: 0, life: .seconds(30), opening: .seconds(90)), 30),
    ])
    func `sessions begin until the time of the terms, or for a minute`(
        _ terms: EphemeralToken.Terms,
        _ seconds: Int
    ) async throws {
        let world = try await GeminiWorld()
        let model = try await Self.token(world, terms)
        try await Task.sleep(for: .seconds(seconds - 1))
        await (try await model.startSession(Self.live)).close()
        try await Task.sleep(for: .seconds(2))
        let error = try await Self.refusal(model)
        #expect(error.code == .invalidKey && error.detail.contains("auth token"))
    }

    @Test(arguments: [(EphemeralToken.Terms(), 1800), (EphemeralToken.Terms(life: .seconds(40)), 40)])
    func `a session ends with its token, after half an hour or the time of the terms`(
        _ terms: EphemeralToken.Terms,
        _ seconds: Int
    ) async throws {
        var settings = GeminiServerSettings(keys: [GeminiWorld.key])
        settings.connectionLimit = .seconds(7200)
        let world = try await GeminiWorld(settings: settings)
        let start = ContinuousClock.now
        let session = try await Self.token(world, terms).startSession(Self.live)
        guard case .closed(let code, let reason) = try await session.nextEvent() else {
            Issue.record("it says something else")
            return
        }
        #expect(code == 1008 && reason.contains("expired"))
        let lasted = start.duration(to: .now)
        #expect((.seconds(seconds - 2) ... .seconds(seconds + 1)).contains(lasted), "\(lasted)")
        #expect(session.cause(ofClose: code, reason: reason) == .invalidKey)
    }

    @Test func `going on takes no use, and is open as long as the token lives`() async throws {
        let world = try await GeminiWorld()
        let model = try await Self.token(world)
        let session = try await model.startSession(Self.live)
        try await session.send(text: "Hi")
        var handle: String?
        while handle == nil { if case .resumable(let new) = try await session.nextEvent() { handle = new } }
        await session.close()
        // Long after the minute in which sessions begin.
        try await Task.sleep(for: .seconds(300))
        var configuration = Self.live
        configuration.resumption = handle
        await (try await model.startSession(configuration)).close()
        #expect(world.server.record.sessions.last?.isResumed == true)
        try await Task.sleep(for: .seconds(1800))
        #expect(try await Self.refusal(model, configuration).detail.contains("expired"))
    }

    // MARK: Locks

    @Test func `what a token lays down counts, and not what its holder asks for`() async throws {
        let world = try await GeminiWorld()
        let own = LiveConfiguration(model: GeminiWorld.model, instructions: "Be brief.")
        let model = try await Self.token(world, EphemeralToken.Terms(uses: 0, lock: .everything(own)))
        let wish = LiveConfiguration(
            model: "gemini-live-2.5-flash-preview",
            instructions: "Be rude.",
            answer: .speech(),
            transcribesOutput: true
        )
        let session = try await model.startSession(wish)
        #expect(world.server.record.sessions[0].model == "models/\(GeminiWorld.model)")
        #expect(world.server.record.sessions[0].instructions == "Be brief.")
        try await session.send(text: "Hi")
        let events = try await session.eventsOfTurn()
        #expect(events.text == "Hello there." && events.sound.pcm.isEmpty && events.spoken.isEmpty)
        await session.close()
        // Locked sessions can be gone on with.
        var handle: String?
        let second = try await model.startSession(wish)
        try await second.send(text: "Hi")
        while handle == nil { if case .resumable(let new) = try await second.nextEvent() { handle = new } }
        await second.close()
        // The service has to hear of it before the session can be gone on with.
        try await Task.sleep(for: .seconds(1))
        var again = wish
        again.resumption = handle
        await (try await model.startSession(again)).close()
        #expect(world.server.record.sessions.last?.isResumed == true)
    }

    @Test func `fields that are not locked are the holder's`() async throws {
        let world = try await GeminiWorld()
        let own = LiveConfiguration(model: GeminiWorld.model)
        let model = try await Self.token(world, EphemeralToken.Terms(lock: .only(own)))
        let wish = LiveConfiguration(
            model: "gemini-live-2.5-flash-preview",
            instructions: "Be kind.",
            answer: .speech(),
            transcribesOutput: true
        )
        let session = try await model.startSession(wish)
        #expect(world.server.record.sessions[0].model == "models/\(GeminiWorld.model)")
        #expect(world.server.record.sessions[0].instructions == "Be kind.")
        try await session.send(text: "Hi")
        #expect(try await session.eventsOfTurn().text == "Hello there.", "the form of answers is locked")
    }

    @Test(arguments: [
        // A field that the token does not have is locked to nothing.
        (#"{"fieldMask":"systemInstruction"}"#, "-"),
        (
            #"{"fieldMask":"system_instruction.parts","bidiGenerateContentSetup":{"systemInstruction":{"parts":[{"text":"Own"}]}}}"#,
            "Own"
        ),
        (
            #"{"fieldMask":"generationConfig.top_k,generationConfig.responseModalities","bidiGenerateContentSetup":{"generationConfig":{"responseModalities":["TEXT"]}}}"#,
            "Wish"
        ),
        (
            #"{"bidiGenerateContentSetup":{"systemInstruction":{"parts":[{"text":"Own"}]},"generationConfig":{"responseModalities":["TEXT"]}}}"#,
            "Own"
        ),
        (#"{}"#, "Wish"), ("", "Wish"),
    ])
    func `a mask names fields in either case, and without one all are locked`(
        _ request: String,
        _ instructions: String
    ) async throws {
        let world = try await GeminiWorld()
        let answer = try await RESTCaller(world).send(
            .post,
            "/v1alpha/auth_tokens",
            body: .text(request)
        )
        let name = try #require(try answer.json()["name"]?.string)
        let session = try await world.client(key: name).startSession(
            LiveConfiguration(model: GeminiWorld.model, instructions: "Wish")
        )
        #expect(world.server.record.sessions[0].instructions ?? "-" == instructions)
        try await session.send(text: "Hi")
        #expect(try await session.turn() == "Hello there.")
    }

    @Test(arguments: [
        #"{"uses":-1}"#, #"{"uses":1.5}"#, #"{"uses":"many"}"#, #"{"uses":1e300}"#,
        #"{"expireTime":"tomorrow"}"#, #"{"newSessionExpireTime":"2099-01-01T00:00:00Z"}"#,
        #"{"fieldMask":"model,nothing"}"#, #"{"fieldMask":"tools.name"}"#, #"{"fieldMask":"model..x"}"#,
        #"{"bidiGenerateContentSetup":{"modell":"x"}}"#, #"{"token":{}}"#, "[]", "{",
        #"{"fieldMask":"\#(String(repeating: "model,", count: 200_000))"}"#,
    ])
    func `a request that makes no sense is refused`(_ request: String) async throws {
        let answer = try await RESTCaller(try await GeminiWorld()).send(
            .post,
            "/v1alpha/auth_tokens",
            body: .text(request)
        )
        #expect(answer.status == 400)
        #expect(try answer.error().status == "INVALID_ARGUMENT")
    }

    @Test func `times are read in any offset, with fractions, and lie less than 20 hours ahead`() async throws
    {
        let caller = RESTCaller(try await GeminiWorld())
        func status(_ ahead: Double, _ offset: Int) async throws -> Int {
            let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
            let text = (Date() + ahead + Double(offset) * 3600).formatted(style).dropLast()
            let time = "\(text)456\(offset < 0 ? "-" : "+")0\(abs(offset)):00"
            let body = #"{"expireTime":"\#(time)"}"#
            return try await caller.send(.post, "/v1alpha/auth_tokens", body: .text(body)).status
        }
        for offset in [0, 5, -7] {
            #expect(try await status(19.9 * 3600, offset) == 200)
            #expect(try await status(20.1 * 3600, offset) == 400)
        }
    }

    // MARK: Places

    @Test(arguments: ["/v1/auth_tokens", "/v1beta/auth_tokens", "/v1alpha/auth_tokens/x", "/auth_tokens"])
    func `tokens are made at v1alpha alone`(_ path: String) async throws {
        #expect(try await RESTCaller(try await GeminiWorld()).send(.post, path).status == 404)
    }

    @Test func `a token is made with a key, and opens nothing else`() async throws {
        let world = try await GeminiWorld()
        let error = await #expect(throws: ChatModelError.self) {
            try await Self.tokens(world, key: "another secret").make()
        }
        #expect(error?.code == .invalidKey && error.map { "\($0)" }?.contains("another secret") == false)
        let token = try await Self.tokens(world).make().secret
        #expect(token.reveal().hasPrefix("auth_tokens/") && "\(token)" == "<secret>")
        // No other token, no file and no words.
        await #expect(throws: ChatModelError.self) {
            try await Self.tokens(world, key: token.reveal()).make()
        }
        #expect(try await RESTCaller(world, key: token.reveal()).send(.get, "/v1/files").status == 400)
        // Nor the Live method for keys; so google-gemini/cookbook#821.
        let raw = try await world.raw(
            path: GeminiWorld.path(version: "v1alpha") + "?access_token=\(token.reveal())"
        )
        try await raw.send(RawConnection.setup)
        let close = try await raw.close()
        #expect(close.code == 1008 && close.reason.contains("unregistered callers"))
        #expect(!"\(world.server.record)".contains(token.reveal()))
    }

    @Test(arguments: [nil, "auth_tokens/none", "", GeminiWorld.key])
    func `the method for tokens takes one in the query, and nothing else`(_ other: String?) async throws {
        let world = try await GeminiWorld()
        let path = GeminiWorld.path(version: "v1alpha") + "Constrained"
        let token = try await Self.tokens(world).make().secret.reveal()
        let good = try await world.raw(path: "\(path)?access_token=\(token)")
        try await good.send(RawConnection.setup)
        #expect(try await good.kinds(1) == ["setupComplete"])
        #expect(world.server.record.sessions[0].keyPlace == .query)
        let bad = try await world.raw(
            path: path + (other.map { "?access_token=\($0)" } ?? "?key=\(GeminiWorld.key)")
        )
        try await bad.send(RawConnection.setup)
        #expect(try await bad.close().code == 1008)
    }

    @Test func `an answer without a token is malformed`() async throws {
        for document in [#"{"name":"token"}"#, "{}", #"{"name":"auth_tokens/\r\nX: y"}"#, "[]"] {
            let chat = ScriptedChat(document: document)
            let tokens = GeminiTokens(
                client: try await GeminiWorld.transport(to: chat.server, port: 80),
                endpoint: GeminiEndpoint(authority: "gemini.test", isSecure: false)
            ) { () throws(SecretStoreError) in Secret(ScriptedChat.key) }
            let error = await #expect(throws: ChatModelError.self) { try await tokens.make() }
            #expect(error?.code == .malformed)
        }
    }
}
