import GeminiServer
import HTTPTypes
import PeerKit
import Simulation
import SimulationTesting
import Testing
import Transport

/// A canary for each fault point of REST: armed, a client notices.
@Suite("Gemini over REST: fault points", .simulated(seeds: 1...3))
struct GenerateFaultRESTTests {
    private static let stream = "/v1/models/gemini-2.5-flash:streamGenerateContent?alt=sse"

    private func arm(_ point: String, _ values: [String: Double] = [:], skipping: Int = 1) {
        Simulation.current?.arm(
            faultPoint: "gemini.generate.\(point)",
            values: values,
            skipping: skipping,
            atMost: 1
        )
    }

    private func caller() async throws -> RESTCaller {
        let reply = GeminiReply(["Grüß ", "dich, ", "Welt €."].map { .init([$0]) })
        return RESTCaller(try await GeminiWorld(script: GeminiScript(brain: ScriptedBrain([reply]))))
    }

    /// Streams a reply of three events.
    private func streamed() async throws -> RESTCaller.Answer {
        try await caller().send(.post, Self.stream, body: .bytes(RESTCaller.hello.json))
    }

    @Test func `every point has its canary`() {
        #expect(
            GeminiServer.faultPoints.map(\.name).filter { $0.hasPrefix("gemini.generate") } == [
                "gemini.generate.quota", "gemini.generate.overloaded", "gemini.generate.slowStart",
                "gemini.generate.stall", "gemini.generate.cut", "gemini.generate.error",
                "gemini.generate.malformed", "gemini.generate.huge", "gemini.generate.duplicate",
                "gemini.generate.crumbs",
            ]
        )
        #expect(
            GeminiServer.faultPoints.map(\.name).filter { $0.hasPrefix("gemini.files") } == [
                "gemini.files.failed"
            ]
        )
    }

    @Test func `a quota is used up, and the details say for how long`() async throws {
        arm("quota", ["retryDelay": 7.5], skipping: 0)
        let caller = try await caller()
        let answer = try await caller.call("generateContent", RESTCaller.hello)
        #expect(answer.status == 429)
        let error = try #require(try answer.json()["error"])
        #expect(error["status"] == "RESOURCE_EXHAUSTED" && error["code"] == 429)
        let details = error["details"]?.array ?? []
        #expect(
            details.map { $0["@type"]?.string?.split(separator: ".").last } == [
                "QuotaFailure", "Help", "RetryInfo",
            ]
        )
        #expect(details.last?["retryDelay"] == "7.500s")
        #expect(details.first?.at("violations.0.quotaDimensions.model") == "gemini-2.5-flash")
        #expect(try await caller.call("generateContent", RESTCaller.hello).status == 200)
    }

    @Test func `the model is overloaded`() async throws {
        arm("overloaded", skipping: 0)
        let answer = try await streamed()
        #expect(answer.status == 503)
        #expect(try answer.error().status == "UNAVAILABLE")
    }

    @Test func `the first words come late`() async throws {
        arm("slowStart", ["seconds": 30], skipping: 0)
        let start = ContinuousClock.now
        #expect(try await streamed().events().count == 3)
        #expect((.seconds(30) ..< .seconds(31)).contains(start.duration(to: .now)))
    }

    @Test func `a stream stands still`() async throws {
        arm("stall", ["seconds": 30])
        let start = ContinuousClock.now
        let (_, body) = try await caller().open(.post, Self.stream, body: .bytes(RESTCaller.hello.json))
        var times: [Duration] = []
        for try await _ in try await body.chunks() { times.append(start.duration(to: .now)) }
        #expect(times.first.map { $0 < .seconds(1) } == true)
        #expect(times.last.map { (.seconds(30) ..< .seconds(31)).contains($0) } == true)
    }

    @Test func `a stream breaks off`() async throws {
        arm("cut")
        let (_, body) = try await caller().open(.post, Self.stream, body: .bytes(RESTCaller.hello.json))
        var received: [UInt8] = []
        await #expect(throws: TransportError.self) {
            for try await chunk in try await body.chunks() { received += chunk }
        }
        let text = String(decoding: received, as: UTF8.self)
        #expect(text.contains("Grüß") && !text.contains("dich"))
    }

    @Test func `a stream ends with an error, whose first name is error`() async throws {
        arm("error", ["code": 503])
        let answer = try await streamed()
        #expect(answer.status == 200)
        let events = try answer.events()
        #expect(events.map { $0.object?.keys.sorted() ?? [] }.last == ["error"])
        #expect(events.count == 2 && events.last?.at("error.code") == 503)
        #expect(events.last?.at("error.status") == "UNAVAILABLE")
    }

    @Test func `an event is no JSON`() async throws {
        arm("malformed")
        let answer = try await streamed()
        #expect(throws: JSONMalformed.self) { try answer.events() }
        #expect(answer.text.contains("dich") && answer.text.contains("Welt"))
    }

    @Test func `an event is huge`() async throws {
        arm("huge", ["kilobytes": 1500])
        let events = try await streamed().events()
        #expect(events.map(\.words) == ["Grüß ", "dich, ", "Welt €."])
        #expect(
            events.map { $0.at("candidates.0.content.parts.0.thoughtSignature")?.string?.count ?? 0 } == [
                0, 1500 * 1024, 0,
            ]
        )
    }

    @Test func `an event comes twice`() async throws {
        arm("duplicate")
        let events = try await streamed().events()
        #expect(events.map(\.words) == ["Grüß ", "dich, ", "dich, ", "Welt €."])
        let pair = events.dropFirst().prefix(2)
        #expect(pair.first == pair.last)
    }

    @Test func `an event comes in crumbs, and characters are cut`() async throws {
        arm("crumbs", ["bytes": 1, "pause": 0.01], skipping: 2)
        let (_, body) = try await caller().open(.post, Self.stream, body: .bytes(RESTCaller.hello.json))
        var received: [UInt8] = []
        var cuts = 0
        for try await chunk in try await body.chunks() {
            if String(validating: chunk, as: UTF8.self) == nil { cuts += 1 }
            received += chunk
        }
        // The three bytes of the euro come one by one.
        #expect(cuts == 3)
        let answer = RESTCaller.Answer(status: 200, headers: [:], bytes: received)
        #expect(try answer.events().map(\.words) == ["Grüß ", "dich, ", "Welt €."])
    }
}
