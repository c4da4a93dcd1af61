/// Speaks replies sentence by sentence while they grow.
public actor SpokenReplies: ReplyListener {
    private let voice: VoiceEngine
    private let isEnabled: @Sendable () -> Bool
    private var splitter = SentenceSplitter()
    /// Whether the user has begun to speak since the reply began.
    private var isVoid = false

    /// Creates a speaker; `isEnabled` is asked each time that sentences are complete.
    public init(_ voice: VoiceEngine, isEnabled: @escaping @Sendable () -> Bool) {
        self.voice = voice
        self.isEnabled = isEnabled
    }

    /// Forgets what the reply before had still to say; its sentence that is being spoken is finished.
    public func replyBegan() async {
        splitter = SentenceSplitter()
        isVoid = false
        await voice.clearQueue()
    }

    /// Falls silent at once, since the user speaks; what is still to come of the reply is not spoken either.
    public func userBegan() async {
        splitter = SentenceSplitter()
        isVoid = true
        await voice.stop()
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
        isVoid = false
        await voice.stop()
    }

    private func speak(_ sentences: [String]) async {
        guard !isVoid, !sentences.isEmpty, isEnabled() else { return }
        await voice.speak(sentences)
        // The user may have begun to speak meanwhile, and the voice have stopped before these came.
        if isVoid { await voice.stop() }
    }
}
