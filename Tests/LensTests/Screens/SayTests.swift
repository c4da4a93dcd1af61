import Concurrency
import Lens
import LensScreens
import ScreenKit
import Services
import SimulationTesting
import Testing

@MainActor
@Suite("Saying a text at once", .simulated(seeds: 1...3, configuration: .shortWaits))
struct SayTests {
    @Test func `a text is said as it was given, whatever was typed before`() async throws {
        let session = ScriptedSession()
        let fixture = try AppFixture(sessions: [session])
        let screen = ChatScreen(fixture.app)
        screen.appear()
        try await fixture.app.startStreaming()
        await screen.states.reaches { $0.canSend }
        await screen.send(.setInput("something old"))
        await screen.send(.say("What is new? "))
        #expect(session.texts.count { $0 == "What is new?" } == 1)
        #expect(!session.texts.contains("something old"))
        #expect(screen.state.inputText == "" && screen.state.alert == nil)
        await fixture.app.shutdown()
    }

    @Test
    func
        `what is said is kept before it is sent, silences the voice, and is taken back when it cannot be sent`()
        async throws
    {
        let session = ScriptedSession()
        let synthesizer = GatedSynthesizer()
        let fixture = try AppFixture(sessions: [session]) { $0.synthesizer = synthesizer }
        try await fixture.app.startStreaming()
        session.say(.text("One. Two. Three. "), .turnComplete)
        await synthesizer.log.reaches { $0.contains("+One.") }
        let saying = Task { try await fixture.app.say("What is new?") }
        await synthesizer.log.reaches { $0.contains("stop") }
        synthesizer.gate.set(true)
        try await saying.value
        let texts = { fixture.app.conversation.content.value.messages.map(\.content) }
        #expect(texts() == [.text("One. Two. Three. "), .text("What is new?")])
        #expect(!synthesizer.log.value.contains("+Two."))
        session.failsSends.set(true)
        await #expect(throws: LiveModelError.self) { try await fixture.app.say("And now?") }
        #expect(texts() == [.text("One. Two. Three. "), .text("What is new?")])
        await fixture.app.shutdown()
    }

    @Test func `a question that the assistant refuses is an alert, also a second time`() async throws {
        let session = ScriptedSession()
        let fixture = try AppFixture(sessions: [session])
        let screen = ChatScreen(fixture.app)
        screen.appear()
        try await fixture.app.startStreaming()
        for _ in 0..<2 {
            await screen.send(.say("Who is this?"))
            #expect(screen.state.alert == nil)
            session.say(.turnReason(.prohibitedInput), .turnComplete)
            await screen.states.reaches { $0.alert?.title == "The assistant did not answer" }
            #expect(screen.state.alert?.offersRetry == false)
            await screen.send(.dismissAlert)
            #expect(screen.state.alert == nil)
        }
        await fixture.app.shutdown()
    }

    @Test func `a text that could not be said stands as typed, and is said when it is tried again`()
        async throws
    {
        let session = ScriptedSession()
        let gate = CurrentValue(false)
        let model = ScriptedModel([.waits(gate, session)])
        let fixture = try AppFixture(model: model)
        let screen = ChatScreen(fixture.app)
        screen.appear()
        // A session that is being opened does not hear yet.
        let starting = Task { try await fixture.app.startStreaming() }
        await fixture.app.stream.state.reaches { $0.phase == .connecting }
        let long = String(repeating: "a", count: ChatScreen.inputLimit + 1)
        await screen.send(.say(long))
        #expect(screen.state.inputText.count == ChatScreen.inputLimit)
        await screen.send(.say("Is it there? "))
        #expect(screen.state.inputText == "Is it there? ")
        #expect(screen.state.alert?.offersRetry == true && screen.state.messages.isEmpty)
        gate.set(true)
        try await starting.value
        await screen.states.reaches { $0.canSend }
        await screen.send(.retry)
        #expect(session.texts.count { $0 == "Is it there?" } == 1)
        #expect(screen.state.inputText == "" && screen.state.alert == nil)
        await fixture.app.shutdown()
    }
}
