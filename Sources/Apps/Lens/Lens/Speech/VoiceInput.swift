public import Concurrency
internal import Foundation
public import Services

/// Listens to the user, and gives what was said as text.
///
/// While it listens nothing is spoken, so that the app does not transcribe itself. What was to be spoken meanwhile is spoken
/// afterwards only if the user said nothing.
public actor VoiceInput {
    /// What is shown of it.
    public struct State: Sendable, Hashable {
        /// Whether the user is listened to, from the moment on in which the microphone may be used.
        public var isListening: Bool = false
        /// What was understood so far; empty when nobody is listened to.
        public var transcript: String = ""

        /// Nobody is listened to.
        public init() {}
    }

    /// How long a pause has to be to end what the user says.
    public static let silence: Duration = .milliseconds(1_500)
    /// How long the recognizer may take for the last words, after the user has ended.
    public static let finalWait: Duration = .seconds(2)

    private enum Event {
        case recognizing(any SpeechRecognition)
        case heard(Transcript)
        /// There is nothing to hear any more.
        case ended(SpeechInputError?)
        /// The pause with this number was long enough.
        case silence(Int)
        /// The user does not want to say more.
        case finished
    }

    /// The present state.
    public nonisolated var state: Published<State> { current.published }

    private let current = CurrentValue(State())
    private let recognizer: any SpeechRecognizer
    private let microphone: any Microphone
    private let permissions: Permissions
    private let voice: VoiceEngine
    private let patience: Duration
    private var events: AsyncStream<Event>.Continuation?
    /// How often ``stop()`` was called: one that comes while the permission is asked for ends that listening, too.
    private var stops = 0

    /// Creates one that listens to nobody.
    ///
    /// - Parameters:
    ///   - recognizer: Understands what is said.
    ///   - microphone: Hears it.
    ///   - permissions: Asked for the microphone.
    ///   - voice: Falls silent while the user is listened to.
    ///   - patience: How long the user may take to begin.
    public init(
        recognizer: any SpeechRecognizer,
        microphone: any Microphone,
        permissions: Permissions,
        voice: VoiceEngine,
        patience: Duration = .seconds(5)
    ) {
        self.recognizer = recognizer
        self.microphone = microphone
        self.permissions = permissions
        self.voice = voice
        self.patience = patience
    }

    /// Listens until the user pauses for ``silence``, says nothing for the patience, or ``finish()``.
    ///
    /// - Returns: What was said, without white space around it; empty when nothing was understood.
    /// - Throws: `SpeechInputError`; `busy` when the user is listened to already.
    public func listen() async throws(SpeechInputError) -> String {
        guard events == nil else { throw SpeechInputError(.busy) }
        // The newest matter: transcripts replace each other, and an end comes last.
        let (stream, events) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(64))
        self.events = events
        let stops = stops
        guard await permissions.request(.microphone) == .granted else {
            self.events = nil
            throw SpeechInputError(Task.isCancelled ? .cancelled : .permissionDenied)
        }
        guard stops == self.stops else {
            self.events = nil
            throw SpeechInputError(.cancelled)
        }
        current.update { $0.isListening = true }
        await voice.hold()
        // Stopped meanwhile: the microphone stays closed.
        let hearing = Task { if stops == self.stops { await hear(events) } }
        let result = await self.result(of: stream, events)
        hearing.cancel()
        await hearing.value
        let heard = result.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
        // Who says something does not want to hear the rest of what was said before.
        if case .success(let text) = heard, !text.isEmpty { await voice.clearQueue() }
        // Before the next one may listen, which holds the voice again.
        await voice.release()
        self.events = nil
        current.set(State())
        return try heard.get()
    }

    /// Ends listening at once, with what was understood so far.
    ///
    /// Harmless when nobody is listened to.
    public func finish() { events?.yield(.finished) }

    /// Ends listening at once, and forgets what was understood.
    ///
    /// Who listens receives `cancelled`. Returns when nobody is listened to; harmless when nobody was.
    public func stop() async {
        stops += 1
        events?.yield(.ended(SpeechInputError(.cancelled)))
        for await state in state.values() where !state.isListening { return }
    }

    private func result(
        of stream: AsyncStream<Event>,
        _ events: AsyncStream<Event>.Continuation
    ) async -> Result<String, SpeechInputError> {
        var recognition: (any SpeechRecognition)?
        var (pauses, pause) = (0, Task<Void, Never>?.none)
        var finishing: Task<Void, Never>?
        defer {
            pause?.cancel()
            finishing?.cancel()
        }
        func wait(_ duration: Duration) {
            pause?.cancel()
            pauses += 1
            // From now on, whenever the task begins.
            let end = ContinuousClock.now + duration
            pause = Task { [pauses] in
                if (try? await Task.sleep(until: end)) != nil { events.yield(.silence(pauses)) }
            }
        }
        var isEnding = false
        for await event in stream {
            switch event {
            case .recognizing(let begun):
                recognition = begun
                wait(patience)
            case .heard(let transcript):
                let isNew = transcript.text != current.value.transcript
                current.update { $0.transcript = transcript.text }
                if transcript.isFinal { return .success(transcript.text) }
                if isNew, !isEnding { wait(Self.silence) }
            case .ended(nil): return .success(current.value.transcript)
            case .ended(let error?): return .failure(error)
            case .silence(pauses) where isEnding: return .success(current.value.transcript)
            case .silence(pauses):
                isEnding = true
                wait(Self.finalWait)
                // It may take its time; the wait for the last words has an end.
                finishing = Task { [recognition] in await recognition?.finish() }
            case .silence: break
            case .finished: return .success(current.value.transcript)
            }
        }
        return .failure(SpeechInputError(.cancelled))
    }

    private func hear(_ events: AsyncStream<Event>.Continuation) async {
        do throws(SpeechInputError) {
            try await recognizer.prepare()
            let recording = try await microphone.record()
            let error = await recognize(recording, events)
            await recording.stop()
            events.yield(.ended(error))
        } catch {
            events.yield(.ended(error))
        }
    }

    private func recognize(
        _ recording: any AudioRecording,
        _ events: AsyncStream<Event>.Continuation
    ) async -> SpeechInputError? {
        do throws(SpeechInputError) {
            let recognition = try await recognizer.recognize(recording)
            events.yield(.recognizing(recognition))
            while let transcript = try await recognition.next() { events.yield(.heard(transcript)) }
            return nil
        } catch {
            return error
        }
    }
}
