import GeminiLive
import GeminiServer
import HTTPTypes
import Services
import SimulationTesting
import TestSupport
import Testing
import Transport

@Suite("A hostile service", .simulated(seeds: 1...20))
struct HostileServiceTests {
    @Test("an excerpt holds no part of the key, wherever it would have been cut", arguments: 100...122)
    func cutKey(before: Int) async throws {
        let message =
            String(repeating: "x", count: before) + "sesame" + String(repeating: "sesame", count: 50)
        let session = try await ScriptedServer.saying([.text(message)])
        guard case .unreadable(let detail) = try await session.nextEvent() else {
            Issue.record("the message was read")
            return
        }
        for part in ["ses", "esa", "sam", "ame"] { #expect(!detail.contains(part), "\(detail)") }
        await session.close()
    }

    @Test(
        "a server that is not trusted, or does not speak the protocol, is not asked again by itself",
        arguments: TransportError.Code.allCases
    )
    func transportFailures(code: TransportError.Code) async {
        struct Failing: WebSocketClient {
            let code: TransportError.Code
            func connect(_ request: HTTPRequest, limits: WebSocketLimits, timeout: Duration)
                async throws(TransportError) -> any WebSocket
            {
                throw TransportError(code, operation: "connect", peer: "gemini.test")
            }
        }
        let model = GeminiLiveModel(client: Failing(code: code)) { () throws(SecretStoreError) in Secret("k")
        }
        let error = await #expect(throws: LiveModelError.self) {
            _ = try await model.startSession(LiveConfiguration(model: "m"))
        }
        let isFinal: Set<TransportError.Code> = [.certificateRejected, .protocolViolation, .tooLarge]
        #expect((error?.code == .rejected) == isFinal.contains(code))
    }

    @Test("settings of servers and keys of certificates print without what is secret")
    func printing() {
        let settings = GeminiServerSettings(keys: ["hunter2"], expiredKeys: ["hunter3"])
        var dumped = ""
        dump(settings, to: &dumped)
        for text in ["\(settings)", String(reflecting: settings), dumped] {
            #expect(!text.contains("hunter"))
        }
    }

