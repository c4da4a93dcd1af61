import Concurrency
import Foundation
import Lens
import LensScreens
import ScreenKit
import Services
import SimulatedDevice
import SimulationTesting
import Testing

@Suite("Alerts of the sheet of Wi-Fi cameras", .simulated(seeds: 1...5, configuration: .shortWaits))
@MainActor
struct CameraSheetAlertTests {
    private let cameras: ScriptedNetworkCameras
    private let local = ScriptedCamera("local")
    private let fixture: AppFixture
    private let screens: LensScreens
    private var setup: CameraSetupScreen { screens.setup }

    private static let password = EnteredSecret("a password")

    init() throws {
        let (cameras, local) = (
            ScriptedNetworkCameras(found: [DiscoveredCamera(device: ScriptedCodes.device, address: "a:1")]),
            local
        )
        self.cameras = cameras
        fixture = try AppFixture {
            $0.cameras = [.local: { _ in local }]
            $0.networkCameras = cameras.factory
            $0.cameraCodes = ScriptedCodes().codes
        }
        screens = fixture.app.makeScreens()
    }

    private func open() async {
        _ = await fixture.app.launch()
        local.show(1)
        screens.appear()
        await screens.navigation.send(.present(.cameraDiscovery))
    }

    private func end() async {
        screens.disappear()
        await fixture.app.shutdown()
    }

    private func readLabel() async {
        local.show(Int(ScriptedCodes.label))
        await setup.send(.start)
        await setup.states.reaches { $0.step == .labelRead }
    }

    /// The alert that the setup shows is what an error says to people, and goes with OK.
    private func expectAlert(_ error: CameraSetupError, retry: Bool = false) async {
        await setup.states.reaches { $0.alert != nil }
        let alert = setup.state.alert
        #expect(alert?.text == error.localizedDescription && alert?.title.isEmpty == false)
        #expect(alert?.text.contains("secret") == false && alert?.offersRetry == retry)
        await setup.send(.dismissAlert)
        await setup.states.reaches { $0.alert == nil }
        #expect(setup.state.alert == nil)
    }

    @Test func `a local camera that gives no pictures is one that offers to scan again`() async throws {
        local.lose()
        let broken = try AppFixture(localFailure: .permissionDenied) {
            $0.cameras[.veepaWiFi] = nil
            $0.networkCameras = cameras.factory
            $0.cameraCodes = ScriptedCodes().codes
        }
        _ = await broken.app.launch()
        let screen = CameraSetupScreen(broken.app)
        screen.appear()
        for action in [CameraSetupScreen.Action.start, .start, .retry, .retry] {
            // Whoever tries again has not closed the alert.
            if action == .start { await screen.send(.dismissAlert) }
            await screen.send(action)
            await screen.states.reaches { $0.alert != nil }
            #expect(screen.state.alert?.text == "Camera permission denied." && screen.state.step == .idle)
            #expect(screen.state.alert?.offersRetry == true)
        }
        await screen.send(.dismissAlert)
        #expect(screen.state.alert == nil)
        screen.disappear()
        await broken.app.shutdown()
    }

    @Test func `what is wrong with a picture stands beside it, and goes by itself`() async throws {
        await open()
        local.show(Int(ScriptedCodes.otherCode))
        await setup.send(.start)
        let other = CameraSetupError.label(.notALabel("it is [4]"))
        await setup.states.reaches { $0.trouble == other.localizedDescription }
        #expect(setup.state.step == .scanning && setup.state.alert == nil)
        local.show(Int(ScriptedCodes.noPicture))
        let none = CameraSetupError.picture(.undecodable("it is 2"))
        await setup.states.reaches { $0.trouble == none.localizedDescription }
        local.show(Int(ScriptedCodes.label))
        await setup.states.reaches { $0.step == .labelRead }
        #expect(setup.state.trouble == nil && setup.state.alert == nil)
        await end()
    }

    @Test(arguments: [
        ("", "a password", CameraSetupError.network(.unusableName("it is empty"))),
        ("Home", "secret", .network(.unusablePassword("it is short"))),
        ("Home", "too long", .code(.textTooLong(bytes: 3000, most: 2953))),
    ])
    func `a network that cannot be told to a camera is one, and it can be entered again`(
        name: String,
        password: String,
        error: CameraSetupError
    ) async throws {
        await open()
        await readLabel()
        for _ in 0..<2 {
            await setup.send(.showCode(network: name, password: EnteredSecret(password)))
            await expectAlert(error)
            #expect(setup.state.step == .labelRead)
        }
        await end()
    }

    @Test func `a camera that does not join is one, with what the search says where it fails`() async throws {
        let lost = ScriptedNetworkCameras()
        for (cameras, failure) in [
            (lost, nil), (ScriptedNetworkCameras(failure: .sessionStartFailed), .sessionStartFailed),
        ] as [(ScriptedNetworkCameras, CameraError?)] {
            let (local, codes) = (local, ScriptedCodes().codes)
            let fixture = try AppFixture {
                $0.cameras = [.local: { _ in local }]
                $0.networkCameras = cameras.factory
                $0.cameraCodes = codes
            }
            _ = await fixture.app.launch()
            local.show(Int(ScriptedCodes.label))
            let screen = CameraSetupScreen(fixture.app)
            screen.appear()
            await screen.send(.start)
            await screen.states.reaches { $0.step == .labelRead }
            await screen.send(.showCode(network: "Home", password: Self.password))
            await screen.states.reaches { $0.alert != nil }
            let error = CameraSetupError.didNotJoin(device: "", seconds: 120, searchFailure: failure)
            #expect(screen.state.alert?.text == error.localizedDescription)
            #expect(screen.state.step == .labelRead && screen.state.codes == 0)
            await screen.send(.dismissAlert)
            await screen.states.reaches { $0.alert == nil }
            screen.disappear()
            await fixture.app.shutdown()
        }
    }

