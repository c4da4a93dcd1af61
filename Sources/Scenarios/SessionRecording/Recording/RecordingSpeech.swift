import Foundation
public import Services
import Simulation
import Synchronization

/// A voice, a microphone and a recognizer of the world outside the simulation, with what comes of each call recorded, and when.
///
/// The sound stays outside: recordings of this microphone have nothing to read.
public final class RecordingSpeech: SpeechSynthesizer, SpeechRecognizer, Microphone {
    private let voice: any SpeechSynthesizer
    private let recognizer: any SpeechRecognizer
    private let microphone: any Microphone
    private let writer: SessionWriter
    private let clock: SessionClock
    private let count = Mutex(0)

    /// Wraps them.
    public init(
        voice: any SpeechSynthesizer,
        recognizer: any SpeechRecognizer,
        microphone: any Microphone,
        writer: SessionWriter,
        clock: SessionClock
    ) {
        self.voice = voice
        self.recognizer = recognizer
        self.microphone = microphone
        self.writer = writer
        self.clock = clock
    }

    /// Speaks outside.
    public func speak(_ text: String) async {
        _ = try? await note(.speak, text) { [voice] () throws(SpeechInputError) in
            await voice.speak(text)
            return nil
        }
    }

    /// Falls silent outside.
    public func stop() async {
        _ = try? await note(.fallSilent) { [voice] () throws(SpeechInputError) in
            await voice.stop()
            return nil
        }
    }

    /// Prepares the recognizer outside.
    public func prepare() async throws(SpeechInputError) {
        _ = try await note(.prepare) { [recognizer] () throws(SpeechInputError) in
            try await recognizer.prepare()
            return nil
        }
    }

    /// Records outside.
    public func record() async throws(SpeechInputError) -> any AudioRecording {
        let base = OutsideValue<any AudioRecording>()
        _ = try await note(.record) { [microphone] () throws(SpeechInputError) in
            base.set(try await microphone.record())
            return nil
        }
        guard let sampleRate = base.value?.sampleRate else { throw SpeechInputError(.microphoneFailed) }
        return OutsideRecording(base: base, sampleRate: sampleRate, speech: self)
    }

    /// Recognizes outside what a recording of this microphone hears.
    public func recognize(
        _ recording: any AudioRecording
    ) async throws(SpeechInputError) -> any SpeechRecognition {
        let base = OutsideValue<any SpeechRecognition>()
        let heard = (recording as? OutsideRecording)?.base.value ?? recording
        _ = try await note(.recognize) { [recognizer] () throws(SpeechInputError) in
            base.set(try await recognizer.recognize(heard))
            return nil
        }
        guard base.value != nil else { throw SpeechInputError(.recognitionFailed) }
        return OutsideRecognition(base: base, speech: self)
    }

    /// Leaves the simulation for a call, and records it when it returns.
    fileprivate func note(
        _ name: SpeechCall.Name,
        _ argument: String = "",
        _ operation: @escaping @concurrent @Sendable () async throws(SpeechInputError) -> Transcript?
    ) async throws(SpeechInputError) -> Transcript? {
        let number = count.withLock { count in
            defer { count += 1 }
            return count
        }
        let result: Result<Transcript?, SpeechInputError>
        do throws(SpeechInputError) { result = .success(try await Simulation.outside(operation)) } catch {
            result = .failure(error)
        }
        let call = SpeechCall(name, argument, result)
        if let detail = try? JSONEncoder().encode(call) {
            writer.add(
                TraceEvent(
                    step: number,
                    nanoseconds: clock.nanoseconds,
                    node: "",
                    kind: SpeechCall.event,
                    detail: String(decoding: detail, as: UTF8.self)
                )
            )
        }
        return try result.get()
    }
}

/// A value that a call made outside, and that is deinitialized outside, too: its deinitializer may end a process.
private final class OutsideValue<Value: Sendable>: Sendable {
    private let kept = Mutex<Value?>(nil)

    var value: Value? { kept.withLock { $0 } }

    func set(_ value: Value) { kept.withLock { $0 = value } }

    deinit { Simulation.asPlatform { kept.withLock { $0 = nil } } }
}

private struct OutsideRecording: AudioRecording {
    let base: OutsideValue<any AudioRecording>
    let sampleRate: Int
    let speech: RecordingSpeech

    func read() async throws(SpeechInputError) -> [UInt8]? { nil }

    func stop() async {
        _ = try? await speech.note(.stop) { [base] () throws(SpeechInputError) in
            await base.value?.stop()
            return nil
        }
    }
}

private struct OutsideRecognition: SpeechRecognition {
    let base: OutsideValue<any SpeechRecognition>
    let speech: RecordingSpeech

    func next() async throws(SpeechInputError) -> Transcript? {
        try await speech.note(.next) { [base] () throws(SpeechInputError) in try await base.value?.next() }
    }

    func finish() async {
        _ = try? await speech.note(.finish) { [base] () throws(SpeechInputError) in
            await base.value?.finish()
            return nil
        }
    }
}
