import Concurrency
import Lens
import LensScreens
import ScreenKit
import Services
import SimulatedDevice
import SimulationTesting
import TestSupport
import Testing

@Suite("A set-up of a camera that fails", .simulated(seeds: 1...3, configuration: .shortWaits))
@MainActor
struct FailedSetUpTests {
    @Test(arguments: [CameraError.unknown(ScriptedRefusal()), .deviceNotFound, .sessionStartFailed])
    func `a set-up that fails changes nothing that was seen before`(_ refusal: CameraError) async throws {
        let cameras = ScriptedNetworkCameras(
            found: [DiscoveredCamera(device: "VSTK-123456-ABCDE", address: "10.0.0.2:32108")]
        )
        let local = ScriptedCamera("local")
        local.show(7)
        let secrets = InMemorySecretStore()
        let fixture = try AppFixture(secrets: secrets) {
            $0.cameras = [.local: { _ in local }]
            $0.networkCameras = cameras.factory
        }
        _ = await fixture.app.launch()
        let screens = fixture.app.makeScreens()
        screens.appear()
        await screens.camera.states.reaches { $0.connection == .connected }
        let before = fixture.app.camera.status.value
        await screens.camera.send(.choose(.veepaWiFi))
        await screens.discovery.send(.pick("VSTK-123456-ABCDE"))
        cameras.refusal.set(refusal)
        await screens.discovery.send(.setUp(user: "owner", password: EnteredSecret("wrong")))
        #expect(screens.discovery.state.alert != nil && cameras.credentials.count == 1)
        await fixture.app.camera.status.reaches { $0 == before }
        #expect(await fixture.app.camera.latestFrame()?.sequence == 7)
        // With the right one it is changed to.
        cameras.refusal.set(nil)
        await screens.discovery.send(.setUp(user: "owner", password: EnteredSecret("right")))
        #expect(fixture.app.camera.status.value.source == .veepaWiFi && screens.discovery.state.alert == nil)
        screens.disappear()
        await fixture.app.shutdown()
    }
}

/// A camera that does not know the password.
private struct ScriptedRefusal: ExplainedError {
    let explanation = ErrorExplanation("The camera does not accept the password.", mayPass: false)
}
