import AppKernel
import Concurrency
import Files
import GRDB
import Lens
import LensScreens
import ScreenKit
import Services
import SimulatedDevice
import SimulationTesting
import Testing

/// Several things may go wrong before the user has closed the first alert.
@Suite("Alerts one after the other", .simulated(seeds: 1...5, configuration: .shortWaits))
@MainActor
struct SuccessiveAlertTests {
    private func refuse(_ table: String, _ fixture: AppFixture) throws {
        try fixture.database.write("refuse") {
            for event in ["INSERT", "UPDATE"] {
                try $0.execute(
                    sql: """
                        CREATE TRIGGER locked\(event) BEFORE \(event) ON \(table)
                        BEGIN SELECT RAISE(ABORT, 'no'); END
                        """
                )
            }
        }
    }

    /// The titles that are shown one after the other, each closed before the next.
    private func titles<Shown: Screen>(
        _ screen: Shown,
        _ close: Shown.Action,
        _ alert: (Shown.State) -> ScreenAlert?
    ) async -> [String] {
        var titles: [String] = []
        while let shown = alert(screen.state), titles.count < 9 {
            titles.append(shown.title)
            await screen.send(close)
        }
        return titles
    }

    @Test func `the chat says what was not sent, and then that the conversation was not saved`() async throws
    {
        let fixture = try AppFixture()
        _ = await fixture.app.launch()
        let screen = ChatScreen(fixture.app)
        screen.appear()
        try refuse("chatMessage", fixture)
        await fixture.app.conversation.append(ChatMessage(role: .user, content: .text("Unsaved")))
        // Nobody can be heard here.
        await screen.send(.startListening)
        let shown = await titles(screen, .dismissAlert, \.alert)
        #expect(shown == ["You could not be heard", "The conversation was not saved"])
        await fixture.app.shutdown()
    }

    @Test func `the chat says each of an answer that failed and a conversation that was not saved`()
        async throws
    {
        let fixture = try AppFixture()
        _ = await fixture.app.launch()
        let screen = ChatScreen(fixture.app)
        screen.appear()
        await screen.send(.say("Hello?"))
        await screen.states.reaches { $0.alert != nil }
        try refuse("chatMessage", fixture)
        await fixture.app.conversation.append(ChatMessage(role: .user, content: .text("Unsaved")))
        let shown = await titles(screen, .dismissAlert, \.alert)
        #expect(shown == ["The assistant did not answer", "The conversation was not saved"])
        await fixture.app.shutdown()
    }

    @Test func `the camera says what failed, then that a recording was lost, then that the camera was`()
        async throws
    {
        let files = try FullFiles()
        let fixture = try AppFixture(files: files)
        _ = await fixture.app.launch()
        fixture.local.show(Movie.frame(0))
        let screen = CameraScreen(fixture.app)
        screen.appear()
        await screen.states.reaches { $0.connection == .connected }
        await screen.send(.startRecording)
        files.fail(.write, .disk, after: 0)
        try await fixture.local.show(1...20)
        await screen.states.reaches { !$0.isRecording && $0.alert != nil }
        await screen.send(.setZoom(.nan))
        fixture.local.lose()
        await screen.states.reaches { $0.connection == .failed }
        let shown = await titles(screen, .dismissAlert, \.alert)
        #expect(
            shown == [
                "The zoom was not changed", "The recording was not completed", "The camera was lost",
            ]
        )
        await fixture.app.shutdown()
    }

    @Test func `the settings say that the key was not kept, and then that a setting was not`() async throws {
        let fixture = try AppFixture()
        _ = await fixture.app.launch()
        let screen = SettingsScreen(fixture.app)
        screen.appear()
        try fixture.database.close()
        await screen.send(.setFrameRate(2))
        fixture.secrets.fail(with: .unavailable(detail: "locked"))
        await screen.send(.saveKey(EnteredSecret("key")))
        let shown = await titles(screen, .dismissAlert, \.alert)
        #expect(shown == ["The key was not kept", "The setting was not kept"])
        await fixture.app.shutdown()
    }

    @Test func `a stream that could not be started says so, and is not started by a repetition of no alert`()
        async throws
    {
        let fixture = try AppFixture(sessions: [ScriptedSession()])
        _ = await fixture.app.launch()
        let screen = StreamScreen(fixture.app)
        screen.appear()
        await screen.send(.retry)
        #expect(screen.state.phase == .idle && fixture.local.calls.value.isEmpty)
        await fixture.app.shutdown()
    }
}
