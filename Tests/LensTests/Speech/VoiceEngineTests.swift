import Concurrency
import Lens
import Services
import SimulatedDevice
import Simulation
import SimulationTesting
import Testing

@Suite("Voice engine", .timeLimit(.minutes(10)))
struct VoiceEngineTests {
    @Test("LENS-198 sentences are spoken in order without overlap, and the state follows")
    func order() async {
        let synthesizer = SimulatedSpeechSynthesizer(charactersPerSecond: 10_000)
        let voice = VoiceEngine(synthesizer)
        #expect(!voice.isSpeaking.value)
        await voice.speak(["One.", "Two.", "Three."])
        #expect(voice.isSpeaking.value)
        await voice.isSpeaking.reaches { !$0 }
        #expect(synthesizer.utterances.map(\.text) == ["One.", "Two.", "Three."])
        #expect(synthesizer.overlaps == 0)
    }

    @Test("LENS-200 stopping cuts off, forgets what waits, and clears the state")
    func stop() async {
        let synthesizer = SimulatedSpeechSynthesizer(charactersPerSecond: 0.000_1)
        let voice = VoiceEngine(synthesizer)
        await voice.speak(["Endless."])
        await voice.speak(["Never."])
        await voice.stop()
        #expect(!voice.isSpeaking.value)
        await voice.stop()
        #expect(!synthesizer.utterances.map(\.text).contains("Never."))
        // What waited does not come back with what is said next.
        await voice.speak(["Later."])
        while !synthesizer.utterances.contains(where: { $0.text != "Endless." }) { await Task.yield() }
        #expect(synthesizer.utterances.last?.text == "Later.")
        await voice.stop()
    }

    @Test("what is said after a stop is spoken in full, however the stop is still under way")
    func afterStop() async {
        let synthesizer = GatedSynthesizer()
        let voice = VoiceEngine(synthesizer)
        await voice.speak(["Old."])
        await synthesizer.log.reaches { $0 == ["+Old."] }
        async let stopped: Void = voice.stop()
        await synthesizer.log.reaches { $0.contains("stop") }
        await voice.speak(["New."])
        synthesizer.gate.set(true)
        await stopped
        await voice.isSpeaking.reaches { !$0 }
        #expect(synthesizer.log.value == ["+Old.", "stop", "-Old.", "+New.", "-New."])
    }

    @Test(
        "LENS-201 the simulated voice keeps each utterance with its start and end, as long as its text takes",
        .simulated(seeds: 1...3, stalls: .none)
    )
    func simulated() async throws {
        let synthesizer = SimulatedSpeechSynthesizer(charactersPerSecond: 1_000)
        #expect(synthesizer.duration(of: "0123456789") == .milliseconds(10))
        await synthesizer.speak("0123456789")
        await synthesizer.speak("01234")
        let utterances = synthesizer.utterances
        #expect(utterances.map(\.text) == ["0123456789", "01234"])
        let ends = try utterances.map { try #require($0.end) }
        #expect(ends[0] - utterances[0].start == .milliseconds(10))
        #expect(ends[1] - utterances[1].start == .milliseconds(5))
        #expect(utterances[1].start == ends[0])
        #expect(!utterances.contains { $0.wasCutOff })
    }

    @Test("the queue is bounded, and what is left out is counted")
    func bounded() async {
        let voice = VoiceEngine(GatedSynthesizer())
        for number in 0..<(VoiceEngine.queueLimit + 10) { await voice.speak(["\(number)"]) }
        let leftOut = await voice.leftOut
        #expect(leftOut == 9 || leftOut == 10)
        await voice.clearQueue()
    }
}

@Suite("Spoken replies", .timeLimit(.minutes(10)))
struct SpokenRepliesTests {
    private let synthesizer = SimulatedSpeechSynthesizer(charactersPerSecond: 100_000)
    private let voice: VoiceEngine

    init() { voice = VoiceEngine(synthesizer) }

    private var spoken: [String] { synthesizer.utterances.map(\.text) }

    @Test("LENS-116 LENS-119 sentences are spoken while the reply grows, and its rest at the end")
    func whileGrowing() async {
        let replies = SpokenReplies(voice) { true }
        await replies.replyBegan()
        await replies.replyGrew(by: "A do")
        await replies.replyGrew(by: "or. And a win")
        await voice.isSpeaking.reaches { !$0 }
        #expect(spoken == ["A door."])
        await replies.replyGrew(by: "dow")
        await replies.replyEnded(FinishedReply(text: "A door. And a window", ending: .complete))
        await voice.isSpeaking.reaches { !$0 }
        #expect(spoken == ["A door.", "And a window"])
    }

