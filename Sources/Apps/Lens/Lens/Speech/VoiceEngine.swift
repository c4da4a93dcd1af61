public import Concurrency
public import Services

/// Speaks sentences in the order in which they came, one at a time and each once.
public actor VoiceEngine {
    /// The most sentences that wait; what comes past that is left out and counted.
    public static let queueLimit: Int = 256

    /// Whether something is being spoken or waits to be; false while what waits is held.
    public nonisolated var isSpeaking: Published<Bool> { speaks.published }
    /// How many sentences were spoken to their end.
    public nonisolated var spoken: Published<Int> { finished.published }
    /// Sentences that were left out because too many waited.
    public private(set) var leftOut: Int = 0

    private let speaks = CurrentValue(false)
    private let finished = CurrentValue(0)
    private let synthesizer: any SpeechSynthesizer
    private var queue: [String] = []
    private var speaking: Task<Void, Never>?
    /// The end of what was stopped; nothing new is spoken before it.
    private var silencing: Task<Void, Never>?
    private var isHeld = false

    /// Creates a silent engine.
    public init(_ synthesizer: any SpeechSynthesizer) {
        self.synthesizer = synthesizer
    }

    /// Adds sentences to the queue and returns at once.
    public func speak(_ sentences: [String]) {
        let room = Self.queueLimit - queue.count
        leftOut += max(0, sentences.count - room)
        queue += sentences.prefix(room)
        begin()
    }

    /// Falls silent as ``stop()`` does; what is to be said from now on waits for ``release()``.
    public func hold() async {
        isHeld = true
        await stop()
    }

    /// Says what has waited since ``hold()``.
    public func release() {
        isHeld = false
        begin()
    }

    /// Forgets what waits; the sentence that is being spoken is finished.
    public func clearQueue() {
        queue.removeAll()
    }

    /// Falls silent and forgets what waits; returns when nothing is heard any more.
    ///
    /// Idempotent.
    public func stop() async {
        queue.removeAll()
        if let speaking {
            let before = silencing
            speaking.cancel()
            self.speaking = nil
            silencing = Task { [synthesizer] in
                await before?.value
                await synthesizer.stop()
                await speaking.value
            }
        }
        await silencing?.value
        if speaking == nil, isSpeaking.value { speaks.set(false) }
    }

    private func begin() {
        guard speaking == nil, !isHeld, !queue.isEmpty else { return }
        speaks.set(true)
        let silencing = silencing
        speaking = Task {
            await silencing?.value
            await self.speakQueue()
        }
    }

    private func speakQueue() async {
        while !Task.isCancelled, !queue.isEmpty {
            await synthesizer.speak(queue.removeFirst())
            if !Task.isCancelled { finished.set(finished.value + 1) }
        }
        // A stopped run has already been replaced.
        guard !Task.isCancelled else { return }
        speaking = nil
        speaks.set(false)
    }
}
