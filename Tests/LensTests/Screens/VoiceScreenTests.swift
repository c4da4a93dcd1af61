import Concurrency
import Lens
import LensScreens
import ScreenKit
import Services
import SimulatedDevice
import SimulationTesting
import TestSupport
import Testing

@Suite("Speaking to the chat", .simulated(seeds: 1...20))
@MainActor
struct VoiceScreenTests {
    /// An app whose user speaks by scripts, and a chat screen that somebody looks at.
    private struct Phone {
        let recognizer: SimulatedSpeechRecognizer
        let model: ScriptedChatModel
        let fixture: AppFixture
        let screen: ChatScreen
        let states = Box<[ChatScreen.State]>([])
        private let watch: Task<Void, Never>

        @MainActor
        init(
            _ scripts: [SimulatedSpeechRecognizer.Step]...,
            isAvailable: Bool = true,
            permission: PermissionStatus = .granted
        ) async throws {
            let recognizer = SimulatedSpeechRecognizer(scripts, isAvailable: isAvailable)
            let model = ScriptedChatModel(texts: "It is red.", "It is blue.")
            self.recognizer = recognizer
            self.model = model
            fixture = try AppFixture(
                chat: model,
                permissions: SimulatedPermissions.Script(answers: [.microphone: permission])
            ) { ($0.recognizer, $0.microphone) = (recognizer, recognizer.microphone) }
            let screen = ChatScreen(fixture.app)
            self.screen = screen
            screen.appear()
            watch = Task { [states] in
                for await state in screen.states.values(backlog: 1_000) { states.append(state) }
            }
            while states.value.isEmpty { await Task.yield() }
        }

        /// What the model was asked, the newest words of each request.
        var questions: [ChatContent?] { model.requests.map(\.contents.last) }

        func end() async {
            await fixture.app.chat.state.reaches { !$0.isAnswering }
            await fixture.app.shutdown()
            await screen.states.reaches { !$0.canStop && !$0.isLoading }
            while states.value.last != screen.state { await Task.yield() }
            watch.cancel()
        }
    }

    private static let red: [SimulatedSpeechRecognizer.Step] = [
        .init(after: .seconds(1), .partial("what")), .init(after: .seconds(1), .partial("what is")),
        .init(after: .seconds(1), .final("What is red?")),
    ]

    @Test(
        "LENS-189 the voice button makes the recognizer ready, opens the microphone and recognizes, in this order"
    )
    func button() async throws {
        let phone = try await Phone(Self.red)
        #expect(phone.recognizer.calls.isEmpty)
        let listening = Task { await phone.screen.send(.startListening) }
        await phone.screen.states.reaches { $0.transcript == "what" }
        #expect(phone.recognizer.calls == [.prepare, .record, .recognize])
        await listening.value
        #expect(phone.recognizer.calls.last == .stop)
        await phone.end()
    }

