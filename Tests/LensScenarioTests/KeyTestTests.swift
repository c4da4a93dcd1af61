import Concurrency
import Lens
import LensScenarios
import LensScreens
import ScenarioKit
import ScreenKit
import Services
import Simulation
import SimulationTesting
import Testing

@Suite("The test of a kept key", .simulated(seeds: 1...10))
struct KeyTestTests {
    /// Uses the settings of an app in its world.
    private func withSettings(
        _ body: @escaping @MainActor (SettingsScreen, LensWorld, LensApp) async throws -> Void
    ) async throws {
        let world = try await LensWorld.start(LensOptions())
        try await world.onPhone { lens in
            try await Task { @MainActor in
                let screen = SettingsScreen(lens)
                screen.appear()
                try await body(screen, world, lens)
                screen.disappear()
            }.value
        }
        try await world.shutdown()
    }

    @Test func `a key that the service takes passes, another is an alert, and each stays kept`() async throws
    {
        try await withSettings { screen, _, lens in
            for key in [LensOptions.modelKey, "another", LensOptions.modelKey] {
                await screen.send(.saveKey(EnteredSecret(key)))
                #expect(screen.state.keyTest == nil && screen.state.alert == nil)
                await screen.send(.testKey)
                let isRight = key == LensOptions.modelKey
                #expect(screen.state.keyTest == (isRight ? .passed : nil))
                #expect(screen.state.alert?.title == (isRight ? nil : "The key was not accepted"))
                let kept = try await lens.modelKey.read()
                #expect(kept?.reveal() == key)
            }
            await screen.send(.deleteKey)
            #expect(screen.state.keyTest == nil)
            await screen.send(.testKey)
            #expect(screen.state.alert?.title == "The key was not accepted")
        }
    }

    @Test func `without a network the alert says that nothing was tested, and retry tests again`()
        async throws
    {
        try await withSettings { screen, world, _ in
            world.base.goOffline()
            await screen.send(.testKey)
            #expect(screen.state.alert?.title == "The key could not be tested")
            world.base.goOnline()
            await screen.send(.retry)
            #expect(screen.state.alert == nil && screen.state.keyTest == .passed)
        }
    }

    @Test func `a test says nothing about a key that was saved or deleted while it ran`() async throws {
        try await withSettings { screen, _, _ in
            let testing = Task { await screen.send(.testKey) }
            for await state in screen.states.values() where state.keyTest == .running { break }
            await screen.send(Bool.random() ? .deleteKey : .saveKey(EnteredSecret("another")))
            #expect(screen.state.keyTest == nil)
            await testing.value
            #expect(screen.state.keyTest == nil && screen.state.alert == nil)
        }
    }

    @Test func `all windows show what came of a test, and none of them once the key is another`() async throws
    {
        try await withSettings { screen, _, lens in
            let other = SettingsScreen(lens)
            other.appear()
            await screen.send(.testKey)
            for await state in other.states.values() where state.keyTest == .passed { break }
            await other.send(.saveKey(EnteredSecret("another")))
            for await state in screen.states.values() where state.keyTest == nil { break }
            other.disappear()
        }
    }

    @Test func `of two tests at a time the later one counts`() async throws {
        try await withSettings { screen, _, _ in
            await screen.send(.saveKey(EnteredSecret("another")))
            let first = Task { await screen.send(.testKey) }
            for await state in screen.states.values() where state.keyTest == .running { break }
            await screen.send(.saveKey(EnteredSecret(LensOptions.modelKey)))
            await screen.send(.testKey)
            await first.value
            #expect(screen.state.keyTest == .passed && screen.state.alert == nil)
        }
    }
}
