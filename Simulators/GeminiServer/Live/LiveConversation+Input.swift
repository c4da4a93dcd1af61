import PeerKit
import Transport

extension LiveConversation {
    /// Texts that may wait for a complete turn; where the service has its bound is not known.
    private static let mostTexts = 10_000

    /// Takes a piece of the conversation proper, which always cuts a running reply short.
    ///
    /// Turns of the model are history: what the user had said before them has been answered.
    ///
    /// - Throws: 1007 for contents that REST refuses too, and for media other than files and JPEG.
    func take(_ turns: [JSONValue], isComplete: Bool) async throws(LiveRefusal) {
        var tokens = TokenCount()
        let contents: [GeminiContent]
        do throws(GeminiFailure) { contents = try reader.contents(turns, &tokens) } catch {
            throw LiveRefusal(reading: error)
        }
        if !isSeeding { await interrupt() }
        for content in contents {
            remember(content)
            switch content.role {
            case .user:
                try wait(for: content.texts)
                hasQuestion = true
                if content.parts.contains(where: { $0.file != nil }) { hasNewFile = true }
            case .model:
                unanswered = []
                if hasQuestion { memory.skipTurn() }
                hasQuestion = false
                hasNewFile = false
            }
        }
        if isSeeding {
            if isComplete { isSeeding = false }
            return
        }
        if isComplete { answer() }
    }

    /// Takes live input: pictures wait for words or speech; words start a reply at once.
    func take(_ input: RealtimeInput) async throws(LiveRefusal) {
        guard setup?.marksActivity == true || !(input.startsActivity || input.endsActivity) else {
            throw .invalidArgument
        }
        for blob in input.media { try await take(blob) }
        if input.endsAudio { await endAudio() }
        if input.startsActivity { await beginActivity() }
        if let text = input.text {
            remember([text])
            try wait(for: [text])
            await answerActivity()
        } else if input.endsActivity {
            await endActivity()
        }
    }

    /// Keeps texts for the next answer, in bounds.
    private func wait(for texts: [String]) throws(LiveRefusal) {
        unanswered += texts
        let waiting = unanswered.reduce(0) { $0 + $1.utf8.count }
        guard waiting <= settings.largestMessage, unanswered.count <= Self.mostTexts else {
            throw .invalidArgument
        }
    }

    /// Changes the instructions and the functions of the model, from here on.
    func update(instructions: String?, tools: LiveTools?) {
        if let instructions { setup?.instructions = instructions }
        if let tools { setup?.tools = tools }
        if let instructions { book.keep(index) { $0.keep(instructions: instructions, &$1) } }
    }

    private func remember(_ content: GeminiContent) {
        remember(content.texts)
        for part in content.parts {
            switch part {
            case .text: break
            case .thought(let text), .code(let text): memory.take(text: text)
            case .picture(let inspection, let byteCount, _):
                memory.take(picture: inspection, byteCount: byteCount)
                book.note(index) { $0.pictureCount += 1 }
            case .media(let type, let byteCount, _): memory.take(media: type, byteCount: byteCount)
            case .call(let call): memory.take(json: call.arguments)
            case .result(let result): memory.take(json: result.response)
            }
        }
    }

    private func remember(_ texts: [String]) {
        for text in texts { memory.take(text: text) }
        book.keep(index) { session, budget in
            for text in texts { session.keep(text, in: \.texts, &budget) }
        }
    }

    private func take(_ blob: RealtimeInput.Blob) async throws(LiveRefusal) {
        if blob.mimeType.hasPrefix("audio/") { return try await hear(blob) }
        let (bytes, inspection) = try decoded(blob)
        memory.take(frame: inspection, byteCount: bytes.count)
        let frame = GeminiRecord.Frame(
            sequence: frameCount,
            byteCount: bytes.count,
            bytes: bytes,
            inspection: inspection
        )
        frameCount += 1
        let kept = settings.framesKept
        book.keep(index) { session, budget in
            session.frameCount += 1
            session.keep(frame, newest: kept, &budget)
        }
        watchVideo()
        await strike()
    }

    private func decoded(
        _ blob: RealtimeInput.Blob
    ) throws(LiveRefusal) -> (bytes: [UInt8], inspection: FrameInspection) {
        guard blob.mimeType == "image/jpeg", let bytes = Base64.decoded(blob.data), !bytes.isEmpty,
            let inspection = try? reader.inspectFrame(bytes)
        else { throw .invalidArgument }
        return (bytes, inspection)
    }
}
