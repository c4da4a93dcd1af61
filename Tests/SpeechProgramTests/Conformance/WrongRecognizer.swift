import Concurrency
import Conformance
import Services
import SpeechRecognizerConformance
import Synchronization

/// A recognizer without sound, which violates one requirement, or none.
final class WrongRecognizer: SpeechRecognizer {
    enum Flaw: String, CaseIterable {
        /// Can be made ready once.
        case preparesOnce
        /// Has another error where there is no recognizer.
        case absentIsFailure
        /// Is ready where there is no recognizer.
        case absentPrepares
        /// Recognizes where there is no recognizer.
        case absentRecognizes
        /// Does not answer a cancelled task that makes it ready.
        case prepareHangs
        /// Has another error for a cancelled task.
        case cancelledIsBusy
        /// Does not answer a cancelled task that begins to recognize.
        case beginHangs
        /// Ends without a final transcript.
        case noFinal
        /// Gives two final transcripts.
        case twoFinals
        /// Gives the final transcript each time.
        case finalForEver
        /// Calls all transcripts final.
        case partialsAreFinal
        /// Understands nothing in the end.
        case finalIsEmpty
        /// Gives the final transcript alone.
        case noPartials
        /// Recognizes one recording.
        case oneRecording
        /// Goes on when the speech is ended.
        case ignoresFinish
        /// Ends in silence when the speech is ended.
        case finishIsSilent
        /// Fails when the speech is ended before a word.
        case earlyFinishFails
        /// Gives another final transcript each time the speech is ended.
        case finishRepeats
        /// Gives a final transcript again when the speech is ended after its end.
        case finishAfterEnd
        /// Does not answer a cancelled reader.
        case ignoresCancellation
        /// Ends for a cancelled reader as if all was said.
        case cancelledIsEnd
        /// Goes on after a cancelled reader.
        case cancelledGoesOn
        /// Recognizes nothing any more after a cancelled reader.
        case cancelledForEver
        /// Takes a failed microphone for a failed recognizer.
        case microphoneIsRecognizer
        /// Gives what it has where it fails.
        case hidesFailures
        /// Fails again and again.
        case failsForEver
    }

    private struct State {
        var preparations = 0
        var recordings = 0
        var wasCancelled = false
    }

    let flaw: Flaw?
    private let scene: SpeechScene
    private let state = Mutex(State())

    init(_ flaw: Flaw?, _ scene: SpeechScene) { (self.flaw, self.scene) = (flaw, scene) }

    /// A day passes, whatever becomes of the task.
    fileprivate static func hang() async { await Task { try? await Task.sleep(for: .seconds(86_400)) }.value }

    fileprivate func noteCancellation() { state.withLock { $0.wasCancelled = true } }

    private var missing: SpeechInputError {
        SpeechInputError(flaw == .absentIsFailure ? .recognitionFailed : .unavailable, detail: "none is here")
    }

    func prepare() async throws(SpeechInputError) {
        if flaw == .prepareHangs, Task.isCancelled { await Self.hang() }
        if Task.isCancelled { throw SpeechInputError(flaw == .cancelledIsBusy ? .busy : .cancelled) }
        if scene == .noRecognizer, flaw != .absentPrepares { throw missing }
        let count = state.withLock { state in
            state.preparations += 1
            return state.preparations
        }
        if flaw == .preparesOnce, count > 1 { throw SpeechInputError(.busy) }
    }

    func recognize(
        _ recording: any AudioRecording
    ) async throws(SpeechInputError) -> any SpeechRecognition {
        if flaw == .beginHangs, Task.isCancelled { await Self.hang() }
        if Task.isCancelled { throw SpeechInputError(flaw == .cancelledIsBusy ? .busy : .cancelled) }
        if scene == .noRecognizer, flaw != .absentRecognizes { throw missing }
        let (count, wasCancelled) = state.withLock { state in
            state.recordings += 1
            return (state.recordings, state.wasCancelled)
        }
        if flaw == .oneRecording, count > 1 { throw SpeechInputError(.busy) }
        if flaw == .cancelledForEver, wasCancelled { throw SpeechInputError(.busy) }
        return WrongRecognition(self, scene)
    }
}

private final class WrongRecognition: SpeechRecognition {
    private typealias Flaw = WrongRecognizer.Flaw

    private struct State {
        var steps: ArraySlice<Result<Transcript, SpeechInputError>>
        var isOver = false
        var last: Result<Transcript, SpeechInputError>?
    }

