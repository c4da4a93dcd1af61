import GeminiREST
import Services
import SimulationTesting
import TestSupport
import Testing
import Transport

@Suite("Streamed answers over REST", .simulated(seeds: 1...20))
struct ChatStreamTests {
    private static let prompt = ChatRequest(model: "m", contents: [.user("Hello")])
    private static let words = ["Grüße, ", "你好 ", "👩‍👩‍👧 e\u{301}", "!"]

    private static let documents: [String] =
        words.dropLast().map { ScriptedChat.piece($0) }
        + [#"{"usageMetadata":{"promptTokenCount":2}}"#, ScriptedChat.piece("!", finish: "STOP")]

    @Test(
        """
        LENS-235 a stream gives the texts that there are in order and finishes; it breaks with an error after what came \
        before; who reads no more ends the request
        """
    )
    func texts() async throws {
        // Pieces without text, with an empty one, and with a thought give none.
        let silent = [
            #"{"candidates":[{"content":{"parts":[]}}]}"#, ScriptedChat.piece(""),
            #"{"candidates":[{"content":{"parts":[{"text":"hm","thought":true}]}}]}"#,
            #"{"usageMetadata":{"totalTokenCount":1}}"#,
        ]
        let bytes = ScriptedChat.events(silent + Self.documents)
        let (events, none) = try await ScriptedChat(chunks: [bytes]).model().stream(Self.prompt).all()
        #expect(events.texts == Self.words && none == nil)
        #expect(events.last == .ended(.finished(.stop, [])))

        let lost = TransportError(.reset, operation: "give body", peer: "test")
        let breaking = ScriptedChat { _, _, _ in
            let beginning = ScriptedChat.events(Array(Self.documents.prefix(2)))
            return ScriptedChat.ok(ScriptedChat.body([beginning], then: lost), type: "text/event-stream")
        }
        let (before, error) = try await breaking.model().stream(Self.prompt).all()
        #expect(before.texts == Array(Self.words.prefix(2)))
        #expect(error?.code == .interrupted)
        // Also where the error comes together with them.
        let together = ScriptedChat.events(
            Array(Self.documents.prefix(2)) + [ScriptedChat.error(503, "UNAVAILABLE", "overloaded")]
        )
        let (begun, refusal) = try await ScriptedChat(chunks: [together]).model().stream(Self.prompt).all()
        #expect(begun.texts == Array(Self.words.prefix(2)) && refusal?.code == .unavailable)

        let ended = Signal()
        let endless = ScriptedChat { _, _, _ in
            let first = Box(true)
            let stream = ByteStream { () async throws(TransportError) in
                if first.value {
                    first.set(false)
                    return ScriptedChat.events([ScriptedChat.piece("Once")])
                }
                await Signal.waitForCancellation()
                ended.give()
                return nil
            }
            return ScriptedChat.ok(.stream(stream, length: nil), type: "text/event-stream")
        }
        let model = try await endless.model()
        let heard = Signal()
        let reading = Task {
            var iterator = try await model.stream(Self.prompt).makeAsyncIterator()
            let first = try await iterator.next()
            heard.give()
            #expect(first == .text("Once"))
            _ = try await iterator.next()
        }
        await heard.wait()
        reading.cancel()
        let end = await #expect(throws: ChatModelError.self) { try await reading.value }
        #expect(end?.code == .cancelled)
        await ended.wait()
    }

    @Test func `a stream that nobody holds any more ends its request`() async throws {
        let ended = Signal()
        let endless = ScriptedChat { _, _, _ in
            let stream = ByteStream { () async throws(TransportError) in
                await Signal.waitForCancellation()
                ended.give()
                return nil
            }
            return ScriptedChat.ok(.stream(stream, length: nil), type: "text/event-stream")
        }
        let model = try await endless.model()
        _ = try await model.stream(Self.prompt)
        await ended.wait()
    }

    @Test(
        "a stream reads the same however it is cut, and with every end of lines",
        arguments: ["\r\n", "\n", "\r"]
    )
    func cuts(lineEnd: String) async throws {
        let bytes = ScriptedChat.events(Self.documents, lineEnd: lineEnd)
        for size in [1, 2, 3, 7, 64] {
            let chunks = stride(from: 0, to: bytes.count, by: size)
                .map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
            let (events, error) = try await ScriptedChat(chunks: chunks).model().stream(Self.prompt).all()
            #expect(events.texts == Self.words && error == nil, "in pieces of \(size)")
            #expect(events.contains(.usage(TokenUsage(prompt: 2))))
        }
        var random: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let size = Int.random(in: 1...40)
            random.append(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        let (events, error) = try await ScriptedChat(chunks: random).model().stream(Self.prompt).all()
        #expect(events.texts == Self.words && error == nil)
    }

    @Test
    func
        `comments, other fields, several lines of data and a mark of byte order are read as the format says`()
        async throws
    {
        let text =
            "\u{FEFF}: hello\nevent: message\nid: 4\nretry\ndata:{\"candidates\":[{\"content\":\n"
            + "data: {\"parts\":[{\"text\":\"A\"}]}}]}\n\n\n\n"
            + "data: \(ScriptedChat.piece("B", finish: "STOP"))"
        let (events, error) = try await ScriptedChat(chunks: [Array(text.utf8)]).model().stream(Self.prompt)
            .all()
        // The last event lacks its blank line: what is whole counts.
        #expect(events.texts == ["A", "B"] && error == nil)
    }

    @Test(
        "an error in the middle of a stream breaks it, as an event or bare, on one line or on several",
        arguments: [
            #"data: {"error":{"code":503,"message":"overloaded","status":"UNAVAILABLE"}}"# + "\n\n",
            #"{"error":{"code":503,"message":"overloaded","status":"UNAVAILABLE"}}"#,
            "{\n  \"error\": {\n    \"code\": 503,\n    \"message\": \"overloaded\",\n    \"status\": \"UNAVAILABLE\"\n  }\n}\n",
            "[{\r\n\"error\": {\"code\": 503, \"message\": \"overloaded\", \"status\": \"UNAVAILABLE\"}}\r\n]\r\n",
        ]
    )
    func midStreamErrors(trouble: String) async throws {
        for size in [1, 5, 1_000] {
            let bytes = ScriptedChat.events([ScriptedChat.piece("Hel")]) + Array(trouble.utf8)
            let chunks = stride(from: 0, to: bytes.count, by: size)
                .map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
            let (events, error) = try await ScriptedChat(chunks: chunks).model().stream(Self.prompt).all()
            #expect(events.texts == ["Hel"])
            #expect(error?.code == .unavailable && error?.status == 503, "\(String(describing: error))")
            #expect(error?.detail.contains("overloaded") == true)
        }
    }

    @Test func `a bare error is reported though the stream stays open`() async throws {
        let open = ScriptedChat { _, _, _ in
            let first = Box(true)
            let stream = ByteStream { () async throws(TransportError) in
                guard first.value else {
                    await Signal.waitForCancellation()
                    return nil
                }
                first.set(false)
                return Array(ScriptedChat.error(429, "RESOURCE_EXHAUSTED", "quota").utf8)
            }
            return ScriptedChat.ok(.stream(stream, length: nil), type: "text/event-stream")
        }
        let start = ContinuousClock.now
        let (events, error) = try await open.model().stream(Self.prompt).all()
        #expect(events.isEmpty && error?.code == .quotaExceeded)
        #expect(ContinuousClock.now - start < .seconds(1))
    }

    @Test(
        "an answer that stops without an end is interrupted, also inside an event",
        arguments: [0, 10, 60]
    )
    func torn(missing: Int) async throws {
        let bytes = ScriptedChat.events([ScriptedChat.piece("Hel"), ScriptedChat.piece("lo")])
        let chunks = [Array(bytes.dropLast(missing))]
        let (events, error) = try await ScriptedChat(chunks: chunks).model().stream(Self.prompt).all()
        #expect(events.texts.first == "Hel")
        #expect(error?.code == .interrupted)
    }

    @Test func `an answer that has ended is not broken by what its connection does then`() async throws {
        let lost = TransportError(.reset, operation: "give body", peer: "test")
        let chat = ScriptedChat { _, _, _ in
            let bytes = ScriptedChat.events([ScriptedChat.piece("All", finish: "STOP")])
            return ScriptedChat.ok(ScriptedChat.body([bytes], then: lost), type: "text/event-stream")
        }
        let (events, error) = try await chat.model().stream(Self.prompt).all()
        #expect(events == [.text("All"), .ended(.finished(.stop, []))] && error == nil)
    }

    @Test func `a blocked request and a stop for safety end a stream as values`() async throws {
        let blocked = ScriptedChat.events([#"{"promptFeedback":{"blockReason":"JAILBREAK"}}"#])
        #expect(
            try await ScriptedChat(chunks: [blocked]).model().stream(Self.prompt).all().events
                == [.ended(.blocked(.jailbreak, []))]
        )
        let stopped = ScriptedChat.events([
            ScriptedChat.piece("We"), #"{"candidates":[{"finishReason":"SAFETY"}]}"#,
        ])
        let (events, error) = try await ScriptedChat(chunks: [stopped]).model().stream(Self.prompt).all()
        #expect(events == [.text("We"), .ended(.finished(.safety, []))] && error == nil)
    }
}