    @Test(
        "LENS-112 messages without text are no text and no harm",
        arguments: [
            #"{}"#, #"{"setupComplete":{}}"#, #"{"serverContent":{}}"#,
            #"{"serverContent":{"modelTurn":{}}}"#,
            #"{"serverContent":{"modelTurn":{"parts":[]}}}"#,
            #"{"serverContent":{"modelTurn":{"parts":[{"inlineData":{"mimeType":"audio/pcm","data":"AAA="}}]}}}"#,
            #"{"serverContent":{"modelTurn":{"parts":[{"text":"hm","thought":true}]}}}"#,
            #"{"serverContent":{"generationComplete":true}}"#, #"{"serverContent":{"turnComplete":false}}"#,
            #"{"toolCall":{"functionCalls":[{"id":"1","name":"f"}]}}"#, #"{"somethingNew":{"a":[1,2,3]}}"#,
            #"{"sessionResumptionUpdate":{}}"#,
        ]
    )
    func noText(message: String) async throws {
        let session = try await ScriptedServer.saying([
            .text(message), .text(#"{"serverContent":{"turnComplete":true}}"#),
        ])
        let events = try await session.events(2)
        if case .text = events[0] { Issue.record("text: \(events)") }
        if case .unreadable = events[0] { Issue.record("not read: \(events)") }
        #expect(events[1] == .turnComplete)
    }

    @Test("one message with everything gives its events in a fixed order, in text and binary alike")
    func everything() async throws {
        let message =
            #"{"goAway":{"timeLeft":"1.5s"},"unknown":1,"usageMetadata":{"promptTokenCount":7,"x":[]},"#
            + #""serverContent":{"turnComplete":true,"interrupted":true,"modelTurn":{"role":"model","parts":"#
            + #"[{"text":"a"},{"text":"no","thought":true},{"text":""},{"text":"b"}]}},"#
            + #""sessionResumptionUpdate":{"newHandle":"h","resumable":true}}"#
        let session = try await ScriptedServer.saying([.text(message), .binary(Array(message.utf8))])
        let events: [LiveEvent] = [
            .text("a"), .thought("no"), .text("b"), .interrupted, .usage(TokenUsage(prompt: 7, answer: 0)),
            .turnComplete,
            .resumable(handle: "h"), .goingAway(timeLeft: .milliseconds(1500)),
        ]
        #expect(try await session.events(16) == events + events)
    }

    @Test(
        "LENS-113 what cannot be read is reported, and the session goes on",
        arguments: [
            "", " ", "null", "[]", "\"text\"", "12", "{", #"{"serverContent":"#, #"{"serverContent":[]}"#,
            #"{"serverContent":{"modelTurn":{"parts":{"text":"x"}}}}"#,
            #"{"serverContent":{"modelTurn":{"parts":[{"text":5}]}}}"#,
            #"{"serverContent":{"turnComplete":"yes"}}"#,
            #"{"usageMetadata":{"promptTokenCount":1e300}}"#, #"{"goAway":{"timeLeft":"soon"}}"#,
            #"{"goAway":{"timeLeft":"99999999999999999999s"}}"#, #"{"goAway":{"timeLeft":"-5s"}}"#,
            String(repeating: "[", count: 100_000), String(repeating: #"{"a":"#, count: 100_000),
        ]
    )
    func unreadable(message: String) async throws {
        let session = try await ScriptedServer.saying([
            .text(message), .text(#"{"serverContent":{"turnComplete":true}}"#),
        ])
        let events = try await session.events(2)
        guard case .unreadable(let detail) = events[0] else {
            Issue.record("not reported: \(events[0])")
            return
        }
        #expect(detail.utf8.count < 1000)
        #expect(events[1] == .turnComplete)
    }

    @Test("bytes that are not UTF-8 are reported")
    func notUTF8() async throws {
        let session = try await ScriptedServer.saying([
            .binary([0xFF, 0xFE, 0x80]), .binary(Array("{}".utf8)),
        ])
        guard case .unreadable = try await session.nextEvent() else {
            Issue.record("not reported")
            return
        }
        #expect(try await session.nextEvent() == .other)
    }

    @Test("a key in a message shows in no event")
    func echoedKey() async throws {
        let session = try await ScriptedServer.saying([
            .text("not JSON: sesame"), .closed(WebSocketClose(code: 1007, reason: "sesame")),
        ])
        let events = try await session.events(2)
        #expect(!"\(events)".contains("sesame"))
        #expect(events[1] == .closed(code: 1007, reason: "<secret>"))
    }

    @Test("a key in the reason of a close shows in no later error")
    func echoedKeyAfterClose() async throws {
        let session = try await ScriptedServer.saying([
            .closed(WebSocketClose(code: 1007, reason: "not valid: sesame"))
        ])
        #expect(try await session.nextEvent() == .closed(code: 1007, reason: "not valid: <secret>"))
        let error = await #expect(throws: LiveModelError.self) { try await session.send(text: "hello") }
        #expect(error?.code == .closed)
        #expect(error?.closeCode == 1007)
        #expect(error?.description.contains("sesame") == false)
        #expect(error?.detail.contains("not valid: <secret>") == true)
    }

    @Test func `what the service sends before and with its answer to the setup is not lost`() async throws {
        let model = try await ScriptedServer.model { socket in
            _ = try? await socket.receive()
            try? await socket.send(text: #"{"sessionResumptionUpdate":{"newHandle":"h","resumable":true}}"#)
            try? await socket.send(
                text: #"{"setupComplete":{},"usageMetadata":{"promptTokenCount":7},"#
                    + #""goAway":{"timeLeft":"9s"}}"#
            )
            try? await socket.send(text: #"{"serverContent":{"turnComplete":true}}"#)
            _ = try? await socket.receive()
        }
        let session = try await model.startSession(LiveConfiguration(model: "m"))
        #expect(
            try await session.events(4) == [
                .resumable(handle: "h"), .usage(TokenUsage(prompt: 7, answer: 0)),
                .goingAway(timeLeft: .seconds(9)), .turnComplete,
            ]
        )
    }

    @Test(
        "a giant text passes whole, and a message above the limit ends the session with 1009",
        .simulated(seeds: 1...2)
    )
    func giant() async throws {
        let text = String(repeating: "lorem ipsum ", count: 500_000)
        let message = #"{"serverContent":{"modelTurn":{"parts":[{"text":"\#(text)"}]}}}"#
        let session = try await ScriptedServer.saying([.text(message), .text(message + message + message)])
        #expect(try await session.nextEvent() == .text(text))
        guard case .closed(let code, _) = try await session.nextEvent() else {
            Issue.record("still open")
            return
        }
        #expect(code == 1009)
    }

    @Test(
        "mutated messages give an event each and never an end",
        .simulated(seeds: 1...5),
        arguments: 0..<20 as Range<UInt64>
    )
    func mutated(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let seeds = [
            #"{"serverContent":{"modelTurn":{"parts":[{"text":"a\u00e9b"},{"text":"b"}]},"turnComplete":true}}"#,
            #"{"goAway":{"timeLeft":"50s"},"usageMetadata":{"promptTokenCount":12,"responseTokenCount":3}}"#,
            #"{"sessionResumptionUpdate":{"newHandle":"h","resumable":true}}"#,
        ]
        let messages = (0..<50).map { _ -> WebSocketEvent in
            var bytes = Array(seeds[Int.random(in: 0..<3, using: &generator)].utf8)
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes.remove(at: place)
                default: bytes.insert(contentsOf: bytes[place...].prefix(9), at: place)
                }
            }
            return .binary(bytes)
        }
        let session = try await ScriptedServer.saying(
            messages + [.closed(WebSocketClose(code: 1000, reason: "end"))]
        )
        var count = 0
        while try await session.nextEvent() != .closed(code: 1000, reason: "end") { count += 1 }
        #expect(count >= messages.count)
    }
}
