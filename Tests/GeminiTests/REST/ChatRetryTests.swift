import Concurrency
import GeminiREST
import HTTPTypes
import Services
import SimulationTesting
import TestSupport
import Testing
import Transport

@Suite("Repeated requests over REST", .simulated(seeds: 1...5))
struct ChatRetryTests {
    private static let prompt = ChatRequest(model: "m", contents: [.user("Hello")])
    private static let good = ScriptedChat.ok(.text(ScriptedChat.piece("ok", finish: "STOP")))

    private static func refusing(_ times: Int, _ status: Int, _ body: String = "", _ fields: HTTPFields = [:])
        -> ScriptedChat
    {
        ScriptedChat { number, _, _ in
            number < times ? ScriptedChat.refusal(status, body, fields) : good
        }
    }

    @Test("a request that was refused with 429 or 503 is sent again, later each time", arguments: [429, 503])
    func refused(status: Int) async throws {
        let chat = Self.refusing(3, status)
        let start = ContinuousClock.now
        #expect(try await chat.model().generate(Self.prompt).text == "ok")
        #expect(chat.requests.value.count == 4)
        // 1, 2 and 4 seconds, and up to a tenth more.
        #expect((7...8).contains((ContinuousClock.now - start).components.seconds))
        let model = try await Self.refusing(4, status).model()
        let error = await #expect(throws: ChatModelError.self) { try await model.generate(Self.prompt) }
        #expect(error?.status == status)
    }

    @Test(
        "a request that may have taken effect is not sent again",
        arguments: [400, 401, 403, 404, 408, 413, 500, 502, 504]
    )
    func final(status: Int) async throws {
        let chat = Self.refusing(1, status)
        let model = try await chat.model()
        let error = await #expect(throws: ChatModelError.self) { try await model.generate(Self.prompt) }
        #expect(error?.status == status)
        #expect(chat.requests.value.count == 1)
    }

    @Test("a count is repeated after any passing trouble", arguments: [429, 500, 502, 503, 504])
    func counting(status: Int) async throws {
        let chat = ScriptedChat { number, _, _ in
            number == 0 ? ScriptedChat.refusal(status) : ScriptedChat.ok(.text(#"{"totalTokens":3}"#))
        }
        #expect(try await chat.model().countTokens(Self.prompt) == 3)
        #expect(chat.requests.value.count == 2)
    }

    @Test(
        "a connection that breaks before the answer is no reason to ask twice, and one that nobody takes is"
    )
    func transport() async throws {
        let sends = Box(0)
        func model(_ code: TransportError.Code, _ reach: TransportError.Reach) -> GeminiChatModel {
            sends.set(0)
            return ScriptedChat.model(FailingClient(sends: sends, code: code, reach: reach))
        }
        let broken = await #expect(throws: ChatModelError.self) {
            try await model(.reset, .sent).generate(Self.prompt)
        }
        #expect(broken?.code == .interrupted && sends.value == 1)
        let late = await #expect(throws: ChatModelError.self) {
            try await model(.timedOut, .sent).stream(Self.prompt)
        }
        #expect(late?.code == .timedOut && sends.value == 1)
        let unreached = await #expect(throws: ChatModelError.self) {
            try await model(.refused, .notSent).stream(Self.prompt)
        }
        #expect(unreached?.code == .unreachable && sends.value == 4)
        let untrusted = await #expect(throws: ChatModelError.self) {
            try await model(.certificateRejected, .notSent).generate(Self.prompt)
        }
        #expect(untrusted?.code == .untrusted && sends.value == 1)
        _ = try? await model(.reset, .sent).countTokens(Self.prompt)
        #expect(sends.value == 4)
    }

    @Test func `the longer of the two waits that a service asks for is kept, in header and body`()
        async throws
    {
        let info = #"{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34s"}"#
        let body = ScriptedChat.error(429, "RESOURCE_EXHAUSTED", "quota", details: info)
        let chat = Self.refusing(1, 429, body, [.retryAfter: "20"])
        let start = ContinuousClock.now
        _ = try await chat.model().generate(Self.prompt)
        #expect((34...38).contains((ContinuousClock.now - start).components.seconds))
    }

    @Test func `a wait longer than is allowed is left to the caller at once`() async throws {
        let options = GeminiRESTOptions(
            retries: RetryPolicy(
                retries: 3,
                first: .seconds(1),
                longest: .seconds(10),
                longestServerWait: .seconds(30)
            )
        )
        let chat = Self.refusing(1, 503, "", [.retryAfter: "31"])
        let model = try await chat.model(options: options)
        let error = await #expect(throws: ChatModelError.self) { try await model.generate(Self.prompt) }
        #expect(error?.code == .unavailable && error?.retryAfter == .seconds(31))
        #expect(chat.requests.value.count == 1)
    }

    @Test func `all tries together take no longer than a call may`() async throws {
        let options = GeminiRESTOptions(
            limits: HTTPLimits(each: .seconds(30)),
            deadline: .seconds(10),
            retries: RetryPolicy(retries: 100, first: .seconds(1), longest: .seconds(1))
        )
        let start = ContinuousClock.now
        let refusing = try await Self.refusing(1_000, 503).model(options: options)
        let refused = await #expect(throws: ChatModelError.self) { try await refusing.generate(Self.prompt) }
        #expect(refused?.code == .unavailable)
        #expect(ContinuousClock.now - start <= .seconds(10))
        let silent = ScriptedChat { _, _, _ in
            await Signal.waitForCancellation()
            return Self.good
        }
        let began = ContinuousClock.now
        let model = try await silent.model(options: options)
        let late = await #expect(throws: ChatModelError.self) { try await model.generate(Self.prompt) }
        #expect(late?.code == .timedOut)
        #expect((10_000...10_001).contains((ContinuousClock.now - began) / .milliseconds(1)))
    }

    @Test func `a call that is cancelled between two tries ends as cancelled`() async throws {
        let chat = Self.refusing(1_000, 503)
        let model = try await chat.model()
        let asking = Task { try await model.generate(Self.prompt) }
        try await Task.sleep(for: .milliseconds(500))
        asking.cancel()
        let error = await #expect(throws: ChatModelError.self) { try await asking.value }
        #expect(error?.code == .cancelled && chat.requests.value.count == 1)
    }
}

/// Sends nothing, and says why.
private struct FailingClient: HTTPClient {
    let sends: Box<Int>
    let code: TransportError.Code
    let reach: TransportError.Reach

    func send(_ request: HTTPRequest, body: HTTPBody, limits: HTTPLimits)
        async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody)
    {
        sends.increment()
        throw TransportError(code, operation: "send request", peer: "gemini.test", reach: reach)
    }
}
