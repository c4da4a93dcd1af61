import Conformance
import PageKit
import Services
import SimulationTesting
import SpeechRecognizerConformance
import SpeechSynthesizerConformance
import Testing

/// The voice of a page in a browser.
private struct BrowserVoiceHarness: SpeechSynthesizerHarness {
    /// A voice with its browser.
    struct Voice: SpeechSynthesizer {
        let browser: ScriptedBrowser

        func speak(_ text: String) async { await browser.world.speech.speak(text) }
        func stop() async { await browser.world.speech.stop() }
    }

    let capabilities = Set(SpeechSynthesizerCapability.allCases)

    func makeVoice() async throws -> Voice {
        Voice(browser: try await ScriptedBrowser(PageWorld.start(), hearing: nil))
    }

    func heard(from voice: Voice) async throws -> [HeardUtterance] { try await voice.browser.utterances() }
    func takeDown(_ voice: Voice) async { voice.browser.close() }
}

/// The recognizer of a page in a browser.
private struct BrowserRecognizerHarness: SpeechRecognizerHarness {
    /// A recognizer with its browser.
    struct Recognizer: SpeechRecognizer {
        let browser: ScriptedBrowser

        func prepare() async throws(SpeechInputError) { try await browser.world.hearing.prepare() }

        func recognize(
            _ recording: any AudioRecording
        ) async throws(SpeechInputError) -> any SpeechRecognition {
            try await browser.world.hearing.recognize(recording)
        }
    }

    let capabilities = Set(SpeechRecognizerCapability.allCases)

    func makeRecognizer(_ scene: SpeechScene) async throws -> Recognizer {
        Recognizer(browser: try await ScriptedBrowser(PageWorld.start(), hearing: scene))
    }

    func record(_ scene: SpeechScene, for recognizer: Recognizer) async throws -> any AudioRecording {
        try await recognizer.browser.world.hearing.record()
    }

    func isRight(_ text: String) -> Bool { text == ScriptedBrowser.sentence }
    func takeDown(_ recognizer: Recognizer) async { recognizer.browser.close() }
}

@Suite("Speech conformance of a page", .simulated(seeds: 1...3))
struct BrowserConformanceTests {
    @Test("the voice of a page meets each requirement", arguments: SpeechSynthesizerConformance.cases)
    func voice(_ test: SpeechSynthesizerConformance.Case) async throws {
        #expect(try await test.run(with: BrowserVoiceHarness()) == .passed)
    }

    @Test("the recognizer of a page meets each requirement", arguments: SpeechRecognizerConformance.cases)
    func recognizer(_ test: SpeechRecognizerConformance.Case) async throws {
        #expect(try await test.run(with: BrowserRecognizerHarness()) == .passed)
    }
}
