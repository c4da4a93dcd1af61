import GRDB
import Services
import SessionRecording
import SimulatedDevice
import Simulation
import TestSupport
import Testing

@Suite("Replaying speech", .timeLimit(.minutes(2)))
struct LiveReplaySpeechTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// What a recorded user hears and says, as text.
    private static func talk(
        _ speech: any SpeechSynthesizer & SpeechRecognizer & Microphone,
        saying text: String
    ) async -> [String] {
        var told: [String] = []
        let start = ContinuousClock.now
        func note(_ words: String) { told.append("\(ContinuousClock.now - start) \(words)") }
        await speech.speak(text)
        note("spoken")
        let cutOff = Task { await speech.speak("This is never said to its end.") }
        try? await Task.sleep(for: .milliseconds(300))
        await speech.stop()
        await cutOff.value
        note("stopped")
        for _ in 0..<2 {
            do {
                try await speech.prepare()
                let recording = try await speech.record()
                let recognition = try await speech.recognize(recording)
                while let transcript = try await recognition.next() {
                    note("\(transcript.text) \(transcript.isFinal)")
                    await recognition.finish()
                }
                await recording.stop()
            } catch { note("\(error)") }
        }
        return told
    }

    /// A voice and a recognizer as devices have them.
    private final class Device: SpeechSynthesizer, SpeechRecognizer, Microphone {
        private let voice = SimulatedSpeechSynthesizer()
        private let recognizer = SimulatedSpeechRecognizer([
            [.init(after: .milliseconds(70), .partial("what")), .init(after: .seconds(1), .final("no"))],
            [.init(after: .milliseconds(9), .failure(SpeechInputError(.microphoneFailed, detail: "cut")))],
        ])

        func speak(_ text: String) async { await voice.speak(text) }
        func stop() async { await voice.stop() }
        func prepare() async throws(SpeechInputError) { try await recognizer.prepare() }
        func record() async throws(SpeechInputError) -> any AudioRecording {
            try await recognizer.microphone.record()
        }
        func recognize(
            _ recording: any AudioRecording
        ) async throws(SpeechInputError) -> any SpeechRecognition {
            try await recognizer.recognize(recording)
        }
    }

    /// Records a talk in a simulation of real pace, the only one that calls leave.
    private func record() async throws -> (path: String, told: [String]) {
        let path = folder.file("speech")
        let writer = try SessionWriter(path: path, manifest: .sample, secrets: [Secret("never-kept-secret")])
        var configuration = Simulation.Configuration()
        configuration.pace = .real
        configuration.schedule = .firstInFirstOut
        let (told, _) = try await Simulation(seed: 1, configuration: configuration).runOnOwnThread {
            let device = Device()
            let speech = RecordedSpeech(
                DeviceCallRecorder(.speech, writer: writer, clock: SessionClock()),
                voice: device,
                recognizer: device,
                microphone: device
            )
            return await Self.talk(speech, saying: "Hello, never-kept-secret")
        }
        let outcome = SessionOutcome(steps: 0, nanoseconds: 0, hash: 0, failure: nil)
        try writer.finish(outcome)
        return (path, told)
    }

    private func replay(
        _ path: String,
        saying text: String = "Hello, \(SecretMask.word)"
    ) throws -> (told: [String], comparison: Comparison) {
        var configuration = Simulation.Configuration()
        configuration.schedule = .firstInFirstOut
        let comparison = Comparison()
        let told = try Simulation(seed: 1, configuration: configuration).run {
            let session = try SessionReader(path: path)
            let device = try DeviceReplay(session, clock: SessionClock(), comparison: comparison)
            let told = await Self.talk(RecordedSpeech(try device.calls(.speech)), saying: text)
            device.finish()
            return told
        }
        return (told, comparison)
    }

    @Test func `every call returns when it did, with what it did, and what is said is compared`() async throws
    {
        let (path, told) = try await record()
        #expect(told.count == 5 && told[3].hasSuffix("what true") && told[4].contains("cut"), "\(told)")
        let (again, comparison) = try replay(path)
        #expect(again.map(words) == told.map(words))
        for (first, second) in zip(told, again) {
            let (recorded, replayed) = (try seconds(first), try seconds(second))
            #expect(abs(recorded - replayed) < 0.05, "\(first), \(second)")
        }
        #expect(comparison.firstDifference == nil)
        #expect(comparison.compared == 16)
    }

    private func words(_ line: String) -> String {
        String(line.split(separator: " ").dropFirst(2).joined(separator: " "))
    }

    private func seconds(_ line: String) throws -> Double { try #require(Double(line.prefix { $0 != " " })) }

    @Test func `calls that only one of the two has made are a difference`() async throws {
        let (path, _) = try await record()
        func change(_ sql: String) throws {
            let queue = try DatabaseQueue(path: path)
            try queue.write { try $0.execute(sql: sql) }
            try queue.close()
        }
        try change(
            "INSERT INTO event SELECT id + 100, step + 1, nanoseconds, node, kind, detail FROM event WHERE step = 15"
        )
        let missing = try replay(path).comparison.firstDifference
        #expect(missing?.place == "call 16 of voice and recognizer")
        #expect(missing?.replayed == "nothing more")
        try change("DELETE FROM event WHERE step >= 15")
        let more = try replay(path).comparison.firstDifference
        #expect(more?.place == "call 15 of voice and recognizer")
        #expect(more?.recorded == "nothing more")
        // A file from elsewhere may hold anything.
        for detail in ["", "{}", #"{"name":"sing","argument":""}"#] {
            try change("UPDATE event SET detail = '\(detail)' WHERE step = 3")
            #expect(throws: SessionError.self) { try replay(path) }
        }
    }

    @Test func `other words are a difference`() async throws {
        let (path, _) = try await record()
        let difference = try replay(path, saying: "Good evening").comparison.firstDifference
        #expect(difference?.place == "call 0 of voice and recognizer")
        #expect(difference?.recorded == "speak “Hello, \(SecretMask.word)”")
        #expect(difference?.replayed == "speak “Good evening”")
    }
}
