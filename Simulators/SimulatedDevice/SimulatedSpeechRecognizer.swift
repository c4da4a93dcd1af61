public import Services
internal import Synchronization

/// A recognizer that understands what its script says, at the times of the script.
///
/// - Models: partial transcripts, final ones, failures, a recognizer that is not there, one that never ends, and a
///   microphone that hears the device's own voice: what that says during a recording comes before the words of the final transcript.
/// - Does not model: sound, which is neither read nor understood; the time that a recognizer takes to load.
/// - Faults: those of the script.
/// - Not compared with a real recognizer.
public final class SimulatedSpeechRecognizer: SpeechRecognizer {
    /// Something that comes out of the recognizer.
    public enum Outcome: Sendable, Hashable {
        /// The words so far.
        case partial(String)
        /// All words.
        case final(String)
        /// The end.
        case failure(SpeechInputError)
    }

    /// What comes, and how long after what came before.
    public struct Step: Sendable, Hashable {
        /// The time since the step before, or since the recognition began.
        public var delay: Duration
        /// What comes.
        public var outcome: Outcome

        /// Makes a step.
        public init(after delay: Duration, _ outcome: Outcome) {
            self.delay = delay
            self.outcome = outcome
        }
    }

    /// What was asked of recognizer and microphone, in order.
    public enum Call: Sendable, Hashable {
        case prepare, record, recognize, finish, stop
    }

    private struct State {
        var scripts: ArraySlice<[Step]>
        var calls: [Call] = []
    }

    private let isAvailable: Bool
    private let hears: SimulatedSpeechSynthesizer?
    private let state: Mutex<State>

    /// Creates a recognizer.
    ///
    /// - Parameters:
    ///   - scripts: What each recognition gives, in order; one that has no script, or whose script has ended without
    ///     a final transcript, waits for `finish()`.
    ///   - isAvailable: Whether there is a recognizer at all.
    ///   - hears: The voice in the same room.
    public init(
        _ scripts: [[Step]] = [],
        isAvailable: Bool = true,
        hears: SimulatedSpeechSynthesizer? = nil
    ) {
        self.isAvailable = isAvailable
        self.hears = hears
        state = Mutex(State(scripts: scripts[...]))
    }

    /// What was asked of it and of its microphone, in order.
    public var calls: [Call] { state.withLock { $0.calls } }

    /// A microphone in the same room.
    public var microphone: any Microphone { Room(recognizer: self) }

    /// Fails unless there is a recognizer.
    public func prepare() async throws(SpeechInputError) {
        note(.prepare)
        if !isAvailable { throw Self.missing }
    }

    /// Plays the next script, where there is a recognizer.
    public func recognize(
        _ recording: any AudioRecording
    ) async throws(SpeechInputError) -> any SpeechRecognition {
        note(.recognize)
        guard isAvailable else { throw Self.missing }
        let script = state.withLock { $0.scripts.popFirst() ?? [] }
        return ScriptedRecognition(script, of: self, hears: hears)
    }

    private static var missing: SpeechInputError {
        SpeechInputError(.unavailable, detail: "there is no recognizer")
    }

    fileprivate func note(_ call: Call) { state.withLock { $0.calls.append(call) } }
}

private struct Room: Microphone {
    let recognizer: SimulatedSpeechRecognizer

    func record() async throws(SpeechInputError) -> any AudioRecording {
        recognizer.note(.record)
        return Recording(recognizer: recognizer)
    }
}

private struct Recording: AudioRecording {
    let recognizer: SimulatedSpeechRecognizer
    let sampleRate = 16_000

    /// The script says what was heard; there is no sound.
    func read() async throws(SpeechInputError) -> [UInt8]? { nil }

    func stop() async { recognizer.note(.stop) }
}

private final class ScriptedRecognition: SpeechRecognition {
    private struct State {
        var steps: ArraySlice<SimulatedSpeechRecognizer.Step>
        var text = ""
        var isFinished = false
        var isOver = false
        /// When the last step was due: what is said does not wait for who listens.
        var time: ContinuousClock.Instant
        var wait: Task<Void, any Error>?
    }

    private let recognizer: SimulatedSpeechRecognizer
    private let hears: SimulatedSpeechSynthesizer?
    private let begun = ContinuousClock.now
    private let state: Mutex<State>

    init(
        _ steps: [SimulatedSpeechRecognizer.Step],
        of recognizer: SimulatedSpeechRecognizer,
        hears: SimulatedSpeechSynthesizer?
    ) {
        self.recognizer = recognizer
        self.hears = hears
        state = Mutex(State(steps: steps[...], time: begun))
    }

    func next() async throws(SpeechInputError) -> Transcript? {
        let wait = state.withLock { state -> Task<Void, any Error>? in
            if state.isOver || state.isFinished { return nil }
            state.time += state.steps.first?.delay ?? .seconds(365 * 86_400)
            let end = state.time
            state.wait = Task { try await Task.sleep(until: end) }
            return state.wait
        }
        if let wait {
            await withTaskCancellationHandler {
                _ = await wait.result
            } onCancel: {
                wait.cancel()
            }
        }
        if Task.isCancelled {
            state.withLock { $0.isOver = true }
            throw SpeechInputError(.cancelled)
        }
        let heard = self.heard
        return try state.withLock { state throws(SpeechInputError) in
            if state.isOver { return nil }
            let outcome = state.isFinished ? .final(state.text) : state.steps.popFirst()?.outcome
            switch outcome ?? .final(state.text) {
            case .partial(let text):
                state.text = text
                return Transcript(text)
            case .final(let text):
                state.isOver = true
                return Transcript((heard + [text]).joined(separator: " "), isFinal: true)
            case .failure(let error):
                state.isOver = true
                throw error
            }
        }
    }

    func finish() async {
        recognizer.note(.finish)
        state.withLock { state in
            state.isFinished = true
            state.wait?.cancel()
        }
    }

    /// What the voice in the room has said meanwhile.
    private var heard: [String] {
        hears?.utterances.filter { $0.end.map { $0 > begun } ?? true }.map(\.text) ?? []
    }
}
