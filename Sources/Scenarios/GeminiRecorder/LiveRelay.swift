import GeminiServer
import PeerKit
import Transport

/// Passes the messages of a Live session on in both directions, and hears the answers to turns in writing.
actor LiveRelay {
    private let client: any WebSocket
    private let service: any WebSocket
    private let note: @Sendable (RecordedPrompt, GeminiReply) async -> Void
    /// What the model is answering; `nil` when that is not known.
    private var prompt: RecordedPrompt?
    private var chunks: [GeminiReply.Chunk] = []
    /// What is spoken, in writing; counts where nothing is written.
    private var spoken: [GeminiReply.Chunk] = []
    private var isInterrupted = false

    init(
        client: any WebSocket,
        service: any WebSocket,
        note: @escaping @Sendable (RecordedPrompt, GeminiReply) async -> Void
    ) {
        self.client = client
        self.service = service
        self.note = note
    }

    /// Returns once one side has ended, and with it the other.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await self.pass(from: self.client, to: self.service) { await self.hear(client: $0) }
            }
            group.addTask {
                await self.pass(from: self.service, to: self.client) { await self.hear(service: $0) }
            }
            await group.next()
            group.cancelAll()
        }
    }

    private nonisolated func pass(
        from source: any WebSocket,
        to target: any WebSocket,
        _ hear: (JSONValue) async -> Void
    ) async {
        while let event = try? await source.receive() {
            do throws(TransportError) {
                switch event {
                case .text(let text):
                    if let message = try? JSONValue(json: Array(text.utf8)) { await hear(message) }
                    try await target.send(text: text)
                case .binary(let bytes):
                    if let message = try? JSONValue(json: bytes) { await hear(message) }
                    try await target.send(binary: bytes)
                case .closed(let close): return await target.close(close)
                }
            } catch {
                // The other direction meets the end that this one has met.
                return await source.close(.abnormal)
            }
        }
        await target.close(.abnormal)
    }

    private func hear(client message: JSONValue) {
        if let content = message.member("clientContent", "client_content") {
            guard content.member("turnComplete", "turn_complete")?.bool == true else { return }
            begin(content["turns"].flatMap { ($0.array?.last ?? $0) }.flatMap { RecordedPrompt($0) })
        } else if let text = message.member("realtimeInput", "realtime_input")?["text"]?.string {
            begin(RecordedPrompt(text))
        } else if let answer = message.member("toolResponse", "tool_response") {
            let answers = answer.member("functionResponses", "function_responses")
            let name = (answers?.array?.first ?? answers)?["name"]?.string
            begin(RecordedPrompt("", result: name))
        }
    }

    private func begin(_ prompt: RecordedPrompt?) {
        self.prompt = prompt
        chunks = []
        spoken = []
        isInterrupted = false
    }

    private func hear(service message: JSONValue) async {
        for call in message["toolCall"]?["functionCalls"]?.array ?? [] {
            chunks += RecordedAnswer.chunks(of: ["functionCall": call])
        }
        if message["toolCall"] != nil { return await end() }
        guard let content = message["serverContent"] else { return }
        for part in content["modelTurn"]?["parts"]?.array ?? [] { chunks += RecordedAnswer.chunks(of: part) }
        if let text = content["outputTranscription"]?["text"]?.string, !text.isEmpty {
            spoken.append(.init([text]))
        }
        if content["interrupted"]?.bool == true { isInterrupted = true }
        if content["turnComplete"]?.bool == true { await end() }
    }

    private func end() async {
        let hasWords = chunks.contains { !$0.isThought && !$0.parts.isEmpty }
        let said =
            hasWords
            ? chunks : chunks.filter { $0.calls.isEmpty } + spoken + chunks.filter { !$0.calls.isEmpty }
        if let prompt, !isInterrupted, !said.isEmpty { await note(prompt, GeminiReply(said)) }
        begin(nil)
    }
}
