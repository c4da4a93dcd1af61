import GeminiREST
import LiveTransport
import Services
import TestSupport
import Testing
import Transport

@Suite("Chat over real sockets", .timeLimit(.minutes(5)))
struct LiveChatTests {
    private static let prompt = ChatRequest(model: "m", contents: [.user("Hello")])

    @Test func `answers come whole and in pieces, and failures with their kind`() async throws {
        let chat = ScriptedChat { number, request, _ in
            switch number {
            case 0: return ScriptedChat.ok(.text(ScriptedChat.piece("Hello", finish: "STOP")))
            case 1:
                let bytes = ScriptedChat.events([
                    ScriptedChat.piece("你"), ScriptedChat.piece("好", finish: "STOP"),
                ])
                return ScriptedChat.ok(ScriptedChat.body(bytes.map { [$0] }), type: "text/event-stream")
            case 2:
                let cut = TransportError(.reset, operation: "give body", peer: "test")
                let body = ScriptedChat.body([ScriptedChat.events([ScriptedChat.piece("Half")])], then: cut)
                return ScriptedChat.ok(body, type: "text/event-stream")
            default: return ScriptedChat.refusal(404, ScriptedChat.error(404, "NOT_FOUND", "no such model"))
            }
        }
        try await onLoopback(chat) { model in
            #expect(try await model.generate(Self.prompt).text == "Hello")
            let (events, none) = try await model.stream(Self.prompt).all()
            #expect(events.texts == ["你", "好"] && none == nil)
            let (before, torn) = try await model.stream(Self.prompt).all()
            #expect(before.texts == ["Half"] && torn?.code == .interrupted)
            let error = await #expect(throws: ChatModelError.self) { try await model.generate(Self.prompt) }
            #expect(error?.code == .notFound)
        }
    }

    @Test func `a reader that is cancelled ends the request at the server`() async throws {
        let ended = Signal()
        let chat = ScriptedChat { _, _, _ in
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
        try await onLoopback(chat) { model in
            let heard = Signal()
            let reading = Task {
                var iterator = try await model.stream(Self.prompt).makeAsyncIterator()
                _ = try await iterator.next()
                heard.give()
                _ = try await iterator.next()
            }
            await heard.wait()
            reading.cancel()
            await #expect(throws: ChatModelError.self) { try await reading.value }
            await ended.wait()
        }
    }
}

/// Runs a test against a scripted service on real sockets, and ends both sides afterwards.
private func onLoopback(_ chat: ScriptedChat, _ test: (GeminiChatModel) async throws -> Void) async throws {
    let listener = try await LoopbackHost().listen(chat.server, at: .loopback())
    let transport = try LiveTransport()
    let result: Result<Void, any Error>
    do {
        result = .success(try await test(ScriptedChat.model(transport, authority: "\(listener.address)")))
    } catch {
        result = .failure(error)
    }
    await transport.shutdown()
    await listener.stop()
    try result.get()
}
