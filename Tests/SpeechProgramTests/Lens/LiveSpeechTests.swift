import AppKernel
import Concurrency
import EspeakSpeech
import Foundation
import Lens
import PocketsphinxSpeech
import Services
import SystemPrograms
import TestSupport
import Testing
import WAV

/// espeak-ng and pocketsphinx themselves, where Debian's packages are installed.
@Suite(
    "Speech by espeak-ng, understood by pocketsphinx",
    .enabled(
        if: EspeakVoice.espeak.path != nil && PocketsphinxRecognizer.pocketsphinx.path != nil,
        "SKIPPED: run ./scripts/setup espeak-ng pocketsphinx pocketsphinx-en-us"
    ),
    .timeLimit(.minutes(3))
)
struct LiveSpeechTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func voice(_ name: String = "en-us+klatt2") -> EspeakVoice {
        EspeakVoice(folder: folder.file("spoken"), voice: name, player: nil)
    }

    private func understood(_ sound: WAVSound) async throws -> [Transcript] {
        let recording = try await SoundMicrophone(sound).record()
        let recognition = try await PocketsphinxRecognizer().recognize(recording)
        var all: [Transcript] = []
        while let next = try await recognition.next() { all.append(next) }
        return all
    }

    /// Different words of a text, in small letters.
    private func words(_ text: String) -> Set<String> {
        Set(text.lowercased().split { !$0.isLetter && $0 != "'" }.map(String.init))
    }

    @Test(arguments: [
        "What do you see in this picture?", "What is in front of me?", "How many people are in the room?",
    ])
    func `at least half of the words of a question are understood`(question: String) async throws {
        let heard = try await understood(voice().synthesize(question))
        let last = try #require(heard.last)
        #expect(last.isFinal && heard.dropLast().allSatisfy { !$0.isFinal })
        let said = words(question)
        #expect(2 * said.intersection(words(last.text)).count >= said.count, "\(last.text)")
    }

    @Test func `silence is understood as nothing`() async throws {
        let silence = WAVSound(sampleRate: 16_000, samples: [UInt8](repeating: 0, count: 64_000))
        #expect(try await understood(silence) == [Transcript("", isFinal: true)])
    }

    @Test func `what comes before a pause is understood before the end`() async throws {
        var sound = try await voice().synthesize("What is in front of me?")
        let second = [UInt8](repeating: 0, count: 2 * sound.sampleRate)
        let part = sound.samples
        sound.samples = part + second + second + part
        let heard = try await understood(sound)
        #expect(heard.count >= 2)
        #expect(heard.last?.text.hasPrefix(heard[0].text) == true)
    }

    @Test func `tags, options and phonemes are spoken as text`() async throws {
        let voice = voice("en-us")
        // Taken for SSML, the pause would last as long as it says.
        let tagged = try await voice.synthesize(#"one <break time="20s"/> two"#)
        #expect(tagged.duration > .seconds(2) && tagged.duration < .seconds(15))
        let option = try await voice.synthesize("--version -w \(folder.file("leaked.wav"))")
        #expect(option.duration > .seconds(1))
        #expect(!FileManager.default.fileExists(atPath: folder.file("leaked.wav")))
        // Names of phonemes would be a word of half a second.
        let phonemes = try await voice.synthesize("[[h@'loU]]")
        #expect(phonemes.duration > .seconds(1))
        // Taken for a command, it would slow down all that follows to 80 words a minute.
        let plain = try await voice.synthesize("hello, this is a sentence")
        let command = try await voice.synthesize("\u{1}80Shello, this is a sentence")
        #expect(command.samples != plain.samples)
        for text in ["", "👋🏽", "…", "日本語", "\"'`\n\n\"", String(repeating: "a ", count: 2_000)] {
            _ = try await voice.synthesize(text)
        }
    }

    @Test func `an interrupted voice leaves no espeak-ng behind`() async throws {
        // Under a name of its own: other tests run the program, too.
        let copy = folder.file("own-espeak")
        try FileManager.default.copyItem(atPath: try EspeakVoice.espeak.found(), toPath: copy)
        let voice = EspeakVoice(folder: folder.file("spoken"), program: .init(copy), player: nil)
        let engine = VoiceEngine(voice)
        await engine.speak([String(repeating: "one two three, ", count: 650)])
        while processes(named: "own-espeak").isEmpty, voice.utterances.isEmpty {
            try await Task.sleep(for: .milliseconds(1))
        }
        await engine.stop()
        #expect(processes(named: "own-espeak").isEmpty)
        #expect(voice.utterances.map(\.wasCutOff) == [true])
        // It can speak again.
        await engine.speak(["hello"])
        for await speaks in engine.isSpeaking.values() where !speaks { break }
        #expect(voice.utterances.last?.file?.hasSuffix("/said-0002.wav") == true)
        #expect(voice.utterances.last?.wasCutOff == false)
    }

    private func processes(named name: String) -> [String] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.filter { Int($0) != nil }.filter { number in
            (try? String(contentsOfFile: "/proc/\(number)/comm", encoding: .utf8)) == name + "\n"
        }
    }
}
