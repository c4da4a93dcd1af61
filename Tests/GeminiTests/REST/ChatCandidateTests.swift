import GeminiAPI
import GeminiREST
import GeminiServer
import HTTPTypes
import Services
import SimulationTesting
import TestSupport
import Testing
import Transport

@Suite("Several answers to a request, and the sources of one", .simulated(seeds: 1...5))
struct ChatCandidateTests {
    private static func request(_ candidates: Int?) -> ChatRequest {
        ChatRequest(
            model: "gemini-2.5-flash",
            contents: [.user("Hello")],
            settings: GenerationSettings(candidates: candidates)
        )
    }

    private static func candidate(_ number: Int, _ text: String, finish: String? = nil) -> String {
        let end = finish.map { #","finishReason":"\#($0)""# } ?? ""
        return #"{"index":\#(number),"content":{"role":"model","parts":[{"text":"\#(text)"}]}\#(end)}"#
    }

    private static func document(_ candidates: String...) -> String {
        #"{"candidates":[\#(candidates.joined(separator: ","))]}"#
    }

    @Test func `all answers that were asked for come with a whole one, each with its words and its end`()
        async throws
    {
        let chat = ScriptedChat(
            document: Self.document(
                Self.candidate(2, "Third", finish: "SAFETY"),
                Self.candidate(0, "First", finish: "STOP"),
                Self.candidate(1, "Second", finish: "MAX_TOKENS")
            )
        )
        let answer = try await chat.model().generate(Self.request(3))
        #expect(answer.text == "First" && answer.ending == .finished(.stop, []))
        #expect(answer.alternatives.map(\.text) == ["Second", "Third"])
        #expect(
            answer.alternatives.map(\.ending) == [.finished(.tokenLimit, []), .finished(.safety, [])]
        )
        let body = String(decoding: try #require(chat.requests.value.first?.body), as: UTF8.self)
        #expect(body.contains(#""generationConfig":{"candidateCount":3}"#), "\(body)")
    }

    @Test func `a stream gives all answers, and ends with the last of them`() async throws {
        let documents = [
            Self.document(Self.candidate(0, "A"), Self.candidate(1, "X")),
            Self.document(Self.candidate(0, "B", finish: "STOP")),
            Self.document(Self.candidate(1, "Y")), Self.document(Self.candidate(1, "Z", finish: "STOP")),
            // Nobody waits for it.
            Self.document(Self.candidate(0, "late")),
        ]
        let bytes = ScriptedChat.events(documents)
        let (events, error) = try await ScriptedChat(chunks: [bytes]).model().stream(Self.request(2)).all()
        #expect(error == nil)
        #expect(
            events == [
                .alternative(1, .text("X")), .text("A"), .text("B"), .ended(.finished(.stop, [])),
                .alternative(1, .text("Y")), .alternative(1, .text("Z")),
                .alternative(1, .ended(.finished(.stop, []))),
            ]
        )
    }

    @Test func `fewer answers than were asked for are no error, and one that lacks its end is`() async throws
    {
        let one = ScriptedChat.events([ScriptedChat.piece("A", finish: "STOP")])
        let (events, none) = try await ScriptedChat(chunks: [one]).model().stream(Self.request(2)).all()
        #expect(events.texts == ["A"] && none == nil)
        let begun = ScriptedChat.events([
            Self.document(Self.candidate(0, "A", finish: "STOP"), Self.candidate(1, "X"))
        ])
        let (both, error) = try await ScriptedChat(chunks: [begun]).model().stream(Self.request(2)).all()
        #expect(both.contains(.alternative(1, .text("X"))) && error?.code == .interrupted)
    }

    @Test func `sources come with the answer that they belong to`() async throws {
        let sources = """
            {"citationMetadata":{"citationSources":[{"endIndex":5,"license":"","uri":"https://a.test"},\
            {"startIndex":9,"endIndex":3},{"startIndex":2,"endIndex":4,"license":"mit"}]},"finishReason":"STOP","index":
            """
        let document = #"{"candidates":["# + sources + "0}," + Self.candidate(1, "B", finish: "STOP") + "]}"
        let answer = try await ScriptedChat(document: document).model().generate(Self.request(2))
        #expect(
            answer.citations == [
                Citation(range: 0..<5, address: "https://a.test"), Citation(),
                Citation(range: 2..<4, license: "mit"),
            ]
        )
        #expect(answer.alternatives.map(\.citations) == [[]])
    }

    @Test func `the simulated service gives answers and sources as the client reads them`() async throws {
        var reply = GeminiReply([.init(["Hel"]), .init(["lo"])])
        reply.citations = [GeminiReply.Citation(1..<4, uri: "https://a.test", license: "mit")]
        let world = try await GeminiWorld(script: GeminiScript(brain: ScriptedBrain([reply])))
        let model = GeminiChatModel(
            client: world.transport,
            endpoint: GeminiEndpoint(authority: "gemini.test")
        ) { () throws(SecretStoreError) in Secret(GeminiWorld.key) }
        let expected = [Citation(range: 1..<4, address: "https://a.test", license: "mit")]
        let answer = try await model.generate(Self.request(2))
        #expect(answer.text == "Hello" && answer.citations == expected)
        #expect(
            answer.alternatives.map(\.text) == ["Hello"] && answer.alternatives.map(\.citations) == [expected]
        )
        let (events, error) = try await model.stream(Self.request(3)).all()
        #expect(error == nil && events.texts == ["Hel", "lo"])
        for number in [1, 2] {
            let own = events.compactMap { event -> ChatEvent? in
                if case .alternative(number, let event) = event { event } else { nil }
            }
            #expect(
                own == [
                    .text("Hel"), .text("lo"), .citation(expected[0]), .ended(.finished(.stop, [])),
                ]
            )
        }
        let refused = await #expect(throws: ChatModelError.self) {
            try await model.generate(Self.request(9))
        }
        #expect(refused?.code == .rejected && refused?.detail.contains("candidate_count") == true)
    }
}
