import Conformance
import Services

/// A voice on trial, with its harness at hand.
struct Trial: Sendable {
    let voice: any SpeechSynthesizer
    let patience: Duration
    /// Whether the harness knows what was said.
    let isHeard: Bool
    let heard: @Sendable () async throws -> [HeardUtterance]
    let takeDown: @Sendable () async -> Void

    static func make<Harness: SpeechSynthesizerHarness>(_ harness: Harness) async throws -> Trial {
        let voice = try await harness.makeVoice()
        return Trial(
            voice: voice,
            patience: harness.patience,
            isHeard: harness.capabilities.contains(.heard),
            heard: { try await harness.heard(from: voice) },
            takeDown: { await harness.takeDown(voice) }
        )
    }

    /// The longest that counts as at once: less than a few sentences take, and enough for a machine that is busy.
    private static let atOnce = Duration.seconds(5)

    static let sentence = "This is one sentence."

    /// A text that takes about four times the patience, at 15 characters a second.
    var long: String {
        let characters = Int(4 * 15 * (patience / .seconds(1)))
        let count = max(8, characters / (Self.sentence.count + 1))
        return Array(repeating: Self.sentence, count: count).joined(separator: " ")
    }

    /// Speaks something, which must be over in time.
    func speak(_ text: String) async throws {
        try await requireEnd("a call returns when its text was heard", within: patience) {
            await voice.speak(text)
        }
    }

    /// Begins to speak for long, has that cut off, and checks that it is over at once.
    func cutOff(_ requirement: String, _ cut: @escaping @Sendable (Task<Void, Never>) async -> Void)
        async throws
    {
        let text = long
        let speaking = Task { await voice.speak(text) }
        defer { speaking.cancel() }
        let limit = min(patience, Self.atOnce)
        // It is in the middle of it.
        try await Task.sleep(for: .seconds(1))
        try await requireEnd("\(requirement), and says so", within: limit) { await cut(speaking) }
        try await requireEnd("\(requirement), and the call returns", within: limit) {
            await speaking.value
        }
        try await expectHeard([HeardUtterance(text, wasCutOff: true)], requirement)
    }

    /// Checks what was heard last, where that is known.
    func expectHeard(_ utterances: [HeardUtterance], _ requirement: String) async throws {
        guard isHeard else { return }
        let heard = try await heard().suffix(utterances.count)
        try require(
            Array(heard) == utterances,
            requirement,
            saw: "\(heard.map(Self.words)), not \(utterances.map(Self.words))"
        )
    }

    private static func words(_ utterance: HeardUtterance) -> String {
        let text = utterance.text
        let words = text.count > 40 ? "\(text.prefix(40))… (\(text.count) characters)" : text
        return words + (utterance.wasCutOff ? ", cut off" : "")
    }
}
