import AppKernel
import Concurrency
import Files
import Foundation
import GRDB
import Lens
import LensScreens
import ScreenKit
import Services
import SimulationTesting
import Testing

@Suite("Screens", .simulated(seeds: 1...3, configuration: .shortWaits))
@MainActor
struct ScreenTests {
    @Test("LENS-219 the streaming screen starts and stops the stream, counts its pictures and shows errors")
    func streaming() async throws {
        let session = ScriptedSession()
        let fixture = try AppFixture(sessions: [session])
        let screen = StreamScreen(fixture.app)
        #expect(!screen.state.isStreaming && screen.state.framesSent == 0 && screen.state.alert == nil)
        screen.appear()
        await screen.send(.start)
        #expect(screen.state.isStreaming && screen.state.isConnected && screen.state.phase == .streaming)
        #expect(fixture.local.calls.value == ["connect", "connected"])
        session.say(.text("Hello"))
        await screen.states.reaches { $0.framesSent == 1 && $0.latestResponse == "Hello" }
        await screen.send(.stop)
        #expect(!screen.state.isStreaming && !screen.state.isConnected && screen.state.phase == .idle)
        await screen.send(.start)
        #expect(screen.state.alert?.text == "The assistant cannot be reached.")
        #expect(screen.state.alert?.offersRetry == true && !screen.state.isStreaming)
        await screen.send(.dismissAlert)
        #expect(screen.state.alert == nil)
    }

    @Test func `a stream whose camera cannot be connected says so, and no session is opened`() async throws {
        let fixture = try AppFixture(sessions: [ScriptedSession()], localFailure: .deviceNotFound)
        let screen = StreamScreen(fixture.app)
        await screen.send(.start)
        #expect(screen.state.alert?.title == "The stream did not start")
        #expect(screen.state.alert?.text == "Camera not found.")
        #expect(fixture.app.stream.statistics.value.sessionsOpened == 0)
    }

    @Test("the chat screen shows the reply while it grows, then the message, and clears both")
    func chat() async throws {
        let fixture = try AppFixture()
        let screen = ChatScreen(fixture.app)
        #expect(screen.state.messages.isEmpty && !screen.state.isStreaming)
        screen.appear()
        await fixture.app.conversation.replyBegan()
        await fixture.app.conversation.replyGrew(by: "Hel")
        await screen.states.reaches { $0.streamingResponse == "Hel" && $0.isStreaming }
        await fixture.app.conversation.replyEnded(FinishedReply(text: "Hello", ending: .complete))
        await screen.states.reaches { $0.messages.count == 1 && !$0.isStreaming }
        await screen.send(.clearHistory)
        #expect(screen.state.messages.isEmpty)
    }

    @Test func `what is typed is said to the assistant that watches, and kept when it was`() async throws {
        let session = ScriptedSession()
        let gate = CurrentValue(false)
        let fixture = try AppFixture(model: ScriptedModel([.waits(gate, session)]))
        let screen = ChatScreen(fixture.app)
        screen.appear()
        let starting = Task { try await fixture.app.startStreaming() }
        await screen.states.reaches { !$0.canSend }
        await fixture.app.stream.state.reaches { $0.phase == .connecting }
        await screen.send(.setInput("What is red? "))
        await screen.send(.sendMessage)
        #expect(screen.state.alert?.text == "The assistant is not watching.")
        #expect(screen.state.inputText == "What is red? " && screen.state.messages.isEmpty)
        gate.set(true)
        try await starting.value
        await screen.states.reaches { $0.canSend }
        await screen.send(.retry)
        #expect(session.texts.count { $0 == "What is red?" } == 1)
        #expect(screen.state.alert == nil && screen.state.inputText == "")
        #expect(screen.state.messages.map(\.text) == ["What is red?"])
        #expect(screen.state.messages.map(\.role) == [.user])
        await fixture.app.shutdown()
    }

    @Test func `blank text is not sent, and long text is cut where it is typed`() async throws {
        let screen = ChatScreen(try AppFixture().app)
        await screen.send(.setInput(" \n"))
        await screen.send(.sendMessage)
        #expect(screen.state.alert == nil && screen.state.inputText == " \n")
        await screen.send(.setInput(String(repeating: "a", count: ChatScreen.inputLimit + 1)))
        #expect(screen.state.inputText.count == ChatScreen.inputLimit)
    }

