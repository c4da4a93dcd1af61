public import Services
internal import Synchronization

/// A voice that is not heard: it takes the time that speaking would take, and keeps what it has said.
///
/// - Models: utterances one at a time, lasting as long as their text is at the pace of reading aloud; falling
///   silent by `stop()` or cancellation in the middle.
/// - Does not model: voices, languages, volume, other programs' sound, synthesis that fails.
/// - Faults: none of its own; a slow voice is a smaller `charactersPerSecond`.
/// - Not compared with a real synthesizer; the pace is an estimate.
public final class SimulatedSpeechSynthesizer: SpeechSynthesizer {
    /// Something that was said.
    public struct Utterance: Sendable, Hashable {
        /// What was to be said.
        public var text: String
        /// When it began.
        public var start: ContinuousClock.Instant
        /// When it ended; `nil` while it lasts.
        public var end: ContinuousClock.Instant?
        /// Whether it was cut off.
        public var wasCutOff: Bool = false
    }

    private struct State {
        var utterances: [Utterance] = []
        var count = 0
        var isSpeaking = false
        var overlaps = 0
        var stops: [Task<Void, any Error>] = []
    }

    /// The most utterances that are kept; the oldest go first.
    public static let historyLimit: Int = 2_000

    private let charactersPerSecond: Double
    private let state = Mutex(State())

    /// Creates a voice; 15 characters a second are about 180 English words a minute.
    public init(charactersPerSecond: Double = 15) {
        precondition(charactersPerSecond > 0, "a voice needs a pace above zero")
        self.charactersPerSecond = charactersPerSecond
    }

    /// What was said so far, the present utterance included, in order of beginning; the newest ``historyLimit``.
    public var utterances: [Utterance] { state.withLock { $0.utterances } }

    /// How much was said so far, the present utterance included.
    public var utteranceCount: Int { state.withLock { $0.count } }

    /// Calls that began while another lasted, against the contract.
    public var overlaps: Int { state.withLock { $0.overlaps } }

    /// How long a text takes.
    public func duration(of text: String) -> Duration {
        .seconds(Double(text.count) / charactersPerSecond)
    }

    /// Lasts as long as the text does, or until it is cut off.
    public func speak(_ text: String) async {
        let duration = duration(of: text)
        let sleep = Task { try await Task.sleep(for: duration) }
        let count = state.withLock { state in
            if state.isSpeaking { state.overlaps += 1 }
            state.isSpeaking = true
            state.count += 1
            state.stops.append(sleep)
            if state.utterances.count == Self.historyLimit { state.utterances.removeFirst() }
            state.utterances.append(Utterance(text: text, start: .now))
            return state.utterances.count
        }
        let result = await withTaskCancellationHandler {
            await sleep.result
        } onCancel: {
            sleep.cancel()
        }
        let wasCutOff = if case .failure = result { true } else { false }
        state.withLock { state in
            // The contract allows one utterance at a time, so it is still the last.
            let index = min(count, state.utterances.count) - 1
            state.utterances[index].end = .now
            state.utterances[index].wasCutOff = wasCutOff
            state.isSpeaking = false
            state.stops.removeAll { $0 == sleep }
        }
    }

    /// Cuts the present utterance off.
    public func stop() async {
        for sleep in state.withLock({ $0.stops }) { sleep.cancel() }
    }
}
