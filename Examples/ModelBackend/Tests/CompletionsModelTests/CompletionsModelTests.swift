import ChatModelConformance
import CompletionsModel
import Foundation
import HTTPTypes
import ServiceClient
import Services
import SimulatedTransport
import SimulationTesting
import Synchronization
import Testing
import Transport

/// What the suite cannot see, since it does not know the service's bytes.
@Suite("The completions model and its service", .simulated(seeds: 1...5))
struct CompletionsModelTests {
    private static let question = ChatRequest(model: "m", contents: [.user("Hello")])

    private func model(
        _ server: any Server,
        policy: CallPolicy = CompletionsModel.policy,
        key: String? = ScriptedCompletions.key
    ) async throws -> CompletionsModel {
        let network = SimulatedNetwork()
        let address = SocketAddress(host: "completions", port: 80)
        _ = try await network.host("completions").listen(server, at: address)
        return CompletionsModel(
            client: network.host("client"),
            address: "http://completions",
            policy: policy
        ) { () throws(SecretStoreError) in key.map { Secret($0) } }
    }

    @Test func `a request has the conversation and settings`() async throws {
        let server = ScriptedCompletions([.says(["A lamp."])])
        let request = ChatRequest(
            model: "models/llama",
            contents: [
                .user("Hello"), .model("Hello!"), ChatContent(.user, [.text("What "), .text("is it?")]),
            ],
            instructions: "Be brief.",
            settings: GenerationSettings(temperature: 0.5, longestAnswer: 100, stopSequences: ["."], seed: 7)
        )
        for try await _ in try await model(server).stream(request) {}
        let sent = try #require(server.requests.first)
        #expect(sent.head.path == "/v1/chat/completions")
        let body = try JSONDecoder().decode(StructuredValue.self, from: Data(sent.body))
        #expect(
            body == [
                "model": "llama",
                "messages": [
                    ["role": "system", "content": "Be brief."],
                    ["role": "user", "content": "Hello"],
                    ["role": "assistant", "content": "Hello!"],
                    ["role": "user", "content": "What is it?"],
                ],
                "stream": true, "stream_options": ["include_usage": true], "temperature": 0.5,
                "max_tokens": 100, "stop": ["."], "seed": 7,
            ]
        )
    }

    @Test func `what was refused for the moment is asked again, later each time, and other refusals are not`()
        async throws
    {
        let busy = ScriptedCompletions([.refuses(.unavailable), .refuses(.quotaExceeded), .says(["Yes."])])
        let start = ContinuousClock.now
        #expect(try await model(busy).generate(Self.question).text == "Yes.")
        #expect(busy.requests.count == 3)
        #expect(ContinuousClock.now - start >= .milliseconds(1_500))
        let strict = ScriptedCompletions([.refuses(.rejected), .says(["Yes."])])
        await #expect(throws: ChatModelError.self) { try await model(strict).generate(Self.question) }
        #expect(strict.requests.count == 1)
    }

    @Test func `the wait that a service asks for is kept, and one that is too long is left to the caller`()
        async throws
    {
        func impatient(_ seconds: Int, _ count: Box) -> ClosureServer {
            ClosureServer { _ in
                count.increment()
                return (
                    HTTPResponse(
                        status: .tooManyRequests,
                        headerFields: [.retryAfter: "\(seconds)"]
                    ), .empty
                )
            }
        }
        let (short, long) = (Box(), Box())
        let start = ContinuousClock.now
        await #expect(throws: ChatModelError.self) {
            try await model(impatient(5, short)).generate(Self.question)
        }
        #expect(short.value == 3 && ContinuousClock.now - start >= .seconds(10))
        let error = await #expect(throws: ChatModelError.self) {
            try await model(impatient(60, long)).generate(Self.question)
        }
        #expect(long.value == 1 && error?.retryAfter == .seconds(60))
    }

    @Test func `an answer that is endless or drips is given up by its size, its events or its time`()
        async throws
    {
        func endless(_ chunk: String, pause: Duration) -> ClosureServer {
            ClosureServer { _ in
                let stream = ByteStream { () async throws(TransportError) in
                    do { try await Task.sleep(for: pause) } catch {
                        throw TransportError(.cancelled, operation: "give body", peer: "client")
                    }
                    return Array(chunk.utf8)
                }
                return (HTTPResponse(status: .ok), .stream(stream, length: nil))
            }
        }
        var policy = CompletionsModel.policy
        policy.answerBytes = 10_000
        policy.eventBytes = 1_000
        policy.deadline = .seconds(60)
        let piece = #"data: {"choices":[{"delta":{"content":"a"}}]}"# + "\n\n"
        let cases: [(String, Duration, ChatModelError.Code)] = [
            (piece, .zero, .tooLarge), (String(repeating: "x", count: 600), .zero, .tooLarge),
            (piece, .seconds(7), .timedOut), ("data: nonsense\n\n", .zero, .malformed),
        ]
        for (chunk, pause, code) in cases {
            let start = ContinuousClock.now
            let error = await #expect(throws: ChatModelError.self) {
                let model = try await model(endless(chunk, pause: pause), policy: policy)
                for try await _ in try await model.stream(Self.question) {}
            }
            #expect(error?.code == code, "\(chunk.prefix(20))")
            #expect(ContinuousClock.now - start < .seconds(70))
        }
    }

    @Test func `a slow reader holds back the service`() async throws {
        let given = Box()
        let server = ClosureServer { _ in
            let stream = ByteStream { () async throws(TransportError) in
                given.increment()
                let piece = #"data: {"choices":[{"delta":{"content":"a"}}]}"# + "\n\n"
                return Array((piece + ":" + String(repeating: " ", count: 10_000) + "\n").utf8)
            }
            return (HTTPResponse(status: .ok), .stream(stream, length: nil))
        }
        var events = try await model(server).stream(Self.question).makeAsyncIterator()
        _ = try await events.next()
        try await Task.sleep(for: .seconds(60))
        // What the network holds, and no more.
        #expect(given.value < 100)
    }

    @Test func `a key that is missing or no header value is reported, and a service without keys gets none`()
        async throws
    {
        let server = ScriptedCompletions([.says(["Yes."])])
        let missing = await #expect(throws: ChatModelError.self) {
            try await model(server, key: nil).generate(Self.question)
        }
        #expect(missing?.code == .missingKey)
        let invalid = await #expect(throws: ChatModelError.self) {
            try await model(server, key: "a\r\nx-other: 1").generate(Self.question)
        }
        #expect(invalid?.code == .invalidKey && server.watch.requests == 1)
        let open = ClosureServer { request in
            let answer = #"{"choices":[{"message":{"content":"Yes."},"finish_reason":"stop"}]}"#
            return (HTTPResponse(status: .ok), .text(request.headerFields[.authorization] ?? answer))
        }
        #expect(try await model(open, key: nil).generate(Self.question).text == "Yes.")
    }

    @Test func `what the interface does not have is rejected, and nothing is sent`() async throws {
        let server = ScriptedCompletions([.says(["Yes."])])
        var requests = [Self.question, Self.question, Self.question]
        requests[0].output = .json(schema: nil)
        requests[1].functions = [FunctionDeclaration(name: "look", summary: "Looks.")]
        requests[2].contents = [ChatContent(.user, [.inline(mediaType: "image/jpeg", [1, 2, 3])])]
        for request in requests {
            let error = await #expect(throws: ChatModelError.self) {
                try await model(server).generate(request)
            }
            #expect(error?.code == .rejected)
        }
        let uncounted = await #expect(throws: ChatModelError.self) {
            try await model(server).countTokens(Self.question)
        }
        #expect(uncounted?.code == .notFound && server.watch.requests == 0)
    }
}

/// A server made of a closure.
private struct ClosureServer: Server {
    let answer: @Sendable (HTTPRequest) async -> (head: HTTPResponse, body: HTTPBody)

    init(_ answer: @escaping @Sendable (HTTPRequest) async -> (head: HTTPResponse, body: HTTPBody)) {
        self.answer = answer
    }

    func respond(to request: HTTPRequest, body: HTTPBody) async -> (head: HTTPResponse, body: HTTPBody) {
        _ = try? await body.collect(upTo: 1 << 20)
        return await answer(request)
    }
}

/// A number that several tasks count up.
private final class Box: Sendable {
    private let number = Mutex(0)

    var value: Int { number.withLock { $0 } }

    func increment() { number.withLock { $0 += 1 } }
}