    @Test func `earlier messages are shown by pages, and new ones do not disturb them`() async throws {
        let fixture = try AppFixture()
        for number in 0..<(Conversation.window * 2) {
            await fixture.app.conversation.append(ChatMessage(role: .user, content: .text("\(number)")))
        }
        let screen = ChatScreen(fixture.app)
        screen.appear()
        #expect(screen.state.hasEarlier && !screen.state.hasLater)
        await screen.send(.showEarlier)
        #expect(
            screen.state.messages.first?.text == "0" && screen.state.messages.count == Conversation.window
        )
        #expect(!screen.state.hasEarlier && screen.state.hasLater)
        await fixture.app.conversation.append(ChatMessage(role: .user, content: .text("new")))
        await screen.send(.showEarlier)
        #expect(screen.state.messages.first?.text == "0")
        await screen.send(.showNewest)
        #expect(screen.state.messages.last?.text == "new" && !screen.state.hasLater)
    }

    @Test func `the camera screen starts, changes and stops the camera, takes photos and shows errors`()
        async throws
    {
        let fixture = try AppFixture()
        try fixture.documents.create()
        let screen = CameraScreen(fixture.app)
        #expect(!screen.state.isLoading && screen.state.alert == nil)
        #expect(screen.state.sources == [.local, .veepaWiFi])
        screen.appear()
        await screen.states.reaches { $0.connection == .connected }
        await screen.send(.stop)
        await screen.send(.capturePhoto)
        #expect(screen.state.alert?.title == "The photo was not taken")
        #expect(screen.state.alert?.text == "Camera not found.")
        try await fixture.app.camera.connect()
        await screen.send(.retry)
        let photo = try #require(screen.state.lastPhoto)
        #expect(screen.state.alert == nil && !screen.state.isLoading)
        #expect(try fixture.app.library.items().map(\.id) == [photo])
        #expect(try fixture.app.uploads.entries().isEmpty)
        fixture.app.settings.update { $0.autoUpload = true }
        await screen.send(.capturePhoto)
        #expect(try fixture.app.uploads.entries().count == 1)
        await screen.send(.choose(.veepaWiFi))
        #expect(screen.state.source == .veepaWiFi && screen.state.connection == .connected)
        await screen.send(.stop)
        #expect(screen.state.connection == .disconnected)
        await screen.send(.start)
        #expect(screen.state.connection == .connected)
        await fixture.app.shutdown()
    }

    @Test(
        "LENS-218 a chat is empty at first, and shows messages, replies, what is typed and sent, and errors"
    )
    func chatStates() async throws {
        let session = ScriptedSession()
        let gate = CurrentValue(false)
        let fixture = try AppFixture(model: ScriptedModel([.waits(gate, session)]))
        let screen = ChatScreen(fixture.app)
        let first = screen.state
        #expect(first.messages.isEmpty && !first.isStreaming && first.streamingResponse == "")
        #expect(first.inputText == "" && !first.isLoading && first.alert == nil)
        let states = screen.states.values()
        screen.appear()
        let starting = Task { try await fixture.app.startStreaming() }
        await fixture.app.stream.state.reaches { $0.phase == .connecting }
        await screen.send(.setInput("Hi"))
        await screen.send(.sendMessage)
        gate.set(true)
        try await starting.value
        await screen.states.reaches { $0.canSend }
        await screen.send(.retry)
        session.say(.text("Hel"))
        await screen.states.reaches { $0.isStreaming }
        session.say(.text("lo"), .turnComplete)
        var seen: [ChatScreen.State] = []
        for await state in states {
            seen.append(state)
            if state.messages.count == 2 { break }
        }
        #expect(seen.contains { $0.inputText == "Hi" && !$0.isLoading && $0.alert == nil })
        #expect(seen.contains { $0.isLoading && $0.alert == nil })
        #expect(seen.contains { $0.inputText == "Hi" && !$0.isLoading && $0.alert != nil })
        #expect(seen.contains { $0.isStreaming && $0.streamingResponse == "Hel" && $0.messages.count == 1 })
        let last = try #require(seen.last)
        #expect(last.messages.map(\.text) == ["Hi", "Hello"] && !last.isStreaming)
        #expect(last.streamingResponse == "" && last.inputText == "" && !last.isLoading && last.alert == nil)
        await fixture.app.shutdown()
    }

    @Test("LENS-147 an exchange is saved twice: when the user has spoken, and when the answer is complete")
    func exchange() async throws {
        let session = ScriptedSession()
        let fixture = try AppFixture(sessions: [session])
        try fixture.noteSaves()
        try await fixture.app.startStreaming()
        let screen = ChatScreen(fixture.app)
        await screen.send(.setInput("What is red?"))
        await screen.send(.sendMessage)
        #expect(try fixture.saves() == ["user"])
        session.say(.text("The"), .text(" door."))
        await fixture.app.conversation.content.reaches { $0.streamingResponse == "The door." }
        #expect(try fixture.saves() == ["user"])
        session.say(.turnComplete)
        await fixture.app.conversation.content.reaches { $0.messages.count == 2 }
        #expect(try fixture.saves() == ["user", "assistant"])
        await fixture.app.shutdown()
    }

    @Test("LENS-199 while something is spoken the voice says so and the screens show it, until nothing waits")
    func speaking() async throws {
        let synthesizer = GatedSynthesizer()
        let fixture = try AppFixture { $0.synthesizer = synthesizer }
        let (chat, stream) = (ChatScreen(fixture.app), StreamScreen(fixture.app))
        chat.appear()
        stream.appear()
        #expect(!chat.state.isSpeaking && !stream.state.isSpeaking)
        await fixture.app.voice.speak(["One.", "Two."])
        await chat.states.reaches { $0.isSpeaking }
        await stream.states.reaches { $0.isSpeaking }
        synthesizer.gate.set(true)
        await chat.states.reaches { !$0.isSpeaking }
        await stream.states.reaches { !$0.isSpeaking }
        #expect(synthesizer.log.value == ["+One.", "-One.", "+Two.", "-Two."])

        // Not silent between two sentences: its values end with the engine.
        var voice: VoiceEngine? = VoiceEngine(synthesizer)
        let values = voice?.isSpeaking.values()
        synthesizer.gate.set(false)
        await voice?.speak(["Three.", "Four."])
        synthesizer.gate.set(true)
        await voice?.isSpeaking.reaches { !$0 }
        voice = nil
        var seen: [Bool] = []
        for await value in try #require(values) { seen.append(value) }
        #expect(seen == [false, true, false])
    }
}

