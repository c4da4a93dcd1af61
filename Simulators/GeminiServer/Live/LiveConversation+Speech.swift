import PeerKit
import Transport

extension LiveConversation {
    /// Starts a reply to what has not been answered.
    func answer() {
        let turn = nextTurn()
        unanswered = []
        hasQuestion = false
        hasNewFile = false
        results = []
        resultBytes = 0
        lastSpeech = nil
        isQueued = false
        // A conversation that was gone on with in a bad state hears, and never speaks.
        if isPoisoned { return }
        memory.beginTurn()
        let number = turnCount
        turnCount += 1
        book.note(index) { session in
            // Its place is needed, whatever room there is for its words.
            if session.replies.count < GeminiRecord.longestList { session.replies.append("") }
        }
        isFinishing = false
        isTurnOpen = true
        isSpeaking = true
        speaking = Task { await speak(script.brain.reply(to: turn), number) }
    }

    private func nextTurn() -> GeminiTurn {
        var turn = GeminiTurn(
            index: memory.turnCount,
            prompt: unanswered.joined(separator: "\n"),
            instructions: setup?.instructions,
            frameCount: memory.frameCount,
            lastFrame: memory.lastFrame,
            frameBefore: memory.frameOfTurn,
            lastFrameBytes: memory.lastFrameBytes,
            hasPicture: memory.frameCount > 0,
            hasFile: hasNewFile,
            results: results
        )
        turn.conversation = conversation
        turn.model = String(setup?.model.dropFirst("models/".count) ?? "")
        turn.functions = setup?.tools.functions ?? []
        turn.speech = lastSpeech
        return turn
    }

    /// Cuts a running reply short and says so; a reply that is already ending is left to end.
    func interrupt() async {
        isQueued = false
        while let task = speaking {
            let isEnding = isFinishing
            if !isEnding { task.cancel() }
            await task.value
            // Another one may have begun meanwhile.
            if speaking == task { speaking = nil }
        }
        guard isTurnOpen else { return }
        await send(["serverContent": ["interrupted": true]])
        await cancelCalls()
        await endTurn()
    }

    private func speak(_ reply: GeminiReply, _ turn: Int) async {
        defer { isSpeaking = false }
        if setup?.wantsHandles == true, settings.tellsWhenNotResumable {
            // `resumable: false` and an empty handle, in proto3 JSON.
            await send(["sessionResumptionUpdate": [:]])
        }
        if let fault = faults.strike(GeminiFaultPoints.slowStart) {
            await rest(until: .now + fault.time("seconds"))
        }
        signals = reply.signals
        signals.turnReason = signals.turnReason ?? reply.ending.turnReason
        if signals.tellsInteraction { await send(["serverContent": ["interactionStatus": "IN_PROGRESS"]]) }
        playedUntil = .now
        for chunk in reply.chunks {
            await strike()
            if chunk.delay > .zero { await rest(until: .now + chunk.delay) }
            guard !Task.isCancelled, await say(chunk, turn) else { return }
            if !chunk.calls.isEmpty { await call(chunk.calls) }
        }
        await strike()
        await releaseHeld()
        guard !Task.isCancelled else { return }
        if case .failed(let failure) = reply.ending { return await end(LiveRefusal(failure).close) }
        // The model goes on when it has its answers.
        if waitsForTools { return }
        if signals.waitsForInput { await send(["serverContent": ["waitingForInput": true]]) }
        isFinishing = setup?.speaks != true
        await send(["serverContent": ["generationComplete": true]])
        if !isFinishing {
            await rest(until: playedUntil)
            guard !Task.isCancelled else { return }
            isFinishing = true
        }
        await endTurn(reason: signals.turnReason)
    }

    /// Says a piece in the form of the session; returns whether it went out.
    private func say(_ chunk: GeminiReply.Chunk, _ turn: Int) async -> Bool {
        if chunk.parts.isEmpty { return true }
        if chunk.isThought {
            for part in chunk.parts { memory.take(thought: part) }
            return await sendContent(chunk.message)
        }
        if setup?.speaks == true {
            for part in chunk.parts { guard await speak(part) else { return false } }
        } else {
            guard await sendContent(chunk.message) else { return false }
            for part in chunk.parts { memory.take(reply: part) }
        }
        book.keep(index) { $0.keep(chunk.parts.joined(), asPartOfReply: turn, &$1) }
        return true
    }

    /// Says words in sound, ahead of their playing, and shows them where that is wanted.
    private func speak(_ text: String) async -> Bool {
        if setup?.transcribesOutput == true {
            guard await send(["serverContent": ["outputTranscription": ["text": .string(text)]]]) else {
                return false
            }
        }
        for pcm in voice.say(text) {
            let blob: JSONValue = [
                "mimeType": .string(ToneVoice.mimeType), "data": .string(Base64.encoded(pcm)),
            ]
            let turn: JSONValue = ["role": "model", "parts": [["inlineData": blob]]]
            guard !Task.isCancelled, await sendContent(["serverContent": ["modelTurn": turn]]) else {
                return false
            }
            let length = ToneVoice.duration(samples: pcm.count / 2)
            playedUntil = max(playedUntil, .now) + length
            memory.take(speechOf: Int(length / .milliseconds(1)))
        }
        return true
    }

    private func endTurn(reason: String? = nil) async {
        isTurnOpen = false
        var content: [String: JSONValue] = ["turnComplete": true]
        if let reason { content["turnCompleteReason"] = .string(reason) }
        if signals.tellsInteraction { content["interactionStatus"] = "IDLE" }
        signals = GeminiReply.Signals()
        await send(["serverContent": .object(content), "usageMetadata": memory.usage])
        await giveHandle()
        if isQueued { answer() }
    }

    private func giveHandle() async {
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
