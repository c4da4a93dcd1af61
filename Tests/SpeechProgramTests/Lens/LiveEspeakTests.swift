import EspeakSpeech
import Foundation
import Lens
import Services
import SystemPrograms
import TestSupport
import Testing
import WAV

/// What is spoken by programs of the tests, in the place of espeak-ng.
@Suite("A voice that is a program", .timeLimit(.minutes(2)))
struct LiveEspeakTests {
    private let scripts: Scripts

    init() throws { scripts = try Scripts() }

    private func voice(
        _ lines: String,
        player: SystemProgram? = nil,
        patience: Duration? = nil
    ) throws -> EspeakVoice {
        EspeakVoice(
            folder: scripts.folder.file("spoken"),
            program: try scripts.program(lines),
            player: player,
            patience: patience
        )
    }

    /// A program that keeps its text and its options, and whose sound lasts `seconds`.
    private func faithful(seconds: Double) throws -> String {
        let sound = WAVSound(
            sampleRate: 8_000,
            samples: [UInt8](repeating: 0, count: 2 * Int(8_000 * seconds))
        )
        try scripts.folder.write(sound.file, to: "sound.wav")
        return """
            printf '%s\\n' "$@" > '\(scripts.folder.file("options"))'
            cat > '\(scripts.folder.file("text"))'
            cat '\(scripts.folder.file("sound.wav"))'
            """
    }

    @Test(arguments: [
        #"He said: "It's 5 o'clock; rm -rf $HOME `id`""#, "--version", "-w /tmp/x\n-f /etc/passwd", "👋🏽 hello",
        #"<speak>one <break time="20s"/> & two</speak>"#, "line one\nline two\n\nline four",
    ])
    func `text reaches the voice as it is, and is never an option`(text: String) async throws {
        let voice = try voice(faithful(seconds: 0.1))
        await voice.speak(text)
        let utterance = try #require(voice.utterances.first)
        #expect(utterance.failure == nil && utterance.text == text)
        #expect(utterance.duration == .milliseconds(100))
        let file = try Data(contentsOf: URL(filePath: try #require(utterance.file)))
        #expect(try WAVSound(file: Array(file)).duration == .milliseconds(100))
        #expect(try String(contentsOfFile: scripts.folder.file("text"), encoding: .utf8) == text)
        let options = try String(contentsOfFile: scripts.folder.file("options"), encoding: .utf8)
        #expect(options == "-v\nen-us\n-s\n170\n-b\n1\n--stdin\n--stdout\n")
    }

    @Test func `where there is nothing to say, nothing is said`() async throws {
        let voice = try voice("exit 1", player: scripts.program("exit 1"))
        for text in ["", " \n\t", "\0\u{1}"] { await voice.speak(text) }
        for utterance in voice.utterances {
            #expect(utterance.failure == nil && utterance.file == nil && utterance.duration == .zero)
        }
        #expect(voice.utterances.count == 3)
    }

    @Test func `what would be a command to the voice is taken apart`() {
        #expect(EspeakVoice.spoken("a[[h@l'oU]]") == "a[ [h@l'oU]]")
        #expect(EspeakVoice.spoken("[[[[") == "[ [ [ [")
        #expect(EspeakVoice.spoken("a\u{1}50Sb\0c\td\re\u{7f}f\u{85}g") == "a 50Sb c d e f g")
        #expect(EspeakVoice.spoken("one\ntwo [x] ü 漢字 👋") == "one\ntwo [x] ü 漢字 👋")
    }

    @Test(arguments: [
        ("exit 1", ProgramError.Code.failed(status: 1)), ("kill -9 $$", .killed(signal: 9)),
        ("head -c 5000 /dev/urandom", .unusableOutput), ("true", .unusableOutput),
        ("cat /dev/zero", .tooMuchOutput),
        ("exec sleep 1000", .tooSlow),
    ])
    func `a program that does not make sound is an error of the utterance, and does not block the caller`(
        lines: String,
        code: ProgramError.Code
    ) async throws {
        // Only one that would never end runs into the limit.
        let voice = try voice(lines, patience: code == .tooSlow ? .milliseconds(300) : nil)
        await voice.speak("hello")
        let utterance = try #require(voice.utterances.first)
        guard case .program(let error)? = utterance.failure else {
            Issue.record("\(utterance)")
            return
        }
        #expect(error.code == code)
        #expect(utterance.file == nil && !utterance.wasCutOff)
    }

    @Test func `too much text and a folder that cannot be made are errors`() async throws {
        let voice = try voice(faithful(seconds: 0.1))
        await voice.speak(String(repeating: "a", count: EspeakVoice.textLimit + 1))
        #expect(voice.utterances[0].failure?.description.contains("10001 characters") == true)
        try scripts.folder.write([1], to: "spoken")
        await voice.speak("hello")
        let failure = voice.utterances[1].failure
        #expect(failure?.description.contains(scripts.folder.file("spoken")) == true)
        #expect(throws: EspeakError.self) { try voice.prepare() }
        let missing = EspeakVoice(
            folder: scripts.folder.file("other"),
            program: SystemProgram("no-espeak", packages: EspeakVoice.espeak.packages)
        )
        let error = #expect(throws: EspeakError.self) { try missing.prepare() }
        #expect(error?.description == "there is no no-espeak on this machine: apt-get install espeak-ng")
    }

    @Test func `sound is played, and without a player it takes its time`() async throws {
        let played = try voice(
            faithful(seconds: 0.2),
            player: scripts.program("[ \"$1\" = -q ] && cp \"$2\" '\(scripts.folder.file("played"))'")
        )
        await played.speak("hello")
        #expect(played.utterances.map(\.wasPlayed) == [true])
        let file = try #require(played.utterances[0].file)
        #expect(FileManager.default.contentsEqual(atPath: file, andPath: scripts.folder.file("played")))

        for player in [nil, try scripts.program("echo 'no device' >&2; exit 1")] {
            let silent = try voice(faithful(seconds: 0.2), player: player)
            let start = ContinuousClock.now
            await silent.speak("hello")
            #expect(ContinuousClock.now - start >= .milliseconds(200))
            #expect(silent.utterances.map(\.wasPlayed) == [false])
            #expect(
                (silent.utterances[0].failure?.description.contains("no device") == true) == (player != nil)
            )
        }
    }

    @Test(arguments: [true, false])
    func `a user who interrupts ends the program that speaks, and what waits is not said`(
        whilePlaying: Bool
    ) async throws {
        let endless = "echo $$ > '\(scripts.folder.file("self"))'; exec sleep 1000"
        let voice =
            whilePlaying
            ? try voice(faithful(seconds: 500), player: scripts.program(endless)) : try voice(endless)
        let engine = VoiceEngine(voice)
        await engine.speak(["The first of two sentences."])
        await engine.speak(["The second of two sentences."])
        let number = try await scripts.line(of: "self")
        #expect(isAlive(number))
        await engine.stop()
        #expect(!isAlive(number))
        #expect(voice.utterances.map(\.wasCutOff) == [true])
        #expect(voice.utterances.map(\.failure) == [nil])
    }
}
