import Concurrency
import Foundation
import Lens
import Services
import SimulationTesting
import Synchronization
import Testing

@Suite("A chat that is stopped at any moment", .simulated(seeds: 1...25, configuration: .shortWaits))
struct ChatOverlapTests {
    /// A model that waits at the gates, and notes questions that it must not be asked any more.
    private final class WatchedModel: ChatModel {
        private let gates: Gates
        /// Questions that were kept before a stop that has returned, and were not asked again since.
        let stopped = Mutex<Set<String>>([])
        let asked = Mutex<[String]>([])
        let wrong = Mutex<[String]>([])

        init(_ gates: Gates) { self.gates = gates }

        private static func question(_ request: ChatRequest) -> String {
            for case .text(let text)? in [request.contents.last?.parts.last] { return text }
            return ""
        }

        func stream(_ request: ChatRequest) async throws(ChatModelError) -> ChatStream {
            let question = Self.question(request)
            asked.withLock { $0.append(question) }
            if stopped.withLock({ $0.contains(question) }) { wrong.withLock { $0.append(question) } }
            await gates.pass()
            let left = CurrentValue(2)
            return ChatStream { [gates] () async throws(ChatModelError) in
                await gates.pass()
                if Task.isCancelled { throw ScriptedChatModel.error(.cancelled) }
                let number = left.update { left in
                    left -= 1
                    return left
                }
                switch number {
                case 1: return .text("An answer.")
                case 0: return .ended(.finished(.stop, []))
                default: return nil
                }
            }
        }

        func generate(_ request: ChatRequest) async throws(ChatModelError) -> ChatAnswer {
            _ = try await stream(request)
            return ChatAnswer(parts: [.text("An answer.")], ending: .finished(.stop, []))
        }

        func countTokens(_ request: ChatRequest) async throws(ChatModelError) -> Int { 1 }
    }

    @Test func `after a stop nothing is asked that was said before it, and the next question is answered`()
        async throws
    {
        let gates = Gates()
        let model = WatchedModel(gates)
        let fixture = try AppFixture { $0.chatModel = model }
        let (chat, conversation) = (fixture.app.chat, fixture.app.conversation)
        let number = Mutex(0)
        // Retries that were begun, and those of them that run: they may ask what was stopped.
        let retries = Mutex((begun: 0, running: 0))
        @Sendable func questions() -> [String] {
            conversation.content.value.messages.compactMap { message in
                guard message.role == .user, case .text(let text) = message.content else { return nil }
                return text
            }
        }
        @Sendable func stop() async {
            let before = (questions(), retries.withLock(\.self))
            await chat.stop()
            retries.withLock { retries in
                guard before.1.running == 0, retries.begun == before.1.begun else { return }
                model.stopped.withLock { $0.formUnion(before.0) }
            }
        }
        @Sendable func say() async {
            let text = "Question \(number.withLock { $0 += 1; return $0 })?"
            try? await chat.send(ChatDraft(text))
        }
        let overlap = Overlap(
            gates: gates,
            actions: [
                say, say, stop,
                {
                    // As soon as the next question is kept.
                    let count = questions().count
                    for _ in 0..<40 where questions().count == count { await Task.yield() }
                    await stop()
                },
                {
                    retries.withLock { ($0.begun, $0.running) = ($0.begun + 1, $0.running + 1) }
                    model.stopped.withLock { $0 = [] }
                    try? await chat.retry()
                    retries.withLock { $0.running -= 1 }
                },
            ]
        )
        for _ in 0..<3 {
            await overlap.round(40)
            await chat.state.reaches { !$0.isAnswering }
            #expect(model.wrong.withLock(\.self) == [])
            let asked = model.asked.withLock(\.count)
            await say()
            await chat.state.reaches { !$0.isAnswering }
            #expect(model.asked.withLock(\.count) == asked + 1)
            #expect(conversation.content.value.unanswered == nil)
        }
        await fixture.app.shutdown()
    }
}
