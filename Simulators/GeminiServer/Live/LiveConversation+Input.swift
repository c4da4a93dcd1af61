import PeerKit
import Transport

extension LiveConversation {
    /// Takes words of the conversation proper, which always cut a running reply short.
    func take(_ texts: [String], isComplete: Bool) async {
        remember(texts)
        if isSeeding {
            if isComplete { isSeeding = false }
            return
        }
        await interrupt()
        unanswered += texts
        if isComplete { answer() }
    }

    /// Takes live input: pictures and sound wait for words; words start a reply at once.
    func take(_ input: RealtimeInput) async throws(LiveRefusal) {
        guard setup?.marksActivity == true || !(input.startsActivity || input.endsActivity) else {
            throw .invalidArgument
        }
        for blob in input.media { try await take(blob) }
        if input.startsActivity { await interrupt() }
        if let text = input.text {
            remember([text])
            await interrupt()
            unanswered.append(text)
            answer()
        } else if input.endsActivity {
            await interrupt()
            answer()
        }
    }

    private func remember(_ texts: [String]) {
        for text in texts { memory.take(text: text) }
        book.note(index) { session in
            session.texts += texts.prefix(max(0, GeminiRecord.longestList - session.texts.count))
        }
    }

    private func take(_ blob: RealtimeInput.Blob) async throws(LiveRefusal) {
        guard let bytes = Base64.decoded(blob.data), !bytes.isEmpty else { throw .invalidArgument }
        if blob.mimeType.hasPrefix("audio/pcm") {
            memory.take(audioBytes: bytes.count)
            return
        }
        guard blob.mimeType == "image/jpeg", let inspection = try? inspectFrame(bytes) else {
            throw .invalidArgument
        }
        memory.take(frame: inspection, byteCount: bytes.count)
        if let compression = setup?.compression { memory.compress(compression) }
        let frame = GeminiRecord.Frame(
            sequence: frameCount,
            byteCount: bytes.count,
            bytes: bytes,
            inspection: inspection
        )
        frameCount += 1
        let kept = settings.framesKept
        book.note(index) { session in
            session.frameCount += 1
            if session.frames.count < GeminiRecord.longestList { session.frames.append(frame) }
            let stale = session.frames.count - 1 - kept
            if session.frames.indices.contains(stale) { session.frames[stale].bytes = nil }
        }
        watchVideo()
        await strike()
    }
}