    @Test func `credentials that cannot be kept are one, and nothing is connected`() async throws {
        await open()
        await readLabel()
        fixture.secrets.fail(with: .busy(path: "/secret/keys"))
        await setup.send(.showCode(network: "Home", password: Self.password))
        await expectAlert(.notSaved(.unknown(SecretStoreError.busy(path: "/secret/keys"))))
        #expect(setup.state.step == .labelRead && cameras.credentials.isEmpty)
        await end()
    }

    @Test func `a camera that is not connected is one that offers to connect it, which closes the sheet`()
        async throws
    {
        await open()
        await readLabel()
        cameras.refusal.set(.sessionStartFailed)
        await setup.send(.showCode(network: "Home", password: Self.password))
        await setup.states.reaches { $0.alert != nil }
        #expect(
            setup.state.alert?.text == CameraSetupError.notConnected(.sessionStartFailed).localizedDescription
        )
        #expect(setup.state.step == .idle && screens.discovery.state.picked == nil)
        // It is kept: the next time is a plain connecting.
        #expect(try CameraKey(fixture.secrets).read()?.device == ScriptedCodes.device)
        cameras.refusal.set(nil)
        await setup.send(.retry)
        #expect(screens.navigation.state.presentedSheet == nil)
        #expect(fixture.app.camera.status.value.source == .veepaWiFi)
        await end()
    }

    @Test func `a camera whose password was changed is one, and its password is asked for`() async throws {
        await open()
        await readLabel()
        cameras.refusal.set(.unknown(Refusal()))
        await setup.send(.showCode(network: "Home", password: Self.password))
        await expectAlert(.notConnected(.unknown(Refusal())))
        await screens.discovery.states.reaches { $0.picked == ScriptedCodes.device }
        #expect(try CameraKey(fixture.secrets).read() == nil, "what never can be right is not kept")
        await end()
    }

    private struct Refusal: ExplainedError {
        var explanation: ErrorExplanation { ErrorExplanation("The password is wrong.", mayPass: false) }
    }

    @Test func `those of the list are what their errors say to people, and go with OK`() async throws {
        await open()
        let discovery = screens.discovery
        await discovery.send(.pick(ScriptedCodes.device))
        for error in [CameraError.sessionStartFailed, .unknown(Refusal())] {
            cameras.refusal.set(error)
            await discovery.send(.setUp(user: "admin", password: Self.password))
            #expect(discovery.state.alert?.text == error.localizedDescription)
            await discovery.send(.dismissAlert)
            #expect(discovery.state.alert == nil)
        }
        fixture.secrets.fail(with: .busy(path: "/secret/keys"))
        let busy = SecretStoreError.busy(path: "/secret/keys")
        for action in [DiscoveryScreen.Action.setUp(user: "admin", password: Self.password), .forget] {
            await discovery.send(action)
            #expect(discovery.state.alert?.text == busy.localizedDescription)
            await discovery.send(.dismissAlert)
            #expect(discovery.state.alert == nil)
        }
        await end()
    }

    @Test func `a search that fails is one that offers to search again`() async throws {
        let failing = ScriptedNetworkCameras(failure: .sessionStartFailed)
        let fixture = try AppFixture {
            $0.cameras[.veepaWiFi] = nil
            $0.networkCameras = failing.factory
        }
        _ = await fixture.app.launch()
        let screen = DiscoveryScreen(fixture.app)
        screen.appear()
        await screen.states.reaches { $0.alert != nil }
        #expect(screen.state.alert?.text == CameraError.sessionStartFailed.localizedDescription)
        await screen.send(.dismissAlert)
        #expect(screen.state.alert == nil)
        screen.disappear()
        await fixture.app.shutdown()
    }

    // MARK: Windows

    @Test
    func
        `a window that is lost and comes back finds the camera that was picked, and one that closes the sheet does not`()
        async throws
    {
        await open()
        await screens.discovery.send(.pick(ScriptedCodes.device))
        screens.disappear()
        #expect(screens.discovery.state.picked == ScriptedCodes.device)
        screens.appear()
        await screens.discovery.states.reaches { !$0.cameras.isEmpty }
        #expect(screens.discovery.state.picked == ScriptedCodes.device)
        await screens.discovery.send(.setUp(user: "admin", password: Self.password))
        #expect(screens.navigation.state.presentedSheet == nil && cameras.credentials.count == 1)
        await screens.discovery.states.reaches { $0.picked == nil }
        await end()
    }

    @Test func `a second window that starts a setup has it, and the first one is at the beginning`()
        async throws
    {
        await open()
        await readLabel()
        let other = fixture.app.makeScreens()
        other.appear()
        await other.navigation.send(.present(.cameraDiscovery))
        await other.setup.states.reaches { $0.isAvailable }
        #expect(other.setup.state.step == .idle && setup.state.step == .labelRead)
        local.show(1)
        await other.setup.send(.start)
        await setup.states.reaches { $0.step == .idle }
        #expect(other.setup.state.step == .scanning)
        // What the first one does now is about nothing.
        await setup.send(.cancel)
        await setup.send(.showCode(network: "Home", password: Self.password))
        screens.disappear()
        #expect(other.setup.state.step == .scanning)
        other.disappear()
        await fixture.app.shutdown()
        #expect(fixture.app.cameraSetup?.state.value == CameraSetupState())
    }
}
