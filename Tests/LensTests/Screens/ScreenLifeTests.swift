import Concurrency
import Lens
import LensScreens
import ScreenKit
import Services
import Simulation
import Testing

@Suite("Screens: what they follow", .timeLimit(.minutes(10)))
@MainActor
struct ScreenLifeTests {
    @Test(
        "LENS-209 LENS-245 a change of a service reaches the screen at once, on the main actor whatever thread it comes from, and nothing is asked for meanwhile"
    )
    func following() async throws {
        let number = CurrentValue(0)
        let model = ScreenModel(Noted(number: 0), sources: [number.published])
        model.derive = { Noted(number: number.value) }
        model.follow()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { @concurrent in for _ in 0..<100 { number.update { $0 += 1 } } }
            }
        }
        await model.states.reaches { $0.number == 800 }
        try Self.followWithoutAsking()
    }

    /// In virtual time, so that hours show whether somebody looks now and then.
    private nonisolated static func followWithoutAsking() throws {
        try Simulation(seed: 1).run { @MainActor in
            let number = CurrentValue(0)
            var derivations = 0
            let model = ScreenModel(0, sources: [number.published])
            model.derive = {
                derivations += 1
                return number.value
            }
            model.follow()
            try await Task.sleep(for: .seconds(3_600))
            let before = derivations
            #expect(before <= 3)
            let clock = ContinuousClock()
            let changed = clock.now
            await Task.detached { number.set(7) }.value
            await model.states.reaches { $0 == 7 }
            #expect(clock.now - changed < .milliseconds(100))
            try await Task.sleep(for: .seconds(3_600))
            #expect(derivations == before + 1)
        }
    }

    @Test(
        "LENS-246 a screen that is dropped is released, its tasks and subscriptions end, and nothing of a used app is left"
    )
    func released() async throws {
        let source = WatchedNumber()
        var model: ScreenModel<Int>? = ScreenModel(0, sources: [source])
        model?.derive = { source.number.value }
        model?.follow()
        #expect(source.tasks.count == 1 && !source.tasks[0].isCancelled)
        model = nil
        try #require(source.tasks[0].isCancelled)
        await source.tasks[0].value

        let cameras = ScriptedNetworkCameras(takesTime: true)
        for dropped in try await useAndDrop(cameras) {
            while dropped.object != nil, !Task.isCancelled { await Task.yield() }
            #expect(dropped.object == nil, "\(dropped.name)")
        }
        // What a screen had begun itself ends with it, before its time.
        await cameras.log.reaches { $0.contains { $0.hasPrefix("search ") } }
        #expect(cameras.log.value.contains("search cancelled"))
    }

    /// Uses an app through screens that are still shown when they are dropped.
    private func useAndDrop(_ cameras: ScriptedNetworkCameras) async throws -> [Dropped] {
        let session = ScriptedSession()
        let fixture = try AppFixture(sessions: [session]) { $0.networkCameras = cameras.factory }
        let app = fixture.app
        _ = await app.launch()
        let screens = app.makeScreens()
        screens.appear()
        await screens.stream.send(.start)
        session.say(.text("A door. "), .turnComplete)
        await app.conversation.content.reaches { $0.messages.count == 1 }
        await screens.camera.send(.capturePhoto)
        let photo = try #require(screens.camera.state.lastPhoto)
        for tab in NavigationScreen.Tab.allCases { await screens.navigation.send(.selectTab(tab)) }
        await screens.navigation.send(.present(.mediaPreview(photo)))
        await app.shutdown()
        await screens.navigation.send(.present(.cameraDiscovery))
        await cameras.log.reaches { $0.contains("search") }
        let parts: [AnyObject] = [
            screens, app, app.stream, app.camera, app.conversation, app.voice, app.uploads, app.gallery,
            app.settings,
        ]
        return (screens.all + parts).map { Dropped(name: "\(type(of: $0))", object: $0) }
    }
}

/// A value of which the test sees who watches it.
@MainActor
private final class WatchedNumber: ScreenSource {
    nonisolated let number = CurrentValue(0)
    var tasks: [Task<Void, Never>] = []

    func onChange(_ body: @escaping @MainActor () -> Void) -> Task<Void, Never> {
        let task = number.published.onChange(body)
        tasks.append(task)
        return task
    }
}

private struct Dropped {
    var name: String
    weak var object: AnyObject?
}

/// A state that is compared on the main actor alone, as each is before it is published.
private struct Noted: Equatable, Sendable {
    var number: Int

    static func == (left: Noted, right: Noted) -> Bool {
        MainActor.preconditionIsolated()
        return left.number == right.number
    }
}
