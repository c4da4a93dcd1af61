import Concurrency
import Lens
import LensScreens
import ScreenKit
import Services
import SimulationTesting
import Testing

@Suite("Starting a stream", .timeLimit(.minutes(10)))
@MainActor
struct StreamStartTests {
    private func connecting(_ model: ScriptedModel) async throws -> (AppFixture, Task<Void, any Error>) {
        let fixture = try AppFixture(model: model)
        fixture.local.connects.set(false)
        let starting = Task { try await fixture.app.startStreaming() }
        await fixture.local.calls.reaches { $0 == ["connect"] }
        return (fixture, starting)
    }

    @Test
    func `a stop while the camera is being connected ends the start: no session is opened, no picture sent`()
        async throws
    {
        let session = ScriptedSession()
        let model = ScriptedModel(sessions: [session])
        let (fixture, starting) = try await connecting(model)
        await fixture.app.stopStreaming()
        #expect(!fixture.app.isStartingStream.value)
        fixture.local.connects.set(true)
        let error = await #expect(throws: LiveModelError.self) { try await starting.value }
        #expect(error?.code == .cancelled)
        #expect(model.configurations.isEmpty && session.frames.isEmpty)
        #expect(fixture.app.stream.state.value.phase == .idle)
        await fixture.app.shutdown()
    }

    @Test func `a stop while the session is being opened ends the start`() async throws {
        let (gate, session) = (CurrentValue(false), ScriptedSession())
        let fixture = try AppFixture(model: ScriptedModel([.waits(gate, session)]))
        let starting = Task { try await fixture.app.startStreaming() }
        await fixture.app.stream.state.reaches { $0.phase == .connecting }
        let stopping = Task { await fixture.app.stopStreaming() }
        await fixture.app.stream.state.reaches { $0.phase == .stopping }
        gate.set(true)
        await stopping.value
        await #expect(throws: LiveModelError.self) { try await starting.value }
        #expect(session.frames.isEmpty && session.closes.value == 1)
    }

    @Test(.simulated(seeds: 1...50, configuration: .shortWaits))
    func `a stop while the session is being opened leaves no error and no alert, whichever end comes first`()
        async throws
    {
        let fixture = try AppFixture(model: ScriptedModel([.isNotAnswered]))
        let screen = StreamScreen(fixture.app)
        screen.appear()
        let starting = Task { await screen.send(.start) }
        await fixture.app.stream.state.reaches { $0.phase == .connecting }
        let seen = Task {
            for await state in screen.states.values() where state.alert != nil { return true }; return false
        }
        await screen.send(.stop)
        await starting.value
        #expect(fixture.app.stream.state.value.error == nil && screen.state.alert == nil)
        #expect(screen.state.phase == .idle)
        seen.cancel()
        #expect(await seen.value == false)
        await fixture.app.shutdown()
    }

    @Test func `an answer of the chat is torn by no stream that does not start, and ended by one that does`()
        async throws
    {
        let gate = CurrentValue(false)
        let fixture = try AppFixture(
            sessions: [ScriptedSession()],
            localFailure: .deviceNotFound,
            chat: ScriptedChatModel([
                [.text("One "), .waits(gate), .text("two."), .ends(.finished(.stop, []))],
                [.text("Three "), .waits(CurrentValue(false))],
            ])
        )
        try await fixture.app.chat.send(ChatDraft("Hello?"))
        await fixture.app.conversation.content.reaches { $0.streamingResponse == "One " }
        await #expect(throws: CameraError.deviceNotFound) { try await fixture.app.startStreaming() }
        #expect(fixture.app.chat.state.value.isAnswering)
        gate.set(true)
        await fixture.app.conversation.content.reaches { $0.messages.count == 2 }
        let answer = try #require(fixture.app.conversation.content.value.messages.last)
        #expect(answer.content == .text("One two.") && !answer.isPartial)

        try await fixture.app.camera.switchTo(.veepaWiFi)
        await fixture.app.chat.state.reaches { !$0.isAnswering }
        try await fixture.app.chat.send(ChatDraft("Hello?"))
        await fixture.app.conversation.content.reaches { $0.streamingResponse == "Three " }
        try await fixture.app.startStreaming()
        #expect(!fixture.app.chat.state.value.isAnswering)
        #expect(fixture.app.conversation.content.value.messages.last?.isPartial == true)
        await fixture.app.shutdown()
    }

    @Test func `the end of the app ends a start whose camera is slow`() async throws {
        let model = ScriptedModel(sessions: [ScriptedSession()])
        let (fixture, starting) = try await connecting(model)
        await fixture.app.shutdown()
        fixture.local.connects.set(true)
        await #expect(throws: LiveModelError.self) { try await starting.value }
        #expect(model.configurations.isEmpty)
    }

    @Test func `the stream is shown as connecting while its camera is, and as idle once that is stopped`()
        async throws
    {
        let fixture = try AppFixture(sessions: [ScriptedSession()])
        fixture.local.connects.set(false)
        let screen = StreamScreen(fixture.app)
        screen.appear()
        let starting = Task { await screen.send(.start) }
        await fixture.local.calls.reaches { $0 == ["connect"] }
        await screen.states.reaches { $0.phase == .connecting }
        #expect(!screen.state.isStreaming)
        await screen.send(.stop)
        #expect(screen.state.phase == .idle)
        await starting.value
        #expect(screen.state.phase == .idle && screen.state.alert == nil)
        fixture.local.connects.set(true)
        await screen.send(.start)
        #expect(screen.state.isStreaming)
        screen.disappear()
        await fixture.app.shutdown()
    }

    @Test func `a camera that fails is what the alert is about, whatever became of the stream before`()
        async throws
    {
        let fixture = try AppFixture { $0.cameras[.veepaWiFi] = nil }
        let screen = StreamScreen(fixture.app)
        await screen.send(.start)
        #expect(screen.state.alert?.title == "The assistant is not watching")
        try? await fixture.app.camera.switchTo(.veepaWiFi)
        await screen.send(.start)
        #expect(screen.state.alert?.text == "Camera not found.")
        await fixture.app.shutdown()
    }

    @Test func `starts at once are one, and a start after a stop is a new one`() async throws {
        let (first, second) = (ScriptedSession(), ScriptedSession())
        let model = ScriptedModel(sessions: [first, second])
        let (fixture, one) = try await connecting(model)
        let other = Task { try await fixture.app.startStreaming() }
        fixture.local.connects.set(true)
        try await one.value
        try await other.value
        #expect(model.configurations.count == 1)
        await fixture.app.stopStreaming()
        try await fixture.app.startStreaming()
        #expect(model.configurations.count == 2 && fixture.app.stream.state.value.isConnected)
        await fixture.app.shutdown()
    }
}
