import PeerKit

extension LiveConversation {
    /// Rates of sound that are taken; the service resamples those other than 16 kHz.
    private static let rates = 8_000...192_000
    private static let usualRate = 16_000

    /// Listens to a piece of the running sound.
    func hear(_ blob: RealtimeInput.Blob) async throws(LiveRefusal) {
        guard let rate = Self.rate(of: blob.mimeType), let pcm = Base64.decoded(blob.data),
            !pcm.isEmpty, pcm.count.isMultiple(of: 2)
        else { throw .invalidArgument }
        let milliseconds = pcm.count / 2 * 1000 / rate
        memory.take(soundOf: milliseconds)
        heardMilliseconds += milliseconds
        book.note(index) { $0.audioBytes += pcm.count }
        if setup?.marksActivity == true {
            activity?.add(pcm, rate: rate)
        } else {
            for change in ear.hear(pcm, rate: rate) { await note(change) }
        }
    }

    /// The microphone was turned off; without detection this says nothing.
    func endAudio() async {
        guard setup?.marksActivity == false else { return }
        for change in ear.flush() { await note(change) }
    }

    /// The client says that its user begins to speak.
    func beginActivity() async {
        activity = GeminiSpeech()
        await tell("ACTIVITY_START")
        if setup?.interrupts == true { await interrupt() }
    }

    /// The client says that its user has done.
    func endActivity() async {
        let speech = activity
        activity = nil
        await tell("ACTIVITY_END")
        if let speech, speech.milliseconds > 0 { await take(speech) }
        await answerActivity()
    }

    /// Answers activity of the user: at once, or after a running reply that may not be cut short.
    func answerActivity() async {
        if setup?.interrupts == false, isTurnOpen {
            isQueued = true
            return
        }
        await interrupt()
        answer()
    }

    private func note(_ change: SpeechDetector.Change) async {
        switch change {
        case .began:
            await tell("ACTIVITY_START")
            if setup?.interrupts == true { await interrupt() }
        case .ended(let speech):
            await tell("ACTIVITY_END")
            await take(speech)
            await answerActivity()
        }
    }

    /// Takes speech as words, and shows what was understood where that is wanted.
    private func take(_ speech: GeminiSpeech) async {
        let words = script.brain.transcript(of: speech)
        book.keep(index) { $0.keep(speech, &$1) }
        lastSpeech = speech
        unanswered.append(words.joined())
        guard setup?.transcribesInput == true else { return }
        for (number, word) in words.enumerated() {
            var fields: [String: JSONValue] = ["text": .string(word)]
            if number == words.count - 1 { fields["finished"] = true }
            await send(["serverContent": ["inputTranscription": .object(fields)]])
        }
    }

    /// Tells of activity where the client has asked for it, and after how much sound it was found.
    private func tell(_ type: String) async {
        guard setup?.tellsActivity == true else { return }
        let offset = Duration.milliseconds(heardMilliseconds).protobufJSON
        await send(["voiceActivity": ["voiceActivityType": .string(type), "audioOffset": .string(offset)]])
    }

    /// The rate that a media type names, such as `audio/pcm;rate=16000`; `nil` for other media and impossible rates.
    private static func rate(of mimeType: String) -> Int? {
        let fields = mimeType.lowercased().split(separator: ";").map { $0.filter { !$0.isWhitespace } }
        guard fields.first == "audio/pcm" else { return nil }
        guard let named = fields.dropFirst().first(where: { $0.hasPrefix("rate=") }) else { return usualRate }
        return Int(named.dropFirst("rate=".count)).flatMap { rates.contains($0) ? $0 : nil }
    }
}
