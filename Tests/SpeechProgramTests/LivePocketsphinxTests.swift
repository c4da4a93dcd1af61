import Foundation
import PocketsphinxSpeech
import Services
import Synchronization
import SystemPrograms
import TestSupport
import Testing
import WAV

/// What is understood by programs of the tests, in the place of pocketsphinx.
@Suite("A recognizer that is a program", .timeLimit(.minutes(2)))
struct LivePocketsphinxTests {
    private let scripts: Scripts

    init() throws { scripts = try Scripts() }

    private static let sound = WAVSound(
        sampleRate: 22_050,
        samples: (0..<100_000).map { UInt8(truncatingIfNeeded: $0 / 3) }
    )

    private func recognition(
        _ lines: String,
        of recording: (any AudioRecording)? = nil,
        patience: Duration = .seconds(30)
    ) async throws -> any SpeechRecognition {
        let recognizer = PocketsphinxRecognizer(
            program: try scripts.program(lines),
            model: nil,
            patience: patience
        )
        let heard: any AudioRecording =
            if let recording { recording } else { try await SoundMicrophone(Self.sound).record() }
        return try await recognizer.recognize(heard)
    }

    private func transcripts(_ recognition: any SpeechRecognition) async throws -> [Transcript] {
        var all: [Transcript] = []
        while let next = try await recognition.next() { all.append(next) }
        return all
    }

    @Test func `a program gets all of the sound, its rate, and the pause after it`() async throws {
        let recognition = try await recognition(
            #"printf '%s ' "$@" > '\#(scripts.folder.file("options"))'; cat > '\#(scripts.folder.file("heard"))'"#
        )
        #expect(try await transcripts(recognition) == [Transcript("", isFinal: true)])
        let heard = try Data(contentsOf: URL(filePath: scripts.folder.file("heard")))
        #expect(Array(heard) == Self.sound.samples + [UInt8](repeating: 0, count: 44_100))
        let options = try String(contentsOfFile: scripts.folder.file("options"), encoding: .utf8)
        #expect(options.contains("-infile /dev/stdin -samprate 22050 -nfft 1024 "))
    }

    @Test func `each line is all that was understood by then, and the end is final`() async throws {
        let microphone = OpenMicrophone()
        let recognition = try await recognition(
            "echo what is; read -r go; echo this; cat > /dev/null; printf 'then'",
            of: microphone
        )
        #expect(try await recognition.next() == Transcript("what is"))
        microphone.hear(Array("go\n".utf8))
        #expect(try await recognition.next() == Transcript("what is this"))
        await recognition.finish()
        await recognition.finish()
        #expect(try await recognition.next() == Transcript("what is this then", isFinal: true))
        #expect(try await recognition.next() == nil)
        #expect(try await recognition.next() == nil)
    }

    @Test(arguments: [
        ("cat > /dev/null; echo 'no model' >&2; exit 1", "no model"), ("kill -9 $$", "signal 9"),
        ("head -c 3000 /dev/urandom; cat > /dev/null", "no text"), ("printf 'a\\033[2Jb\\n'", "no text"),
        ("yes", "too much"), ("exec sleep 1000", "too long"),
        ("cat > /dev/null; exec sleep 1000", "too long"),
        ("exec < /dev/null; exec sleep 1000", "too long"),
    ])
    func `a program that does not understand is a typed error in time`(lines: String, words: String)
        async throws
    {
        let recognition = try await recognition(
            lines,
            patience: words == "too long" ? .milliseconds(300) : .seconds(30)
        )
        let error = await #expect(throws: SpeechInputError.self) {
            _ = try await transcripts(recognition)
        }
        #expect(error?.code == .recognitionFailed)
        #expect(error?.detail.contains(words) == true, "\(error?.detail ?? "")")
        #expect(try await recognition.next() == nil)
    }

    @Test func `a program or model that is missing is named, with what to install`() async throws {
        let wanted = "apt-get install pocketsphinx pocketsphinx-en-us"
        let packages = PocketsphinxRecognizer.pocketsphinx.packages
        for recognizer in [
            PocketsphinxRecognizer(program: SystemProgram("no-pocketsphinx", packages: packages), model: nil),
            PocketsphinxRecognizer(program: SystemProgram("/bin/sh", packages: packages), model: "/nowhere"),
        ] {
            let recording = try await SoundMicrophone(Self.sound).record()
            for _ in 0..<2 {
                let error = await #expect(throws: SpeechInputError.self) { try await recognizer.prepare() }
                #expect(error?.code == .unavailable)
                #expect(error?.detail.hasSuffix(wanted) == true)
            }
            let error = await #expect(throws: SpeechInputError.self) {
                _ = try await recognizer.recognize(recording)
            }
            #expect(error?.code == .unavailable)
        }
    }

    @Test func `sound without the frequencies of speech is refused`() async throws {
        let slow = WAVSound(sampleRate: 8_000, samples: [0, 0])
        let recording = try await SoundMicrophone(slow).record()
        let error = await #expect(throws: SpeechInputError.self) {
            _ = try await recognition("true", of: recording)
        }
        #expect(error?.code == .recognitionFailed)
        #expect(error?.detail.contains("8000") == true)
    }

    @Test func `a microphone that fails is the error, and the program is gone`() async throws {
        let microphone = OpenMicrophone()
        let recognition = try await recognition(
            "echo $$ > '\(scripts.folder.file("self"))'; exec sleep 1000",
            of: microphone
        )
        let number = try await scripts.line(of: "self")
        microphone.fail(SpeechInputError(.microphoneFailed, detail: "pulled out"))
        let error = await #expect(throws: SpeechInputError.self) { _ = try await recognition.next() }
        #expect(error == SpeechInputError(.microphoneFailed, detail: "pulled out"))
        #expect(!isAlive(number))
    }

    @Test func `a cancelled caller returns promptly, and the program ends`() async throws {
        let recognition = try await recognition(
            "echo $$ > '\(scripts.folder.file("self"))'; exec sleep 1000",
            of: OpenMicrophone()
        )
        let number = try await scripts.line(of: "self")
        let waiting = Task { try await recognition.next() }
        waiting.cancel()
        let error = await #expect(throws: SpeechInputError.self) { _ = try await waiting.value }
        #expect(error?.code == .cancelled)
        while isAlive(number) { try await Task.sleep(for: .milliseconds(5)) }
    }
}

/// A microphone that hears what a test gives it.
private final class OpenMicrophone: AudioRecording {
    let sampleRate = 16_000
    private let sounds: AsyncThrowingStream<[UInt8], any Error>
    private let put: AsyncThrowingStream<[UInt8], any Error>.Continuation

    init() { (sounds, put) = AsyncThrowingStream.makeStream() }

    func hear(_ sound: [UInt8]) { put.yield(sound) }
    func fail(_ error: SpeechInputError) { put.finish(throwing: error) }

    func read() async throws(SpeechInputError) -> [UInt8]? {
        var sounds = sounds.makeAsyncIterator()
        do { return try await sounds.next() } catch {
            throw error as? SpeechInputError ?? SpeechInputError(.microphoneFailed)
        }
    }

    func stop() async { put.finish() }
}
