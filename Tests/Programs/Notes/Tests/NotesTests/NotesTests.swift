import Notes
import NotesWorld
import ScenarioKit
import ScreenKit
import SimulationTesting
import Testing

@Suite("Notes", .simulated(seeds: 1...50))
struct NotesTests {
    @Test func `a note is kept without a network, and sent when there is one`() async throws {
        let server = NotesServer()
        let world = try await AppWorld.notes(server)
        world.goOffline()
        let screen = try await world.onDevice { app in
            let screen = await NotesScreen(app)
            await screen.appear()
            await screen.send(.write("Buy bread"))
            return screen
        }
        try await Task.sleep(for: .seconds(60))
        #expect(screen.state.notes.map(\.status) == [.waiting] && server.notes.isEmpty)
        world.goOnline()
        try await Task.sleep(for: .seconds(60))
        #expect(screen.state.notes.map(\.status) == [.sent] && server.notes == ["Buy bread"])
        try await world.shutdown()
    }

    @Test func `a note that fails again and again is sent when somebody asks for it`() async throws {
        let server = NotesServer()
        let world = try await AppWorld.notes(server)
        world.arm("http.502", atMost: 4)
        try await world.onDevice { try $0.write("Buy bread") }
        try await Task.sleep(for: .seconds(60))
        #expect(try world.app.notes().map(\.status) == [.failed])
        try await world.onDevice { try $0.retry() }
        try await Task.sleep(for: .seconds(1))
        #expect(try world.app.notes().map(\.status) == [.sent])
        try await world.shutdown()
    }
}
