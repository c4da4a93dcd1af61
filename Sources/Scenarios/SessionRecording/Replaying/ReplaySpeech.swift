public import Services
import Synchronization

/// A voice, a microphone and a recognizer that return from each call when they did in the recording, and with what they did.
///
/// Nothing is heard. What the app says is compared.
public final class ReplaySpeech: SpeechSynthesizer, SpeechRecognizer, Microphone {
    private let calls: [Int: (call: SpeechCall, end: Int64)]
    /// Numbers from here on were not given in the recording.
    private let count: Int
    private let isWhole: Bool
    private let clock: SessionClock
    private let comparison: Comparison
    private let made = Mutex(0)

    /// Prepares to play the calls of a recording.
    ///
    /// - Throws: ``SessionError/damaged(path:detail:)``.
    public init(
        _ session: SessionReader,
        clock: SessionClock,
        comparison: Comparison
    ) throws(SessionError) {
        calls = try session.speechCalls()
        count = (calls.keys.max() ?? -1) + 1
        isWhole = session.outcome != nil
        self.clock = clock
        self.comparison = comparison
    }

    /// Returns when the recorded voice was silent again.
    public func speak(_ text: String) async { _ = try? await replay(.speak, text) }

    /// Returns when the recorded voice was silent.
    public func stop() async { _ = try? await replay(.fallSilent) }

    /// Does what the recorded recognizer did.
    public func prepare() async throws(SpeechInputError) { _ = try await replay(.prepare) }

    /// Does what the recorded microphone did.
    public func record() async throws(SpeechInputError) -> any AudioRecording {
        _ = try await replay(.record)
        return ReplayedRecording(speech: self)
    }

    /// Gives what the recorded recognizer understood.
    public func recognize(
        _ recording: any AudioRecording
    ) async throws(SpeechInputError) -> any SpeechRecognition {
        _ = try await replay(.recognize)
        return ReplayedRecognition(speech: self)
    }

    /// Notes calls of the recording that the replay has not made.
    public func finish() {
        let made = made.withLock { $0 }
        guard made < count else { return }
        differs(made, recorded: calls[made]?.call.question ?? "a call", replayed: "nothing more")
    }

    fileprivate func replay(
        _ name: SpeechCall.Name,
        _ argument: String = ""
    ) async throws(SpeechInputError) -> Transcript? {
        let number = made.withLock { made in
            defer { made += 1 }
            return made
        }
        let question = SpeechCall(name, argument, .success(nil)).question
        guard let (call, end) = calls[number] else {
            if isWhole, number >= count { differs(number, recorded: "nothing more", replayed: question) }
            // In the recording it never returned.
            if number < count || !isWhole { try? await Task.sleep(for: .seconds(86_400)) }
            throw SpeechInputError(.cancelled)
        }
        if call.question == question {
            comparison.same()
        } else {
            differs(number, recorded: call.question, replayed: question)
        }
        // Cancellation had its effect in the recording, at this time.
        let sleep = Task { [clock] in try await clock.sleep(until: end) }
        _ = await sleep.result
        return try call.result.get()
    }

    private func differs(_ number: Int, recorded: String, replayed: String) {
        comparison.differs(
            Difference(
                nanoseconds: clock.nanoseconds,
                place: "call \(number) of voice and recognizer",
                recorded: recorded,
                replayed: replayed
            )
        )
    }
}

private struct ReplayedRecording: AudioRecording {
    let speech: ReplaySpeech
    let sampleRate = 16_000

    func read() async throws(SpeechInputError) -> [UInt8]? { nil }
    func stop() async { _ = try? await speech.replay(.stop) }
}

private struct ReplayedRecognition: SpeechRecognition {
    let speech: ReplaySpeech

    func next() async throws(SpeechInputError) -> Transcript? { try await speech.replay(.next) }
    func finish() async { _ = try? await speech.replay(.finish) }
}
