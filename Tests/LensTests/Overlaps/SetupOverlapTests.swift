import AppKernel
import Concurrency
import Foundation
import Lens
import LensScreens
import Services
import SimulationTesting
import Testing

@Suite("Set-ups that are begun, left and begun again", .simulated(seeds: 1...25, configuration: .shortWaits))
@MainActor
struct SetupOverlapTests {
    private func fixture(_ cameras: ScriptedNetworkCameras) throws -> AppFixture {
        try AppFixture {
            $0.networkCameras = cameras.factory
            $0.cameraCodes = ScriptedCodes().codes
        }
    }

    @Test func `however many strangers answer, 64 are shown, also in the next set-up`() async throws {
        // Some more and some fewer than are shown.
        let count = Int.random(in: 60...200)
        let strangers = (0..<count).map { DiscoveredCamera(device: "STRANGER-\($0)", address: "a:\($0)") }
        let fixture = try fixture(ScriptedNetworkCameras(found: strangers))
        _ = await fixture.app.launch()
        let setup = try #require(fixture.app.cameraSetup)
        fixture.local.show(Int(ScriptedCodes.label))
        for _ in 0..<3 {
            await setup.start()
            await setup.state.reaches { $0.step == .labelRead }
            #expect(setup.state.value.others.isEmpty)
            try await setup.show(WiFiAccess(name: "home", password: Secret("a password")))
            try await Task.sleep(for: .seconds(Int.random(in: 1...5)))
            #expect(setup.state.value.others == Array(strangers.prefix(64)))
            if Bool.random() { await setup.cancel() }
        }
        await fixture.app.shutdown()
    }

    @Test func `a set-up whose page has gone is over after the absence, whenever it went`() async throws {
        let fixture = try fixture(ScriptedNetworkCameras())
        _ = await fixture.app.launch()
        let setup = try #require(fixture.app.cameraSetup)
        let screen = CameraSetupScreen(fixture.app)
        let overlap = Overlap(
            gates: Gates(),
            actions: [
                { await screen.send(.start) }, { await screen.send(.start) }, { await screen.appear() },
                { await screen.disappear() }, { await screen.send(.cancel) },
            ]
        )
        for _ in 0..<4 {
            screen.appear()
            await overlap.round(12)
            // The page goes while what it has asked for is on its way.
            let starting = Task.immediate { await screen.send(.start) }
            screen.disappear()
            await starting.value
            try await Task.sleep(for: CameraSetupTimes().absence + .seconds(5))
            #expect(setup.state.value.step == .idle)
        }
        await fixture.app.shutdown()
    }
}