@Suite("Camera screen", .simulated(seeds: 1...3, configuration: .shortWaits))
@MainActor
struct CameraScreenTests {
    @Test(
        "LENS-016 a camera screen that appears connects the chosen camera, and disconnects it when it disappears",
        arguments: CameraSourceType.allCases
    )
    func appearing(source: CameraSourceType) async throws {
        let fixture = try AppFixture()
        let (chosen, other) =
            source == .local ? (fixture.local, fixture.wireless) : (fixture.wireless, fixture.local)
        await fixture.app.camera.choose(source)
        let screen = CameraScreen(fixture.app)
        #expect(chosen.calls.value.isEmpty)
        screen.appear()
        await screen.states.reaches { $0.connection == .connected }
        #expect(chosen.calls.value == ["connect", "connected"])
        screen.disappear()
        await fixture.app.camera.status.reaches { $0.state == .disconnected }
        #expect(chosen.calls.value == ["connect", "connected", "disconnect"])
        #expect(other.calls.value.isEmpty)
    }

    @Test func `a camera that another window shows, or that is streamed, stays on`() async throws {
        let fixture = try AppFixture(sessions: [ScriptedSession()])
        _ = await fixture.app.launch()
        let (one, other) = (CameraScreen(fixture.app), CameraScreen(fixture.app))
        one.appear()
        other.appear()
        await one.states.reaches { $0.connection == .connected }
        one.disappear()
        try await fixture.app.startStreaming()
        other.disappear()
        for _ in 0..<200 { await Task.yield() }
        #expect(fixture.app.camera.status.value.state == .connected)
        await fixture.app.stopStreaming()
        await fixture.app.camera.status.reaches { $0.state == .disconnected }
        await fixture.app.shutdown()
    }

    @Test
    func `a camera that cannot be connected when its screen appears is an alert, and can be tried again`()
        async throws
    {
        let fixture = try AppFixture(localFailure: .deviceNotFound)
        let screen = CameraScreen(fixture.app)
        screen.appear()
        await screen.states.reaches { $0.alert != nil }
        #expect(screen.state.alert?.title == "The camera was not started")
        #expect(screen.state.alert?.text == "Camera not found." && screen.state.alert?.offersRetry == true)
        #expect(screen.state.connection == .failed)
    }

    @Test func `a changed picture size makes a new camera, also while it is connected`() async throws {
        let sizes = CurrentValue<[PixelSize]>([])
        let fixture = try AppFixture { environment in
            environment.cameras[.local] = { size in
                sizes.update { $0.append(size) }
                return ScriptedCamera()
            }
        }
        _ = await fixture.app.launch()
        let (camera, settings) = (CameraScreen(fixture.app), SettingsScreen(fixture.app))
        await camera.send(.start)
        #expect(sizes.value == [VideoResolution.hd1080.size])
        await settings.send(.setResolution(.vga))
        await sizes.reaches { $0 == [VideoResolution.hd1080.size, VideoResolution.vga.size] }
        await fixture.app.camera.status.reaches { $0.state == .connected }
        await settings.send(.setSpeech(false))
        await camera.send(.start)
        #expect(sizes.value.count == 2)
        await fixture.app.shutdown()
    }
}
