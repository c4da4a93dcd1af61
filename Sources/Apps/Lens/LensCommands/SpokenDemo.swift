import EspeakSpeech
import LensScenarios
import PocketsphinxSpeech
import Services
import SystemPrograms

/// The voice and the recognizer of `lenssim demo --speak`: espeak-ng speaks the replies and the user's question, and pocketsphinx
/// understands the question.
struct SpokenDemo {
    /// What the user asks: common words, most of which pocketsphinx understands.
    static let question = "What do you see in this picture?"
    /// The file with it.
    static let questionFile = "asked.wav"

    let voice: EspeakVoice
    let speech: DemoSpeech
    /// Where the question is.
    let questionPath: String

    /// Makes the user's question.
    ///
    /// - Throws: `ProgramError`, `missing` with all packages that are not there; `EspeakError`.
    static func prepare(in folder: String) async throws -> SpokenDemo {
        let recognizer = PocketsphinxRecognizer()
        try await findPrograms(recognizer)
        let voice = EspeakVoice(folder: folder)
        try voice.prepare()
        // Another voice than the assistant's: of ten that were tried, one of the two that pocketsphinx understands best.
        let user = EspeakVoice(folder: folder, voice: "en-us+klatt2", player: nil)
        let sound = try await user.synthesize(question)
        return SpokenDemo(
            voice: voice,
            speech: DemoSpeech(
                voice: voice,
                recognizer: recognizer,
                microphone: SoundMicrophone(sound)
            ),
            questionPath: try user.keep(sound, as: questionFile)
        )
    }

    /// Fails with everything that has to be installed, in one message.
    private static func findPrograms(_ recognizer: PocketsphinxRecognizer) async throws {
        var names: [String] = []
        var packages: [String] = []
        if EspeakVoice.espeak.path == nil {
            names.append(EspeakVoice.espeak.name)
            packages += EspeakVoice.espeak.packages
        }
        if (try? await recognizer.prepare()) == nil {
            names.append(PocketsphinxRecognizer.pocketsphinx.name)
            packages += PocketsphinxRecognizer.pocketsphinx.packages
        }
        if !names.isEmpty {
            throw SystemProgram(names.joined(separator: " and "), packages: packages).missing
        }
    }
}