    @Test func `while speech is off nothing is spoken`() async {
        let flag = CurrentValue(false)
        let replies = SpokenReplies(voice) { flag.value }
        await replies.replyBegan()
        await replies.replyGrew(by: "Silent. ")
        flag.set(true)
        await replies.replyGrew(by: "Loud. ")
        await voice.isSpeaking.reaches { !$0 }
        #expect(spoken == ["Loud."])
    }

    @Test(
        "the torn-off end of a lost reply is not spoken",
        arguments: [FinishedReply.Ending.cutOff, .interrupted, .refused, .tooLong]
    )
    func tornOff(ending: FinishedReply.Ending) async {
        let replies = SpokenReplies(voice) { true }
        await replies.replyBegan()
        await replies.replyGrew(by: "Whole. Half a")
        await replies.replyEnded(FinishedReply(text: "Whole. Half a", ending: ending))
        await voice.isSpeaking.reaches { !$0 }
        #expect(spoken == ["Whole."])
    }

    @Test func `a user who speaks silences the reply at once, and hears nothing more of it`() async {
        let synthesizer = SimulatedSpeechSynthesizer(charactersPerSecond: 1)
        let voice = VoiceEngine(synthesizer)
        let replies = SpokenReplies(voice) { true }
        await replies.replyBegan()
        await replies.replyGrew(by: "A sentence of many characters. Another one. ")
        await voice.isSpeaking.reaches { $0 }
        await replies.userBegan()
        #expect(!voice.isSpeaking.value)
        await replies.replyGrew(by: "What came on the way. ")
        await replies.replyEnded(FinishedReply(text: "", ending: .complete))
        #expect(!voice.isSpeaking.value)
        #expect(synthesizer.utterances.map(\.text).filter { $0 != "A sentence of many characters." } == [])
        await replies.replyBegan()
        await replies.replyGrew(by: "New. ")
        #expect(voice.isSpeaking.value)
        await voice.stop()
    }

    @Test(
        "LENS-121 a new response and the stop of the stream clear what the old response had still to say"
    )
    func clearedByTheApp() async throws {
        let (synthesizer, session) = (GatedSynthesizer(), ScriptedSession())
        let fixture = try AppFixture(sessions: [session]) { $0.synthesizer = synthesizer }
        _ = await fixture.app.launch()
        try await fixture.app.startStreaming()
        session.say(.text("One. Two. Three. "))
        await synthesizer.log.reaches { $0 == ["+One."] }
        session.say(.turnComplete, .text("Four. Five. "))
        await fixture.app.stream.latestResponse.reaches { $0 == "Four. Five. " }
        synthesizer.gate.set(true)
        await synthesizer.log.reaches { $0.last == "-Five." }
        #expect(synthesizer.log.value == ["+One.", "-One.", "+Four.", "-Four.", "+Five.", "-Five."])

        synthesizer.gate.set(false)
        session.say(.text("Six. Seven. "))
        await synthesizer.log.reaches { $0.last == "+Six." }
        async let stopped: Void = fixture.app.stopStreaming()
        await synthesizer.log.reaches { $0.last == "stop" }
        synthesizer.gate.set(true)
        await stopped
        await fixture.app.voice.isSpeaking.reaches { !$0 }
        #expect(!synthesizer.log.value.contains("+Seven."))
        await fixture.app.shutdown()
    }

    @Test("a new reply and the end of the stream clear what the old one had still to say")
    func cleared() async {
        let synthesizer = GatedSynthesizer()
        let voice = VoiceEngine(synthesizer)
        let replies = SpokenReplies(voice) { true }
        await replies.replyBegan()
        await replies.replyGrew(by: "One. Two. Three. ")
        await synthesizer.log.reaches { $0 == ["+One."] }
        await replies.replyBegan()
        await replies.replyGrew(by: "Four. Five. ")
        synthesizer.gate.set(true)
        await voice.isSpeaking.reaches { !$0 }
        #expect(synthesizer.log.value == ["+One.", "-One.", "+Four.", "-Four.", "+Five.", "-Five."])

        synthesizer.gate.set(false)
        await replies.replyGrew(by: "Six. Seven. ")
        await synthesizer.log.reaches { $0.last == "+Six." }
        async let ended: Void = replies.streamEnded()
        await synthesizer.log.reaches { $0.last == "stop" }
        synthesizer.gate.set(true)
        await ended
        #expect(!synthesizer.log.value.contains("+Seven."))
        #expect(!voice.isSpeaking.value)
    }
}
