import Concurrency
import GeminiAPI
import GeminiREST
import HTTPTypes
import Services
import SimulationTesting
import TestSupport
import Testing
import Transport

@Suite("A hostile service over REST", .simulated(seeds: 1...5))
struct HostileChatServiceTests {
    private static let prompt = ChatRequest(model: "m", contents: [.user("Hello")])

    /// Gives a chunk again and again, and counts.
    private static func endless(_ chunk: [UInt8], pause: Duration = .zero, type: String = "text/event-stream")
        -> (chat: ScriptedChat, given: Box<Int>)
    {
        let given = Box(0)
        let chat = ScriptedChat { _, _, _ in
            let stream = ByteStream { () async throws(TransportError) in
                do { try await Task.sleep(for: pause) } catch {
                    throw TransportError(.cancelled, operation: "give body", peer: "test")
                }
                given.add(chunk.count)
                return chunk
            }
            return ScriptedChat.ok(.stream(stream, length: nil), type: type)
        }
        return (chat, given)
    }

    /// What an answer without end may be made of.
    private static let endlessChunks: [[UInt8]] = [
        Array(repeating: UInt8(ascii: "x"), count: 10_000),
        Array("data: ".utf8) + Array(repeating: UInt8(ascii: "x"), count: 9_000),
        Array(repeating: UInt8(ascii: "{"), count: 10_000),
        Array(repeating: UInt8(ascii: "\n"), count: 5_000),
        ScriptedChat.events(["{}", "{}"]),
        ScriptedChat.events([ScriptedChat.piece("more ")]),
    ]

    @Test(
        "an answer without end is given up once it is too large, whatever it is made of",
        .simulated(seeds: 1...2),
        arguments: endlessChunks.indices
    )
    func endless(kind: Int) async throws {
        let chunk = Self.endlessChunks[kind]
        let options = GeminiRESTOptions(answerBytes: 200_000, eventBytes: 50_000)
        let (chat, given) = Self.endless(chunk)
        let (_, error) = try await chat.model(options: options).stream(Self.prompt).all()
        #expect(error?.code == .tooLarge, "\(String(describing: error))")
        try await Task.sleep(for: .seconds(60))
        let afterwards = given.value
        #expect(afterwards < 1_000_000)
        try await Task.sleep(for: .seconds(60))
        #expect(given.value == afterwards)
        let (whole, amount) = Self.endless(chunk, type: "application/json")
        let model = try await whole.model(options: options)
        let failure = await #expect(throws: ChatModelError.self) { try await model.generate(Self.prompt) }
        #expect(failure?.code == .tooLarge && amount.value < 1_000_000)
    }

    @Test func `an answer that drips is given up after the longest time of a call`() async throws {
        let options = GeminiRESTOptions(deadline: .seconds(60))
        let (chat, _) = Self.endless(ScriptedChat.events([ScriptedChat.piece("a")]), pause: .seconds(7))
        let start = ContinuousClock.now
        let (events, error) = try await chat.model(options: options).stream(Self.prompt).all()
        #expect(error?.code == .timedOut && events.texts.count == 8)
        #expect(ContinuousClock.now - start < .seconds(70))
        let (whole, _) = Self.endless([32], pause: .seconds(7), type: "application/json")
        let began = ContinuousClock.now
        let model = try await whole.model(options: options)
        let failure = await #expect(throws: ChatModelError.self) { try await model.generate(Self.prompt) }
        #expect(failure?.code == .timedOut && ContinuousClock.now - began < .seconds(61))
    }

    @Test func `a stream that falls silent is given up after the silence that is allowed`() async throws {
        let chat = ScriptedChat { _, _, _ in
            let first = Box(true)
            let stream = ByteStream { () async throws(TransportError) in
                if !first.value { await Signal.waitForCancellation() }
                first.set(false)
                return ScriptedChat.events([ScriptedChat.piece("Hm")])
            }
            return ScriptedChat.ok(.stream(stream, length: nil), type: "text/event-stream")
        }
        let options = GeminiRESTOptions(limits: HTTPLimits(each: .seconds(20)))
        let start = ContinuousClock.now
        let (events, error) = try await chat.model(options: options).stream(Self.prompt).all()
        #expect(events.texts == ["Hm"] && error?.code == .timedOut)
        #expect((20...21).contains((ContinuousClock.now - start).components.seconds))
    }

