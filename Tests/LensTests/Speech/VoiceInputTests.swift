import AppKernel
import Concurrency
import Lens
import Services
import SimulatedDevice
import SimulationTesting
import TestSupport
import Testing

@Suite("Voice input", .simulated(seeds: 1...50))
struct VoiceInputTests {
    /// Whether a time is the expected one, but for tasks that have to wait for their turn.
    private static func lasts(_ time: Duration, _ milliseconds: Int) -> Bool {
        (.milliseconds(milliseconds)...Duration.milliseconds(milliseconds + 200)).contains(time)
    }

    /// A user who speaks by a script, and the app's voice in the same room.
    private struct Room {
        let synthesizer = SimulatedSpeechSynthesizer()
        let recognizer: SimulatedSpeechRecognizer
        let voice: VoiceEngine
        let input: VoiceInput
        let states = Box<[VoiceInput.State]>([])

        init(
            _ scripts: [SimulatedSpeechRecognizer.Step]...,
            isAvailable: Bool = true,
            permission: PermissionStatus = .granted
        ) {
            recognizer = SimulatedSpeechRecognizer(scripts, isAvailable: isAvailable, hears: synthesizer)
            voice = VoiceEngine(synthesizer)
            input = VoiceInput(
                recognizer: recognizer,
                microphone: recognizer.microphone,
                permissions: Permissions(
                    SimulatedPermissions(.init(answers: [.microphone: permission]))
                ),
                voice: voice
            )
        }

        /// Listens, and returns what was said and how long it took.
        func listen() async throws(SpeechInputError) -> (text: String, time: Duration) {
            let start = ContinuousClock.now
            let watch = Task { [states, input] in
                for await state in input.state.values() {
                    states.append(state)
                    if !state.isListening, states.value.contains(where: \.isListening) { return }
                }
            }
            defer { watch.cancel() }
            while states.value.isEmpty { await Task.yield() }
            let text = try await input.listen()
            let time = start.duration(to: .now)
            await watch.value
            return (text, time)
        }
    }

    @Test(
        "listening makes the recognizer ready, opens the microphone, and recognizes, in this order"
    )
    func order() async throws {
        let room = Room([.init(after: .seconds(1), .final("hello"))])
        let heard = try await room.listen()
        #expect(heard.text == "hello")
        #expect(room.recognizer.calls == [.prepare, .record, .recognize, .stop])
    }

    @Test(
        "LENS-191 transcripts replace each other in order while it listens, the final one last; then it is idle"
    )
    func transcripts() async throws {
        let room = Room([
            .init(after: .seconds(1), .partial("what")), .init(after: .seconds(1), .partial("what is")),
            .init(after: .seconds(1), .final("What is this?")),
        ])
        #expect(!room.input.state.value.isListening)
        async let listening = room.listen()
        await room.input.state.reaches { $0.transcript == "what" }
        #expect(room.input.state.value.isListening)
        let heard = try await listening
        #expect(heard.text == "What is this?")
        #expect(room.input.state.value == VoiceInput.State())
        // One that is behind misses none.
        let shown = room.states.value.map(\.transcript).filter { !$0.isEmpty }
        #expect(shown == ["what", "what is", "What is this?"])
        #expect(!room.states.value.contains { !$0.transcript.isEmpty && !$0.isListening })
    }

    @Test("LENS-192 a pause of 1.5 s ends listening, and speech before it begins the pause anew")
    func silence() async throws {
        let room = Room([
            .init(after: .seconds(4), .partial("one")),
            .init(after: .milliseconds(1_200), .partial("one two")),
            .init(after: .milliseconds(1_200), .partial("one two three")),
        ])
        let (text, time) = try await room.listen()
        #expect(text == "one two three")
        #expect(Self.lasts(time, 4_000 + 1_200 + 1_200 + 1_500))
        #expect(room.recognizer.calls.contains(.finish))
    }

    @Test("a transcript that says the same again does not put off the end")
    func repeated() async throws {
        let step = SimulatedSpeechRecognizer.Step(after: .seconds(1), .partial("one"))
        let room = Room([step, step, step, step, step])
        let heard = try await room.listen()
        #expect(Self.lasts(heard.time, 2_500))
    }

    @Test("who says nothing is waited for 5 s")
    func patience() async throws {
        let room = Room([])
        let (text, time) = try await room.listen()
        #expect(text.isEmpty)
        #expect(Self.lasts(time, 5_000))
    }

    @Test("LENS-193 a second tap ends listening at once with the text so far")
    func tap() async throws {
        let room = Room([
            .init(after: .seconds(1), .partial("one")), .init(after: .seconds(1), .partial("one two")),
        ])
        async let listening = room.listen()
        await room.input.state.reaches { $0.transcript == "one" }
        await room.input.finish()
        let (text, time) = try await listening
        #expect(text == "one")
        #expect(Self.lasts(time, 1_000))
        await room.input.finish()
        #expect(room.recognizer.calls.last == .stop)
    }

    @Test("a recognizer that never gives its last words is not waited for longer than 2 s")
    func lateEnd() async throws {
        let synthesizer = SimulatedSpeechSynthesizer()
        let input = VoiceInput(
            recognizer: DeafRecognizer(),
            microphone: SimulatedSpeechRecognizer().microphone,
            permissions: Permissions(UnrestrictedPermissions()),
            voice: VoiceEngine(synthesizer)
        )
        let start = ContinuousClock.now
        let text = try await input.listen()
        #expect(text == "one")
        #expect(Self.lasts(start.duration(to: .now), 1_500 + 2_000))
    }

