import PeerKit
import Transport

extension LiveConversation {
    /// Starts a reply to what has not been answered.
    func answer() {
        let turn = GeminiTurn(
            index: memory.turnCount,
            prompt: unanswered.joined(separator: "\n"),
            instructions: setup?.instructions,
            frameCount: memory.frameCount,
            lastFrame: memory.lastFrame,
            lastFrameBytes: memory.lastFrameBytes
        )
        unanswered = []
        memory.beginTurn()
        let number = turnCount
        turnCount += 1
        book.note(index) { session in
            if session.replies.count < GeminiRecord.longestList { session.replies.append("") }
        }
        isFinishing = false
        speaking = Task { await speak(script.brain.reply(to: turn), number) }
    }

    /// Cuts a running reply short and says so; a reply that is already ending is left to end.
    func interrupt() async {
        guard let task = speaking else { return }
        if !isFinishing { task.cancel() }
        await task.value
        speaking = nil
        if isFinishing { return }
        await send(["serverContent": ["interrupted": true]])
        await endTurn()
    }

    private func speak(_ reply: GeminiReply, _ turn: Int) async {
        for chunk in reply.chunks {
            await strike()
            if chunk.delay > .zero { await rest(until: .now + chunk.delay) }
            guard !Task.isCancelled, await send(chunk.message) else { return }
            if chunk.isThought { continue }
            for part in chunk.parts { memory.take(reply: part) }
            book.note(index) { session in
                if session.replies.indices.contains(turn) { session.replies[turn] += chunk.parts.joined() }
            }
        }
        await strike()
        guard !Task.isCancelled else { return }
        isFinishing = true
        await send(["serverContent": ["generationComplete": true]])
        await endTurn()
    }

    private func endTurn() async {
        await send(["serverContent": ["turnComplete": true], "usageMetadata": memory.usage])
        guard setup?.wantsHandles == true else { return }
        let handle = try? book.withLedger { [conversation, memory] in $0.issue(conversation, memory) }
        guard let handle else { return }
        await send(["sessionResumptionUpdate": ["newHandle": .string(handle), "resumable": true]])
    }

    /// Sends a message as the service does, in a binary frame; returns whether it went out.
    @discardableResult
    func send(_ message: JSONValue) async -> Bool {
        await send(message.json)
    }

    @discardableResult
    func send(_ bytes: [UInt8]) async -> Bool {
        if let until = silentUntil { await rest(until: until) }
        if isMute { return false }
        do throws(TransportError) {
            try await socket.send(binary: bytes)
            return true
        } catch {
            // The reader learns how the connection ended, and ends the session.
            return false
        }
    }
}

extension GeminiReply.Chunk {
    fileprivate var message: JSONValue {
        let parts = parts.map { text -> JSONValue in
            isThought ? ["text": .string(text), "thought": true] : ["text": .string(text)]
        }
        return ["serverContent": ["modelTurn": ["role": "model", "parts": .array(parts)]]]
    }
}
