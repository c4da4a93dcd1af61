public import Services
import Simulation
import Synchronization

extension DeviceCall where Request == SpeechRequest, Reply == SpeechReply {
    /// Calls of voice, microphone and recognizer.
    public static var speech: Self { Self("speech", title: "voice and recognizer") }
}

/// What an app asks of voice, microphone and recognizer.
public struct SpeechRequest: Codable, Hashable, Sendable, CustomStringConvertible {
    enum Name: String, Codable {
        case speak, fallSilent, prepare, record, recognize, next, finish, stop
    }

    var name: Name
    /// What is to be said.
    var argument: String

    /// What is compared of it.
    public var description: String { argument.isEmpty ? name.rawValue : "\(name.rawValue) “\(argument)”" }
}

/// What comes of it.
public struct SpeechReply: Codable, Sendable {
    /// What was understood.
    private var text: String?
    private var isFinal: Bool?
    /// What went wrong.
    private var error: SpeechInputError.Code?
    private var detail: String?

    init(_ result: Result<Transcript?, SpeechInputError>) {
        switch result {
        case .success(let transcript): (text, isFinal) = (transcript?.text, transcript?.isFinal)
        case .failure(let failure): (error, detail) = (failure.code, failure.detail)
        }
    }

    var result: Result<Transcript?, SpeechInputError> {
        if let error { return .failure(SpeechInputError(error, detail: detail ?? "")) }
        return .success(text.map { Transcript($0, isFinal: isFinal ?? false) })
    }
}

/// A voice, a microphone and a recognizer of the world outside the simulation, or of a recording.
///
/// The sound stays outside: recordings of this microphone have nothing to read. In a replay nothing is heard; what the app says is
/// compared.
public final class RecordedSpeech: SpeechSynthesizer, SpeechRecognizer, Microphone {
    private let calls: any DeviceCalls<SpeechRequest, SpeechReply>
    private let device:
        (voice: any SpeechSynthesizer, recognizer: any SpeechRecognizer, microphone: any Microphone)?

    /// Records what comes of calls to a device.
    public init(
        _ calls: DeviceCallRecorder<SpeechRequest, SpeechReply>,
        voice: any SpeechSynthesizer,
        recognizer: any SpeechRecognizer,
        microphone: any Microphone
    ) {
        self.calls = calls
        device = (voice, recognizer, microphone)
    }

    /// Replays what came of them.
    public init(_ calls: any DeviceCalls<SpeechRequest, SpeechReply>) {
        self.calls = calls
        device = nil
    }

    /// Speaks on the device.
    public func speak(_ text: String) async {
        _ = try? await call(.speak, text) { [device] () throws(SpeechInputError) in
            await device?.voice.speak(text)
            return nil
        }
    }

    /// Falls silent on the device.
    public func stop() async {
        _ = try? await call(.fallSilent) { [device] () throws(SpeechInputError) in
            await device?.voice.stop()
            return nil
        }
    }

    /// Prepares the recognizer of the device.
    public func prepare() async throws(SpeechInputError) {
        _ = try await call(.prepare) { [device] () throws(SpeechInputError) in
            try await device?.recognizer.prepare()
            return nil
        }
    }

    /// Records on the device.
    public func record() async throws(SpeechInputError) -> any AudioRecording {
        let base = OutsideValue<any AudioRecording>()
        _ = try await call(.record) { [device] () throws(SpeechInputError) in
            if let device { base.set(try await device.microphone.record()) }
            return nil
        }
        return OutsideRecording(base: base, sampleRate: base.value?.sampleRate ?? 16_000, speech: self)
    }

    /// Recognizes on the device what a recording of this microphone hears.
    public func recognize(
        _ recording: any AudioRecording
    ) async throws(SpeechInputError) -> any SpeechRecognition {
        let base = OutsideValue<any SpeechRecognition>()
        let heard = (recording as? OutsideRecording)?.base.value ?? recording
        _ = try await call(.recognize) { [device] () throws(SpeechInputError) in
            if let device { base.set(try await device.recognizer.recognize(heard)) }
            return nil
        }
        return OutsideRecognition(base: base, speech: self)
    }

    fileprivate func call(
        _ name: SpeechRequest.Name,
        _ argument: String = "",
        _ operation: @escaping @concurrent @Sendable () async throws(SpeechInputError) -> Transcript?
    ) async throws(SpeechInputError) -> Transcript? {
        let reply = await calls.call(SpeechRequest(name: name, argument: argument)) {
            do throws(SpeechInputError) { return SpeechReply(.success(try await operation())) } catch {
                return SpeechReply(.failure(error))
            }
        }
        guard let reply else { throw SpeechInputError(.cancelled) }
        return try reply.result.get()
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
    let speech: RecordedSpeech

    func read() async throws(SpeechInputError) -> [UInt8]? { nil }

    func stop() async {
        _ = try? await speech.call(.stop) { [base] () throws(SpeechInputError) in
            await base.value?.stop()
            return nil
        }
    }
}

private struct OutsideRecognition: SpeechRecognition {
    let base: OutsideValue<any SpeechRecognition>
    let speech: RecordedSpeech

    func next() async throws(SpeechInputError) -> Transcript? {
        try await speech.call(.next) { [base] () throws(SpeechInputError) in try await base.value?.next() }
    }

    func finish() async {
        _ = try? await speech.call(.finish) { [base] () throws(SpeechInputError) in
            await base.value?.finish()
            return nil
        }
    }
}