    @Test(
        "what is no document of the service breaks a stream as malformed, after what came before",
        arguments: [
            "data: nonsense\n\n", "data: [1]\n\n", "data: {\"candidates\":7}\n\n", "data: \u{0}\n\n",
            "data:\n\n",
        ]
    )
    func malformed(event: String) async throws {
        let bytes = ScriptedChat.events([ScriptedChat.piece("Hel")]) + Array(event.utf8)
        let late = ScriptedChat.events([ScriptedChat.piece("lo", finish: "STOP")])
        let (events, error) = try await ScriptedChat(chunks: [bytes, late]).model().stream(Self.prompt).all()
        #expect(events.texts == ["Hel"] && error?.code == .malformed)
    }

    @Test(
        "an error holds no part of the key, wherever it would have been cut, and no query",
        arguments: [400, 403, 429, 500, 200]
    )
    func keys(status: Int) async throws {
        let echo = ScriptedChat { _, request, _ in
            let words = String(repeating: "x", count: Int.random(in: 280...310))
            let key = request.headerFields.first { $0.name.canonicalName == "x-goog-api-key" }?.value ?? ""
            let bodies = [
                ScriptedChat.error(status, key, words + key + key), words + key, key,
                #"{"error":{"message":"\#(words)\#(key)","status":"\#(key)"}}"#,
            ]
            let body = bodies[Int.random(in: 0..<bodies.count)]
            return status == 200
                ? ScriptedChat.ok(.text("data: \(body)\n\n"), type: "text/event-stream")
                : ScriptedChat.refusal(status, body)
        }
        let model = try await echo.model(
            options: GeminiRESTOptions(retries: RetryPolicy(retries: 0, first: .zero, longest: .zero))
        )
        var errors: [ChatModelError] = []
        for _ in 0..<8 {
            do throws(ChatModelError) {
                if let error = try await model.stream(Self.prompt).all().error { errors.append(error) }
            } catch {
                errors.append(error)
            }
        }
        #expect(errors.count == 8)
        for error in errors {
            for text in ["\(error)", error.detail, String(reflecting: error)] {
                #expect(!text.contains("sesa") && !text.contains("same-42"), "\(text)")
            }
        }
    }

    @Test func `without a key, or with one that is none, nothing is sent`() async throws {
        let chat = ScriptedChat(document: "{}")
        let client = try await GeminiWorld.transport(to: chat.server, port: 80)
        func code(_ key: Secret?) async -> ChatModelError.Code? {
            let endpoint = GeminiEndpoint(authority: "gemini.test", isSecure: false)
            let model = GeminiChatModel(client: client, endpoint: endpoint) { () throws(SecretStoreError) in
                key
            }
            do throws(ChatModelError) {
                _ = try await model.generate(Self.prompt)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(await code(nil) == .missingKey)
        #expect(await code(Secret("")) == .missingKey)
        #expect(await code(Secret("a\r\nx-other: 1")) == .invalidKey)
        #expect(chat.requests.value.isEmpty)
    }

    private static let invalid =
        #"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}"#

    @Test(
        "refusals are told apart",
        arguments: [
            (
                400,
                ScriptedChat.error(
                    400,
                    "INVALID_ARGUMENT",
                    "API key not valid. Please pass a valid API key."
                ), .invalidKey
            ),
            (400, ScriptedChat.error(400, "INVALID_ARGUMENT", "no", details: invalid), .invalidKey),
            (400, ScriptedChat.error(400, "INVALID_ARGUMENT", "Unknown name"), .rejected),
            (
                400, ScriptedChat.error(400, "FAILED_PRECONDITION", "The File x is not in an ACTIVE state"),
                .fileNotReady
            ),
            (401, "", .invalidKey),
            (
                403,
                ScriptedChat.error(403, "PERMISSION_DENIED", "Method doesn't allow unregistered callers"),
                .invalidKey
            ),
            (
                403,
                ScriptedChat.error(
                    403,
                    "PERMISSION_DENIED",
                    "You do not have permission to access the File x or it may not exist."
                ), .fileUnavailable
            ),
            (404, "", .notFound), (413, "<html>too large</html>", .tooLarge), (418, "", .rejected),
            (429, "[" + ScriptedChat.error(429, "RESOURCE_EXHAUSTED", "quota") + "]", .quotaExceeded),
            (500, "", .unavailable), (503, "upstream", .unavailable), (504, "", .timedOut),
            (302, "", .untrusted),
        ] as [(Int, String, ChatModelError.Code)]
    )
    func refusals(status: Int, body: String, code: ChatModelError.Code) async throws {
        let chat = ScriptedChat { _, _, _ in ScriptedChat.refusal(status, body) }
        let model = try await chat.model()
        let error = await #expect(throws: ChatModelError.self) { try await model.generate(Self.prompt) }
        #expect(error?.code == code && error?.status == status)
    }
}
