import Conformance
import EspeakSpeech
import PocketsphinxSpeech
import Services
import SimulatedDevice
import SpeechRecognizerConformance
import SpeechSynthesizerConformance
import Synchronization
import SystemPrograms
import TestSupport
import WAV

/// The simulated voice, at the pace of people.
struct SimulatedVoiceHarness: SpeechSynthesizerHarness {
    let capabilities = Set(SpeechSynthesizerCapability.allCases)

    func makeVoice() async throws -> SimulatedSpeechSynthesizer { SimulatedSpeechSynthesizer() }

    func heard(from voice: SimulatedSpeechSynthesizer) async throws -> [HeardUtterance] {
        voice.utterances.filter { $0.end != nil }.map { HeardUtterance($0.text, wasCutOff: $0.wasCutOff) }
    }
}

/// espeak-ng itself, which nothing plays.
struct EspeakHarness: SpeechSynthesizerHarness {
    /// A voice with its folder, which stays as long as the voice.
    final class Voice: SpeechSynthesizer {
        let voice: EspeakVoice
        private let folder: TemporaryFolder

        init() throws {
            folder = try TemporaryFolder()
            voice = EspeakVoice(folder: folder.file("spoken"), player: nil)
        }

        func speak(_ text: String) async { await voice.speak(text) }
        func stop() async { await voice.stop() }
    }

    let capabilities = Set(SpeechSynthesizerCapability.allCases)

    func makeVoice() async throws -> Voice { try Voice() }

    func heard(from voice: Voice) async throws -> [HeardUtterance] {
        try voice.voice.utterances.map { utterance in
            if let failure = utterance.failure { throw failure }
            return HeardUtterance(utterance.text, wasCutOff: utterance.wasCutOff)
        }
    }
}

/// The simulated recognizer, which understands what its script says.
struct SimulatedRecognizerHarness: SpeechRecognizerHarness {
    let capabilities = Set(SpeechRecognizerCapability.allCases)
    private let sentence = "what is this"

    func makeRecognizer(_ scene: SpeechScene) async throws -> SimulatedSpeechRecognizer {
        var script: [SimulatedSpeechRecognizer.Step] = [
            .init(after: .milliseconds(.random(in: 0...400)), .partial("what")),
            .init(after: .milliseconds(.random(in: 0...400)), .partial("what is")),
        ]
        switch scene {
        case .sentence, .noRecognizer: script.append(.init(after: .milliseconds(200), .final(sentence)))
        case .open: break
        case .brokenMicrophone:
            script.append(.init(after: .seconds(1), .failure(SpeechInputError(.microphoneFailed))))
        case .brokenRecognizer:
            script.append(.init(after: .seconds(1), .failure(SpeechInputError(.recognitionFailed))))
        }
        return SimulatedSpeechRecognizer(
            Array(repeating: script, count: 4),
            isAvailable: scene != .noRecognizer
        )
    }

    func record(
        _ scene: SpeechScene,
        for recognizer: SimulatedSpeechRecognizer
    ) async throws -> any AudioRecording { try await recognizer.microphone.record() }

    func isRight(_ text: String) -> Bool { text == sentence }
}

/// An app without speech input.
struct NoSpeechInputHarness: SpeechRecognizerHarness {
    let capabilities: Set<SpeechRecognizerCapability> = [.absence]

    func makeRecognizer(_ scene: SpeechScene) async throws -> NoSpeechInput { NoSpeechInput() }

    func record(_ scene: SpeechScene, for recognizer: NoSpeechInput) async throws -> any AudioRecording {
        SilentRecording()
    }
}

/// pocketsphinx itself, and a sentence of espeak-ng.
struct PocketsphinxHarness: SpeechRecognizerHarness {
    let capabilities = Set(SpeechRecognizerCapability.allCases)
    /// Other programs may have the machine.
    let patience = Duration.seconds(120)
    /// The sentence, and a pause by which its end is known.
    let sound: WAVSound
    private let scripts: Scripts

    init() async throws {
        let scripts = try Scripts()
        let voice = EspeakVoice(folder: scripts.folder.file("spoken"), voice: "en-us+klatt2", player: nil)
        var sound = try await voice.synthesize("What is in front of me?")
        sound.samples += [UInt8](repeating: 0, count: 4 * sound.sampleRate)
        // Words come after a pause, and a sentence follows.
        sound.samples += sound.samples
        (self.sound, self.scripts) = (sound, scripts)
    }

    func makeRecognizer(_ scene: SpeechScene) async throws -> PocketsphinxRecognizer {
        switch scene {
        case .noRecognizer: PocketsphinxRecognizer(program: SystemProgram("no-pocketsphinx", packages: []))
        // The program itself, which ends without its model.
        case .brokenRecognizer:
            PocketsphinxRecognizer(
                program: try scripts.program("exec pocketsphinx_continuous -hmm /nowhere \"$@\""),
                patience: patience
            )
        case .sentence, .open, .brokenMicrophone: PocketsphinxRecognizer(patience: patience)
        }
    }

    func record(
        _ scene: SpeechScene,
        for recognizer: PocketsphinxRecognizer
    ) async throws -> any AudioRecording {
        let recording = try await SoundMicrophone(sound).record()
        return switch scene {
        case .open: OpenRecording(recording, end: .waits)
        case .brokenMicrophone: OpenRecording(recording, end: .fails)
        default: recording
        }
    }

    /// It understands about half of the words.
    func isRight(_ text: String) -> Bool {
        text.split(separator: " ").count { "what is in front of me".split(separator: " ").contains($0) } >= 3
    }
}

/// A recording that does not end with its sound.
private final class OpenRecording: AudioRecording {
    enum End { case waits, fails }

    private let base: any AudioRecording
    private let end: End

    init(_ base: any AudioRecording, end: End) { (self.base, self.end) = (base, end) }

    var sampleRate: Int { base.sampleRate }

    func read() async throws(SpeechInputError) -> [UInt8]? {
        if let sound = try await base.read() { return sound }
        if end == .fails { throw SpeechInputError(.microphoneFailed, detail: "pulled out") }
        do { try await Task.sleep(for: .seconds(3_600)) } catch { throw SpeechInputError(.cancelled) }
        return nil
    }

    func stop() async { await base.stop() }
}
