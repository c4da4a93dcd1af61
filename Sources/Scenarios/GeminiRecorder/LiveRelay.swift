import GeminiServer
import PeerKit
import Services
import Transport

/// Passes the messages of a Live session on in both directions, and hears the answers to turns in writing.
actor LiveRelay {
    private let client: any WebSocket
    private let service: any WebSocket
    private let mask: KeyMask
    private let note: @Sendable (RecordedPrompt, GeminiReply) async -> Void
    /// Prompts whose answers have not ended, the oldest first; `nil` for one that a script cannot hold.
    private var prompts: [RecordedPrompt?] = []
    private var chunks: [GeminiReply.Chunk] = []
    /// What is spoken, in writing; counts where nothing is written.
    private var spoken: [GeminiReply.Chunk] = []
    private var isInterrupted = false

    /// Prompts that are waited for; a client that asks for more has not listened.
    private static let mostPrompts = 64
    /// How long one side may go on after the other has ended.
    private static let farewell = Duration.seconds(5)

    init(
        client: any WebSocket,
        service: any WebSocket,
        key: Secret,
        note: @escaping @Sendable (RecordedPrompt, GeminiReply) async -> Void
    ) {
        self.client = client
        self.service = service
        mask = KeyMask(key)
        self.note = note
    }

    /// Returns once both sides have ended.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await self.pass(from: self.client, to: self.service, masking: false) {
                    await self.hear(client: $0)
                }
            }
            group.addTask {
                await self.pass(from: self.service, to: self.client, masking: true) {
                    await self.hear(service: $0)
                }
            }
            await group.next()
            // What the other side has said before it ended is still on its way.
            group.addTask { try? await Task.sleep(for: Self.farewell) }
            await group.next()
            group.cancelAll()
        }
    }

    private nonisolated func pass(
        from source: any WebSocket,
        to target: any WebSocket,
        masking isMasked: Bool,
        _ hear: (JSONValue) async -> Void
    ) async {
        while let event = try? await source.receive() {
            do throws(TransportError) {
                switch event {
                case .text(var text):
                    if isMasked { text = mask.masked(text) }
                    if let message = try? JSONValue(json: Array(text.utf8)) { await hear(message) }
                    try await target.send(text: text)
                case .binary(var bytes):
                    if isMasked { bytes = mask.masked(bytes) }
                    if let message = try? JSONValue(json: bytes) { await hear(message) }
                    try await target.send(binary: bytes)
                case .closed(var close):
                    close.reason = mask.masked(close.reason)
                    return await target.close(close)
                }
            } catch {
                // The other direction reads why the target has ended, and tells the source.
                return
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
        if prompts.count < Self.mostPrompts { prompts.append(prompt) }
    }

    private func hear(service message: JSONValue) async {
        if let calls = message["toolCall"]?["functionCalls"]?.array {
            for call in calls {
                chunks += RecordedAnswer.chunks(of: ["functionCall": call], keepsID: false)
            }
            return await end()
        }
        guard let content = message["serverContent"] else { return }
        let parts = content["modelTurn"]?["parts"]?.array ?? []
        // The answer to something else, such as speech.
        if !parts.isEmpty, prompts.isEmpty { prompts.append(nil) }
        for part in parts { chunks += RecordedAnswer.chunks(of: part, keepsID: false) }
        if let text = content["outputTranscription"]?["text"]?.string, !text.isEmpty {
            spoken.append(.init([text]))
        }
        if content["interrupted"]?.bool == true { isInterrupted = true }
        if content["turnComplete"]?.bool == true { await end() }
    }

    private func end() async {
        let prompt = prompts.isEmpty ? nil : prompts.removeFirst()
        let calls = chunks.filter { !$0.calls.isEmpty }
        let words = chunks.filter { $0.calls.isEmpty }
        let isWritten = words.contains { !$0.isThought }
        let said = isWritten ? chunks : words + spoken + calls
        let isWhole = !isInterrupted && !said.isEmpty
        (chunks, spoken, isInterrupted) = ([], [], false)
        if let prompt, isWhole { await note(prompt, GeminiReply(said)) }
    }
}