    private static let sentence = "what is this"

    private let recognizer: WrongRecognizer
    private let state: Mutex<State>
    private let changed = WakeSignal()
    private var flaw: WrongRecognizer.Flaw? { recognizer.flaw }

    init(_ recognizer: WrongRecognizer, _ scene: SpeechScene) {
        self.recognizer = recognizer
        let flaw = recognizer.flaw
        let final = Transcript(flaw == .finalIsEmpty ? "" : Self.sentence, isFinal: true)
        var steps = ["what", "what is"].map { Result<Transcript, SpeechInputError>.success(Transcript($0)) }
        if flaw == .noPartials { steps = [] }
        if flaw == .partialsAreFinal { steps = [.success(Transcript("what", isFinal: true))] }
        switch scene {
        case .sentence, .noRecognizer:
            if flaw != .noFinal { steps.append(.success(final)) }
            if flaw == .twoFinals { steps.append(.success(final)) }
        case .open: break
        case .brokenMicrophone:
            steps.append(
                .failure(
                    SpeechInputError(
                        flaw == .microphoneIsRecognizer ? .recognitionFailed : .microphoneFailed
                    )
                )
            )
        case .brokenRecognizer: steps.append(.failure(SpeechInputError(.recognitionFailed)))
        }
        state = Mutex(State(steps: steps[...], isOver: scene != .open))
    }

    func next() async throws(SpeechInputError) -> Transcript? {
        while true {
            if Task.isCancelled { return try await cancelled() }
            let (next, isOver) = state.withLock { state in
                let next = state.steps.popFirst()
                state.last = next ?? state.last
                return (next, state.isOver)
            }
            if let next { return try taken(next) }
            if isOver { return try again() }
            if await changed.wait() == .cancelled { return try await cancelled() }
        }
    }

    private func taken(_ next: Result<Transcript, SpeechInputError>) throws(SpeechInputError) -> Transcript {
        if flaw == .hidesFailures, case .failure = next { return Transcript(Self.sentence, isFinal: true) }
        return try next.get()
    }

    /// What comes when nothing comes any more.
    private func again() throws(SpeechInputError) -> Transcript? {
        let last = state.withLock { $0.last }
        if flaw == .finalForEver, case .success(let transcript)? = last, transcript.isFinal {
            return transcript
        }
        if flaw == .failsForEver, case .failure(let error)? = last { throw error }
        return nil
    }

    private func cancelled() async throws(SpeechInputError) -> Transcript? {
        recognizer.noteCancellation()
        switch flaw {
        case .ignoresCancellation: await WrongRecognizer.hang()
        case .cancelledIsEnd: return nil
        case .cancelledGoesOn:
            state.withLock { state in
                state.steps.append(.success(Transcript("and more", isFinal: true)))
                state.isOver = true
            }
        default:
            state.withLock { state in
                state.steps = []
                (state.isOver, state.last) = (true, nil)
            }
        }
        throw SpeechInputError(.cancelled)
    }

    func finish() async {
        if flaw == .ignoresFinish { return }
        state.withLock { state in
            let final = Transcript(Self.sentence, isFinal: true)
            if state.isOver {
                let isRepeated =
                    flaw == .finishRepeats && state.steps.count > 0
                    || flaw == .finishAfterEnd && state.steps.isEmpty
                if isRepeated { state.steps.append(.success(final)) }
                return
            }
            state.isOver = true
            if flaw == .finishIsSilent { return }
            if flaw == .earlyFinishFails, state.last == nil {
                state.steps = [.failure(SpeechInputError(.recognitionFailed, detail: "no word was heard"))]
            } else {
                state.steps.append(.success(final))
            }
        }
        changed.raise()
    }
}

struct WrongRecognizerHarness: SpeechRecognizerHarness {
    let flaw: WrongRecognizer.Flaw?
    let capabilities = Set(SpeechRecognizerCapability.allCases)

    func makeRecognizer(_ scene: SpeechScene) async throws -> WrongRecognizer { WrongRecognizer(flaw, scene) }

    func record(_ scene: SpeechScene, for recognizer: WrongRecognizer) async throws -> any AudioRecording {
        SilentRecording()
    }

    func isRight(_ text: String) -> Bool { text == "what is this" }
}

/// Nothing to read.
struct SilentRecording: AudioRecording {
    let sampleRate = 16_000

    func read() async throws(SpeechInputError) -> [UInt8]? { nil }
    func stop() async {}
}