    @Test(
        "a recognizer that is not there or fails ends listening with its error",
        arguments: [SpeechInputError.Code.unavailable, .recognitionFailed]
    )
    func failures(code: SpeechInputError.Code) async throws {
        let room = Room(
            [.init(after: .seconds(1), .failure(SpeechInputError(.recognitionFailed, detail: "noise")))],
            isAvailable: code != .unavailable
        )
        let error = await #expect(throws: SpeechInputError.self) { try await room.listen() }
        #expect(error?.code == code)
        #expect(!room.input.state.value.isListening)
        #expect(code == .recognitionFailed || !room.recognizer.calls.contains(.record))
        #expect(room.recognizer.calls.contains(.stop) == room.recognizer.calls.contains(.record))
    }

    @Test("LENS-013 where the microphone is denied, listening fails with a permission error and never begins")
    func denied() async throws {
        let room = Room([.init(after: .seconds(1), .final("hello"))], permission: .denied)
        await room.voice.speak(["A sentence that goes on."])
        let watch = Task { [states = room.states, input = room.input] in
            for await state in input.state.values() { states.append(state) }
        }
        await #expect(throws: SpeechInputError(.permissionDenied)) { try await room.input.listen() }
        // Not busy with the one before.
        await #expect(throws: SpeechInputError(.permissionDenied)) { try await room.input.listen() }
        await room.voice.isSpeaking.reaches { !$0 }
        watch.cancel()
        #expect(!room.states.value.contains { $0.isListening })
        #expect(room.recognizer.calls.isEmpty)
        #expect(room.synthesizer.utterances.first?.wasCutOff == false)
    }

    @Test(
        "LENS-196 speech stops before the microphone opens, nothing is said while it is open, and what came goes on after only if the user said nothing",
        arguments: ["stop that", " "]
    )
    func whileSpeaking(said: String) async throws {
        let room = Room([.init(after: .seconds(3), .final(said))])
        await room.voice.speak(["A sentence that takes about three seconds to say."])
        await room.voice.speak(["Another one."])
        try await Task.sleep(for: .seconds(1))
        async let listening = room.listen()
        await room.input.state.reaches { $0.isListening }
        try await Task.sleep(for: .seconds(1))
        await room.voice.speak(["What came meanwhile."])
        #expect(!room.voice.isSpeaking.value)
        let heard = try await listening
        let isNothing = said == " "
        #expect(heard.text == (isNothing ? "" : said))
        await room.voice.isSpeaking.reaches { !$0 }
        #expect(
            room.synthesizer.utterances.map(\.text)
                == ["A sentence that takes about three seconds to say."]
                + (isNothing ? ["What came meanwhile."] : [])
        )
        #expect(room.synthesizer.utterances.first?.wasCutOff == true)
    }

    @Test("LENS-197 the simulated recognizer gives partial, final and failed transcripts by its script")
    func scripted() async throws {
        let error = SpeechInputError(.recognitionFailed, detail: "noise")
        let recognizer = SimulatedSpeechRecognizer([
            [.init(after: .seconds(1), .partial("a")), .init(after: .seconds(2), .final("a b"))],
            [.init(after: .seconds(1), .failure(error))],
        ])
        let recording = try await recognizer.microphone.record()
        let start = ContinuousClock.now
        let first = try await recognizer.recognize(recording)
        #expect(try await first.next() == Transcript("a"))
        #expect(Self.lasts(start.duration(to: .now), 1_000))
        #expect(try await first.next() == Transcript("a b", isFinal: true))
        #expect(Self.lasts(start.duration(to: .now), 3_000))
        #expect(try await first.next() == nil)
        let second = try await recognizer.recognize(recording)
        await #expect(throws: error) { try await second.next() }
        let absent = SimulatedSpeechRecognizer(isAvailable: false)
        let missing = await #expect(throws: SpeechInputError.self) { try await absent.prepare() }
        #expect(missing?.code == .unavailable)
    }

    @Test("two do not listen at the same time, and a cancelled one leaves microphone and voice free")
    func twice() async throws {
        let room = Room([], [.init(after: .seconds(1), .final("second"))])
        let first = Task { try await room.input.listen() }
        await room.input.state.reaches { $0.isListening }
        await #expect(throws: SpeechInputError(.busy)) { try await room.input.listen() }
        try await Task.sleep(for: .seconds(1))
        first.cancel()
        await #expect(throws: SpeechInputError(.cancelled)) { try await first.value }
        #expect(room.recognizer.calls.last == .stop)
        let heard = try await room.input.listen()
        #expect(heard == "second")
        await room.voice.speak(["Heard."])
        await room.voice.isSpeaking.reaches { !$0 }
        #expect(room.synthesizer.utterances.map(\.text) == ["Heard."])
    }
}

/// Understands one word, and never ends.
private struct DeafRecognizer: SpeechRecognizer, SpeechRecognition {
    private let isFirst = Box(true)

    func prepare() async throws(SpeechInputError) {}

    func recognize(
        _ recording: any AudioRecording
    ) async throws(SpeechInputError) -> any SpeechRecognition { self }

    func next() async throws(SpeechInputError) -> Transcript? {
        if isFirst.value {
            isFirst.set(false)
            return Transcript("one")
        }
        do { try await Task.sleep(for: .seconds(3_600)) } catch { throw SpeechInputError(.cancelled) }
        return nil
    }

    func finish() async { try? await Task.sleep(for: .seconds(3_600)) }
}
