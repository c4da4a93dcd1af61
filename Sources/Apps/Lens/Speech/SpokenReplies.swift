/// Speaks replies sentence by sentence while they grow.
public actor SpokenReplies: ReplyListener {
    private let voice: VoiceEngine
    private let isEnabled: @Sendable () -> Bool
    private var splitter = SentenceSplitter()

    /// Creates a speaker; `isEnabled` is asked for every sentence.
    public init(_ voice: VoiceEngine, isEnabled: @escaping @Sendable () -> Bool) {
        self.voice = voice
        self.isEnabled = isEnabled
    }

    /// Forgets what the reply before had still to say; its sentence that is being spoken is finished.
    public func replyBegan() async {
        splitter = SentenceSplitter()
        await voice.clearQueue()
    }

    /// Speaks the sentences that the chunk completes.
    public func replyGrew(by chunk: String) async {
        await speak(splitter.append(chunk))
    }

    /// Falls silent: the rest of the reply is void.
    public func replyInterrupted() async {
        splitter = SentenceSplitter()
        await voice.stop()
    }

    /// Speaks what is left of a complete reply; a torn-off end is not spoken.
    public func replyEnded(_ reply: FinishedReply) async {
        let rest = splitter.finish()
        if reply.ending == .complete { await speak(rest) }
    }

    /// Falls silent.
    public func streamEnded() async {
        splitter = SentenceSplitter()
        await voice.stop()
    }

    private func speak(_ sentences: [String]) async {
        guard isEnabled() else { return }
        for sentence in sentences { await voice.speak(sentence) }
    }
}
