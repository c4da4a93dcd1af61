import Concurrency
import Lens
import LensScenarios
import LensScreens
import ScenarioKit
import ScreenKit
import Services
import Simulation
import SimulationTesting
import Synchronization
import TestSupport
import Testing
import VeepaCameraSimulator

/// The setup of a new Wi-Fi camera in the screens of the app, with a camera that reads the codes that are shown.
@Suite("The setup of a new Wi-Fi camera", .timeLimit(.minutes(10)))
struct CameraSetupScenarioTests {
    /// What was seen when credentials were kept.
    private struct Saving: Equatable, Sendable {
        var step: CameraSetupState.Step
        var hasJoined: Bool
        var logins: Int
    }

    /// A world with a new camera, and the moments in which credentials were kept.
    private func start() async throws -> (LensWorld, SimulatedWiFiCamera, Box<[Saving]>) {
        var options = LensOptions()
        options.networkCamera = .new
        options.keepsDatabase = true
        options.scene = .prepared(try PreparedFrames.make(size: options.size))
        let (savings, running) = (Box<[Saving]>([]), Box<LensWorld?>(nil))
        options.adjust = { environment in
            environment.secrets = NotedSecrets(base: environment.secrets) {
                guard let world = running.value, let seen = world.wifiCamera?.record,
                    let step = world.lens.cameraSetup?.state.value.step
                else { return }
                savings.append(Saving(step: step, hasJoined: seen.searches > 0, logins: seen.logins))
            }
        }
        let world = try await LensWorld.start(options)
        running.set(world)
        return (world, try #require(world.wifiCamera), savings)
    }

    private struct NotedSecrets: SecretStore {
        let base: any SecretStore
        let noted: @Sendable () -> Void

        init(base: any SecretStore, _ noted: @escaping @Sendable () -> Void) {
            (self.base, self.noted) = (base, noted)
        }

        func secret(named name: String) throws(SecretStoreError) -> Secret? { try base.secret(named: name) }

        func set(_ secret: Secret?, named name: String) throws(SecretStoreError) {
            if name == CameraKey.name { noted() }
            try base.set(secret, named: name)
        }
    }

    private static let credentials = CameraCredentials(
        device: SimulatedWiFiCamera.id,
        password: Secret(SimulatedWiFiCamera.factoryPassword)
    )

    /// Up to the step at which the Wi-Fi network is entered.
    @MainActor
    private func readLabel(_ screens: LensScreens, _ camera: SimulatedWiFiCamera) async throws {
        await screens.camera.send(.choose(.veepaWiFi))
        await screens.setup.send(.start)
        try camera.holdLabel(true)
        for await state in screens.setup.states.values() where state.step == .labelRead { break }
        try camera.holdLabel(false)
    }

    @MainActor
    private func enter(_ screens: LensScreens) async {
        let wifi = SimulatedWiFiCamera.wifi
        await screens.setup.send(
            .showCode(network: wifi.name, password: EnteredSecret(wifi.password.reveal()))
        )
    }

    private static func waitUntil(_ limit: Duration = .seconds(180), _ isIt: () async throws -> Bool)
        async rethrows
        -> Bool
    {
        let end = ContinuousClock.now + limit
        while ContinuousClock.now < end {
            if try await isIt() { return true }
            try? await Task.sleep(for: .milliseconds(20))
        }
        return false
    }

    private static func isConnected(_ app: LensApp) -> Bool {
        app.camera.status.value.source == .veepaWiFi && app.camera.status.value.state == .connected
    }

    @Test(
        "LENS-070 the app scans, has read the label, shows the code of the Wi-Fi network, sees the camera join, has saved its credentials, and connects, in this order",
        .simulated(seeds: 1...5)
    )
    func order() async throws {
        let (world, camera, savings) = try await start()
        try await world.onPhone { app in
            let screens = await app.makeScreens()
            await screens.appear()
            let steps = Box<[CameraSetupState.Step]>([])
            // A screen may pass over a step that is over at once.
            let states = try #require(app.cameraSetup).state.values()
            let following = Task {
                for await state in states where state.step != steps.value.last { steps.append(state.step) }
            }
            try await readLabel(screens, camera)
            #expect(await screens.setup.state.device == SimulatedWiFiCamera.id)
            #expect(await screens.setup.state.codes == 0 && camera.record.codes == 0)
            await enter(screens)
            let shown = await screens.setup.state
            #expect(
                shown.step == .showingCode && shown.codes > 0
                    && shown.networkName == SimulatedWiFiCamera.wifi.name
            )
            #expect(camera.record.searches == 0 && savings.value.isEmpty, "it is on no network yet")
            #expect(await Self.waitUntil { Self.isConnected(app) })
            #expect(await Self.waitUntil { await screens.navigation.state.presentedSheet == nil })
            try await Task.sleep(for: .seconds(1))
            following.cancel()
            #expect(
                steps.value
                    == [.idle, .scanning, .labelRead, .showingCode, .joined, .connecting, .finished, .idle]
            )
            await screens.disappear()
        }
        // It was there, and nobody had logged in.
        #expect(savings.value == [Saving(step: .joined, hasJoined: true, logins: 0)])
        #expect(camera.record.logins == 1 && camera.record.joinAttempts == 1)
        try await world.shutdown()
    }

    @Test(
        "LENS-074 when the camera has joined the Wi-Fi network, its credentials are in the secret store, and it is connected with them by itself",
        .simulated(seeds: 1...5)
    )
    func joined() async throws {
        let (world, camera, savings) = try await start()
        try await world.onPhone { app in
            let key = try #require(app.networkCamera).key
            let screens = await app.makeScreens()
            await screens.appear()
            try await readLabel(screens, camera)
            await enter(screens)
            try await Task.sleep(for: .seconds(3))
            #expect(try key.read() == nil && savings.value.isEmpty)
            #expect(await Self.waitUntil { camera.record.searches > 0 })
            // Nobody does anything.
            #expect(await Self.waitUntil(.seconds(20)) { Self.isConnected(app) })
            #expect(try key.read() == Self.credentials)
            #expect(camera.record.logins == 1 && camera.record.rejections == 0)
            try await Task.sleep(for: .seconds(1))
            #expect(await app.camera.latestFrame() != nil)
            #expect(app.settings.current.value.lastCameraSource == .veepaWiFi)
            await screens.disappear()
        }
        try await world.shutdown()
    }

    private static let steps: [CameraSetupState.Step] = [.scanning, .labelRead, .showingCode, .connecting]

    @Test(
        "LENS-076 a setup that is cancelled at any step saves nothing, leaves the camera as it was, on or off, and no task behind",
        .simulated(seeds: 1...4),
        arguments: steps,
        [true, false]
    )
    func cancelled(step: CameraSetupState.Step, isOn: Bool) async throws {
        let (world, camera, savings) = try await start()
        try await world.onPhone { app in
            let key = try #require(app.networkCamera).key
            let screens = await app.makeScreens()
            await screens.appear()
            #expect(await Self.waitUntil { app.camera.status.value.state == .connected })
            if !isOn { await screens.camera.send(.stop) }
            let before = app.camera.status.value
            if step == .scanning {
                await screens.camera.send(.choose(.veepaWiFi))
                await screens.setup.send(.start)
            } else {
                try await readLabel(screens, camera)
            }
            if step == .showingCode || step == .connecting { await enter(screens) }
            if step == .connecting {
                for await state in try #require(app.cameraSetup).state.values()
                where state.step == .connecting {
                    break
                }
            } else {
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...4_000)))
            }
            #expect(app.cameraSetup?.state.value.step == step)
            await screens.setup.send(.cancel)
            #expect(await screens.setup.state.step == .idle)
            func expectNothing() async throws {
                #expect(try key.read() == nil)
                #expect(app.cameraSetup?.state.value == CameraSetupState())
                #expect(await app.cameraSetup?.code(0) == nil)
                #expect(app.camera.status.value.source == before.source)
                #expect(app.camera.status.value.state == before.state)
            }
            // A camera that was on is on again in a moment.
            try await Task.sleep(for: .seconds(2))
            try await expectNothing()
            let asked = camera.record.searches
            try await Task.sleep(for: .seconds(180))
            try await expectNothing()
            #expect(camera.record.searches == asked && camera.record.openSessions == 0, "nobody looks for it")
            // Kept for a moment where it had joined, and then not any more.
            #expect(savings.value.count == (step == .connecting ? 2 : 0))
            await screens.disappear()
        }
        try await world.shutdown()
    }

    @Test(
        "LENS-077 a second switch to the Wi-Fi camera after its setup loads what was saved and connects, without another setup, also after a restart",
        .simulated(seeds: 1...4),
        arguments: [true, false]
    )
    func second(restarts: Bool) async throws {
        let (world, camera, savings) = try await start()
        try await world.onPhone { app in
            let screens = await app.makeScreens()
            await screens.appear()
            try await readLabel(screens, camera)
            await enter(screens)
            #expect(await Self.waitUntil { await screens.navigation.state.presentedSheet == nil })
            await screens.camera.send(.choose(.local))
            #expect(app.camera.status.value.source == .local)
            await screens.disappear()
        }
        if restarts { try await world.restartPhone() }
        let (codes, joins) = (camera.record.codes, camera.record.joinAttempts)
        try await world.onPhone { app in
            let screens = await app.makeScreens()
            await screens.appear()
            let seen = Box<Set<CameraSetupState.Step>>([])
            let setup = try #require(app.cameraSetup)
            let following = Task {
                for await state in setup.state.values() { seen.set(seen.value.union([state.step])) }
            }
            await screens.camera.send(.choose(.veepaWiFi))
            #expect(Self.isConnected(app) && camera.record.logins == 2)
            #expect(await screens.navigation.state.presentedSheet == nil)
            #expect(try app.networkCamera?.key.read() == Self.credentials)
            try await Task.sleep(for: .seconds(5))
            following.cancel()
            #expect(seen.value == [.idle] && savings.value.count == 1)
            #expect(camera.record.codes == codes && camera.record.joinAttempts == joins)
            await screens.disappear()
        }
        try await world.shutdown()
    }

    // MARK: Stories

    @Test(
        "a new camera is set up, and what is given up leaves nothing, over many seeds",
        .simulated(seeds: 1...12)
    )
    func scenario() async throws { _ = try await LensCameraSetup().run() }

    @Test(
        "LENS-260 a launch, the setup of a Wi-Fi camera, a stream, spoken replies, a recording, an upload that fails once and succeeds then, and a relaunch that restores all",
        .simulated(seeds: 1...4)
    )
    func firstUse() async throws {
        let summary = try await LensFirstUse().run()
        #expect(summary.figures.map(\.name) == ["replies", "logins"])
        #expect(summary.figures.allSatisfy { $0.value >= 2 })
    }
}
