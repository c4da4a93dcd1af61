internal import Concurrency
public import Services

/// Speaks through a page: sentences go to one tab, which has the browser speak them and says when they were heard.
///
/// The newest visible tab speaks, or the newest one while none is visible. Without a tab that can speak, nothing is spoken,
/// and nobody waits for it.
@MainActor
public final class BrowserSpeech: SpeechSynthesizer {
    private struct Speaker {
        var id: String
        var isVisible: Bool
        var put: @MainActor (PageFrame) -> Void
    }

    private struct Utterance {
        var number: Int
        var speaker: String
        let ended = WakeSignal()
    }

    private var speakers: [Speaker] = []
    private var current: Utterance?
    private var count = 0

    /// Creates a voice that no page lends its own yet.
    public nonisolated init() {}

    /// Speaks a sentence, and returns when it was heard, was cut off, or takes much longer than any voice needs.
    @MainActor
    public func speak(_ text: String) async {
        guard let speaker = speakers.last(where: \.isVisible) ?? speakers.last, !Task.isCancelled else {
            return
        }
        count += 1
        let utterance = Utterance(number: count, speaker: speaker.id)
        current = utterance
        speaker.put(.speak(number: utterance.number, text: text))
        // Browsers are known to forget the end of an utterance.
        let limit = Duration.seconds(10) + .milliseconds(150) * text.count
        if await utterance.ended.wait(atMost: limit) != .raised { hush(utterance) }
        if current?.number == utterance.number { current = nil }
    }

    /// Falls silent at once.
    @MainActor
    public func stop() async {
        guard let current else { return }
        hush(current)
        current.ended.raise()
    }

    private func hush(_ utterance: Utterance) {
        speakers.first { $0.id == utterance.speaker }?.put(.hush(number: utterance.number))
    }

    // MARK: Pages

    /// A tab says what it can do; one that becomes visible is the newest.
    func update(
        _ id: String,
        _ presence: PageMessage.Presence,
        _ put: @escaping @MainActor (PageFrame) -> Void
    ) {
        guard presence.speaks else { return remove(id) }
        let speaker = Speaker(id: id, isVisible: presence.visible, put: put)
        if let index = speakers.firstIndex(where: { $0.id == id }) {
            if speakers[index].isVisible || !presence.visible {
                speakers[index] = speaker
                return
            }
            speakers.remove(at: index)
        }
        speakers.append(speaker)
    }

    /// A tab has gone; what it was speaking is over.
    func remove(_ id: String) {
        speakers.removeAll { $0.id == id }
        if let current, current.speaker == id { current.ended.raise() }
    }

    /// A tab has spoken a sentence.
    func spoken(_ number: Int, by id: String) {
        guard let current, current.number == number, current.speaker == id else { return }
        current.ended.raise()
    }
}