    @Test(
        "LENS-190 the screen shows that nobody is listened to, then that the user is, with the words so far, then nobody"
    )
    func states() async throws {
        let phone = try await Phone(Self.red)
        let other = ChatScreen(phone.fixture.app)
        other.appear()
        #expect(!phone.screen.state.isListening && phone.screen.state.transcript.isEmpty)
        let listening = Task { await phone.screen.send(.startListening) }
        await phone.screen.states.reaches { $0.isListening }
        // The microphone is one: every window shows that it is on.
        await other.states.reaches { $0.isListening && $0.transcript == "what is" }
        await listening.value
        #expect(!phone.screen.state.isListening && phone.screen.state.transcript.isEmpty)
        await phone.end()
        let changes = phone.states.value.map(\.isListening)
            .reduce(into: [Bool]()) { if $0.last != $1 { $0.append($1) } }
        #expect(changes == [false, true, false])
        let words = phone.states.value.map(\.transcript).filter { !$0.isEmpty }
            .reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }
        // The last words may be what is said already.
        #expect(
            words.starts(with: ["what", "what is"]) && words.dropFirst(2).allSatisfy { $0 == "What is red?" }
        )
    }

    @Test("LENS-194 what was understood stands as what is typed, then it is sent to the assistant")
    func said() async throws {
        let phone = try await Phone(Self.red)
        await phone.screen.send(.startListening)
        await phone.end()
        let shown = phone.states.value.filter { $0.inputText == "What is red?" }
        #expect(shown.contains { $0.isLoading && $0.messages.isEmpty })
        #expect(phone.questions == [.user("What is red?")])
        #expect(phone.screen.state.messages.map(\.text) == ["What is red?", "It is red."])
        #expect(phone.screen.state.inputText.isEmpty && phone.screen.state.alert == nil)
    }

    @Test(
        "LENS-131 what is typed, and what is spoken behind it, stands in the input until it is sent, and not after"
    )
    func cleared() async throws {
        let phone = try await Phone([.init(after: .seconds(1), .final("is red?"))])
        await phone.screen.send(.setInput("It is blue. "))
        await phone.screen.send(.sendMessage)
        #expect(phone.screen.state.inputText.isEmpty)
        await phone.fixture.app.chat.state.reaches { !$0.isAnswering }
        await phone.screen.send(.setInput("And what "))
        await phone.screen.send(.startListening)
        await phone.end()
        #expect(phone.states.value.contains { $0.inputText == "And what is red?" })
        #expect(phone.questions == [.user("It is blue."), .user("And what is red?")])
        #expect(phone.screen.state.inputText.isEmpty)
    }

    @Test("a second tap ends listening at once, and what was understood so far is sent")
    func secondTap() async throws {
        let phone = try await Phone(Self.red)
        let listening = Task { await phone.screen.send(.startListening) }
        await phone.screen.states.reaches { $0.transcript == "what is" }
        // One more tap on the first button, before it has changed, does nothing.
        await phone.screen.send(.startListening)
        let tap = ContinuousClock.now
        await phone.screen.send(.finishListening)
        await listening.value
        #expect(ContinuousClock.now - tap < .milliseconds(500))
        await phone.end()
        #expect(phone.questions == [.user("what is")])
        #expect(phone.screen.state.alert == nil)
    }

    @Test(
        "LENS-195 what is not understood is not sent; a recognizer that fails or is not there is an alert, and the input stays",
        arguments: [nil, .unavailable, .recognitionFailed, .microphoneFailed] as [SpeechInputError.Code?]
    )
    func nothing(code: SpeechInputError.Code?) async throws {
        let outcome = code.map { SimulatedSpeechRecognizer.Outcome.failure(SpeechInputError($0)) }
        let phone = try await Phone(
            [
                .init(after: .seconds(1), .partial("what")),
                .init(after: .seconds(1), outcome ?? .final(" \n")),
            ],
            isAvailable: code != .unavailable
        )
        await phone.screen.send(.setInput("typed "))
        await phone.screen.send(.startListening)
        let state = phone.screen.state
        #expect(!state.isListening && state.transcript.isEmpty && state.inputText == "typed ")
        #expect(phone.model.requests.isEmpty && state.messages.isEmpty && !state.isLoading)
        #expect((state.alert != nil) == (code != nil))
        if let alert = state.alert {
            #expect(alert.title == "You could not be heard" && alert.offersRetry == (code != .unavailable))
        }
        await phone.end()
    }

    @Test func `without permission for the microphone an alert says so, and it works once that is given`()
        async throws
    {
        let phone = try await Phone(Self.red, permission: .denied)
        await phone.screen.send(.startListening)
        #expect(phone.screen.state.alert?.text == "The app may not use the microphone.")
        #expect(phone.recognizer.calls.isEmpty)
        phone.fixture.permissions.decide(.microphone, .granted)
        await phone.screen.send(.retry)
        await phone.end()
        #expect(phone.screen.state.alert == nil && phone.questions == [.user("What is red?")])
    }

    @Test func `who leaves the chat, or ends the app, is not listened to any more, and nothing is sent`()
        async throws
    {
        let phone = try await Phone(Self.red, Self.red)
        let first = Task { await phone.screen.send(.startListening) }
        await phone.screen.states.reaches { $0.transcript == "what is" }
        phone.screen.disappear()
        await first.value
        #expect(phone.recognizer.calls.last == .stop && !phone.fixture.app.voiceInput.state.value.isListening)
        phone.screen.appear()
        let second = Task { await phone.screen.send(.startListening) }
        await phone.screen.states.reaches { $0.transcript == "what is" }
        await phone.fixture.app.voiceInput.stop()
        #expect(phone.recognizer.calls.last == .stop)
        await second.value
        await phone.end()
        #expect(phone.model.requests.isEmpty && phone.screen.state.alert == nil)
        #expect(phone.screen.state.inputText.isEmpty)
    }

    @Test func `what is spoken while an answer is given stays typed, and is sent when it is tried again`()
        async throws
    {
        let phone = try await Phone(Self.red)
        let gate = CurrentValue(false)
        let model = ScriptedChatModel([[.waits(gate), .text("Yes."), .ends(.finished(.stop, []))]])
        let fixture = try AppFixture(chat: model) {
            ($0.recognizer, $0.microphone) = (phone.recognizer, phone.recognizer.microphone)
        }
        let screen = ChatScreen(fixture.app)
        screen.appear()
        await screen.send(.say("First"))
        await screen.send(.startListening)
        #expect(screen.state.alert?.title == "The message was not sent")
        #expect(screen.state.inputText == "What is red?")
        gate.set(true)
        await fixture.app.chat.state.reaches { !$0.isAnswering }
        await screen.send(.retry)
        #expect(screen.state.messages.map(\.text) == ["First", "Yes.", "What is red?"])
        await fixture.app.chat.state.reaches { !$0.isAnswering }
        await fixture.app.shutdown()
        await phone.end()
    }
}
