import CompletionsModel
import Conformance
import Lens
import LensScenarios
import LiveModelConformance
import Services
import SimulationTesting
import Synchronization
import Testing

/// The watching model over a service that echoes, and knows one key and one model.
private struct WatchingHarness: LiveModelHarness {
    let configuration = LiveConfiguration(model: "echo")
    let capabilities: Set<LiveCapability> = [.keys]
    let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xD9]
    let secrets = [EchoingModel.key]

    func makeModel(_ key: LiveKey) async throws -> any LiveModel {
        let text: String? =
            switch key {
            case .good: EchoingModel.key
            case .bad: "another"
            case .none: nil
            }
        return WatchingModel(EchoingModel(text))
    }
}

@Suite("Conformance of the watching model", .simulated(seeds: 1...10))
struct WatchingConformanceTests {
    @Test("every requirement of what it can do is met", arguments: LiveModelConformance.cases)
    func conforms(_ test: LiveModelConformance.Case) async throws {
        let outcome = try await test.run(with: WatchingHarness())
        #expect((outcome == .passed) == test.needs.isSubset(of: ["keys"]), "\(outcome)")
    }

    @Test func `the newest picture goes with the words, and what was said before them`() async throws {
        let echo = EchoingModel(EchoingModel.key)
        let session = try await WatchingModel(echo).startSession(LiveConfiguration(model: "echo"))
        for (number, words) in ["One", "Two", "Three"].enumerated() {
            if number < 2 {
                for last in [0, UInt8(number)] { try await session.send(frame: [0xFF, 0xD8, 0xFF, last]) }
            }
            try await session.send(text: words)
            var answer = ""
            while case let event = try await session.nextEvent(), event != .turnComplete {
                if case .text(let text) = event { answer += text }
            }
            #expect(answer == "You said: \(words)")
        }
        let contents = try #require(echo.requests.last?.contents)
        #expect(contents.map(\.role) == [.user, .model, .user, .model, .user])
        #expect(
            contents[2].parts == [.text("Two"), .inline(mediaType: "image/jpeg", [0xFF, 0xD8, 0xFF, 1])]
        )
        #expect(contents[4].parts == [.text("Three")])
        await session.close()
    }
}

/// Answers with what was said last, piece by piece.
private final class EchoingModel: ChatModel {
    static let key = "sesame-42"

    private let key: String?
    private let kept = Mutex<[ChatRequest]>([])

    init(_ key: String?) { self.key = key }

    var requests: [ChatRequest] { kept.withLock(\.self) }

    func stream(_ request: ChatRequest) async throws(ChatModelError) -> ChatStream {
        try? await Task.sleep(for: .milliseconds(Int.random(in: 0...50)))
        guard !Task.isCancelled else { throw Self.error(.cancelled) }
        guard let key else { throw Self.error(.missingKey) }
        guard key == Self.key else { throw Self.error(.invalidKey) }
        guard request.model == "echo" else { throw Self.error(.notFound) }
        kept.withLock { $0.append(request) }
        var words = ""
        for case .text(let text) in request.contents.last?.parts ?? [] { words = text }
        let events = Mutex<[ChatEvent]>([
            .text("You "), .text("said: "), .text(words), .ended(.finished(.stop, [])),
        ])
        return ChatStream { () async throws(ChatModelError) in
            try? await Task.sleep(for: .milliseconds(10))
            guard !Task.isCancelled else { throw Self.error(.cancelled) }
            return events.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        }
    }

    func generate(_ request: ChatRequest) async throws(ChatModelError) -> ChatAnswer {
        var answer = ChatAnswer(parts: [], ending: .finished(.stop, []))
        for try await event in try await stream(request) {
            if case .text(let text) = event { answer.parts.append(.text(text)) }
        }
        return answer
    }

    func countTokens(_ request: ChatRequest) async throws(ChatModelError) -> Int {
        throw Self.error(.notFound)
    }

    private static func error(_ code: ChatModelError.Code) -> ChatModelError {
        ChatModelError(code, operation: "echo", peer: "echo")
    }
}
