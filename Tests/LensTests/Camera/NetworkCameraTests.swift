import AppKernel
import Concurrency
import Foundation
import Lens
import LensScreens
import ScreenKit
import Services
import SimulatedDevice
import SimulationTesting
import Synchronization
import TestSupport
import Testing

@Suite("The camera of the network", .simulated(seeds: 1...3, configuration: .shortWaits))
@MainActor
struct NetworkCameraTests {
    private nonisolated static let credentials = CameraCredentials(
        device: "VSTK-123456-ABCDE",
        user: "owner",
        password: Secret("pass&word=1"),
        service: "EBGD:camera"
    )
    private nonisolated static let found = [
        DiscoveredCamera(device: "VSTK-123456-ABCDE", address: "10.0.0.2:32108"),
        DiscoveredCamera(device: "DGOK-000001-ABCDE", address: "10.0.0.3:5000"),
    ]

    /// An app with a scripted network, whose local camera notes its steps in the same log.
    private func make(
        _ cameras: ScriptedNetworkCameras,
        secrets: InMemorySecretStore = InMemorySecretStore(),
        storage: AppStorage? = nil,
        adjust: (inout LensEnvironment) -> Void = { _ in }
    ) throws -> AppFixture {
        let local = ScriptedCamera("local", log: cameras.log)
        local.show(1)
        return try AppFixture(storage: storage, secrets: secrets) {
            $0.cameras = [.local: { _ in local }]
            $0.networkCameras = cameras.factory
            adjust(&$0)
        }
    }

    private func setUp(_ secrets: InMemorySecretStore) async throws {
        try CameraKey(secrets).write(Self.credentials)
    }

    // MARK: Launch

    @Test(
        "LENS-001 a launch prepares the engine, looks at permissions, loads the key, restores camera and history, and shows the app, in this order"
    )
    func launchOrder() async throws {
        let first = try make(ScriptedNetworkCameras())
        _ = await first.app.launch()
        await first.app.conversation.append(ChatMessage(role: .user, content: .text("Hi")))
        first.app.settings.update { $0.lastCameraSource = .veepaWiFi }
        await first.app.shutdown()
        try first.database.close()

        let seen = Snapshots()
        let secrets = WatchedSecrets(base: InMemorySecretStore(["gemini_api_key": Secret("abc")]), seen)
        let permissions = WatchedPermissions(seen: seen)
        let cameras = ScriptedNetworkCameras()
        let fixture = try make(cameras, storage: first.storage) {
            $0.secrets = secrets
            $0.permissions = permissions
            $0.networkCameras = { () async throws(CameraError) in
                seen.note("engine")
                return try await cameras.factory()
            }
        }
        seen.app.set(fixture.app)
        let screens = fixture.app.makeScreens()
        screens.navigation.appear()
        #expect(!screens.navigation.state.isLaunched)
        let report = await fixture.app.launch()
        let six: [LaunchReport.Step] = [
            .deviceEnginePrepared, .permissionsChecked, .keyLoaded, .cameraSourceRestored, .historyLoaded,
            .navigationShown,
        ]
        #expect(report.steps.filter(six.contains) == six && report.steps.last == .navigationShown)
        #expect(report.steps.allSatisfy { report.outcomes[$0] == .done })
        // What each found when its turn came: the later ones had not happened.
        #expect(
            seen.all == [
                "engine: starting, no permissions, no key, local, 0 messages, not shown",
                "camera: running, no permissions, no key, local, 0 messages, not shown",
                "microphone: running, no permissions, no key, local, 0 messages, not shown",
                "key: running, permissions, no key, local, 0 messages, not shown",
            ]
        )
        #expect(seen.describe() == "running, permissions, key, veepaWiFi, 1 messages, shown")
        await screens.navigation.states.reaches { $0.isLaunched }
        #expect(screens.navigation.state.selectedTab == .camera)
        screens.disappear()
        await fixture.app.shutdown()
    }

    @Test(
        "LENS-002 a launch with the local camera or none stored makes no engine; with the camera of the network it does",
        arguments: [(nil, 0), ("local", 0), ("veepaWiFi", 1)] as [(String?, Int)]
    )
    func launchEngine(stored: String?, made: Int) async throws {
        let storage = try AppStorage()
        let database = try AppDatabase(path: storage.database("app.sqlite"))
        try SQLitePreferenceStore(database).set(["lastCameraSource": stored])
        try database.close()
        let cameras = ScriptedNetworkCameras()
        let fixture = try make(cameras, storage: storage)
        let report = await fixture.app.launch()
        #expect(cameras.made == made)
        #expect(fixture.app.networkCamera?.engine.state.value == (made == 0 ? .absent : .running))
        #expect(report.outcomes[.deviceEnginePrepared] == (made == 0 ? .skipped : .done))
        await fixture.app.shutdown()
    }

    @Test(
        "an engine that does not start keeps nothing else from launching, and is started again when it is needed"
    )
    func engineFails() async throws {
        let storage = try AppStorage()
        let database = try AppDatabase(path: storage.database("app.sqlite"))
        try SQLitePreferenceStore(database).set(["lastCameraSource": "veepaWiFi"])
        try database.close()
        let (cameras, fails) = (ScriptedNetworkCameras(), CurrentValue(true))
        let fixture = try make(cameras, storage: storage) {
            $0.networkCameras = { () async throws(CameraError) in
                if fails.value { throw .sessionStartFailed }
                return try await cameras.factory()
            }
        }
        let report = await fixture.app.launch()
        #expect(report.steps == LaunchReport.Step.allCases && report.problems.count == 1)
        #expect(fixture.app.networkCamera?.engine.state.value == .absent)
        fails.set(false)
        try await fixture.app.networkCamera?.search(for: .seconds(1)) { _ in }
        #expect(fixture.app.networkCamera?.engine.state.value == .running)
        await fixture.app.shutdown()
    }

    @Test(
        "LENS-247 the engine is named veepa_camera, and is made at the first access, once, also when many ask at once"
    )
    func engineOnce() async throws {
        #expect(DeviceEngine.name == "veepa_camera")
        let cameras = ScriptedNetworkCameras()
        let engine = DeviceEngine(cameras.factory)
        #expect(cameras.made == 0 && engine.state.value == .absent)
        let states = engine.state.values(backlog: 16)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 {
                group.addTask { try await engine.cameras() as? ScriptedNetworkCameras === cameras }
            }
            for try await isSame in group { #expect(isSame) }
        }
        #expect(cameras.made == 1 && engine.state.value == .running)
        _ = try await engine.cameras()
        #expect(cameras.made == 1)
        var seen: [DeviceEngine.State] = []
        for await state in states {
            seen.append(state)
            if state == .running { break }
        }
        #expect(seen == [.absent, .starting, .running])
    }

    @Test(
        "an app has one engine for a search, a camera that is connected and the setup of another, and none before the first"
    )
    func engineOfAnApp() async throws {
        let cameras = ScriptedNetworkCameras(
            found: [DiscoveredCamera(device: ScriptedCodes.device, address: "a:1")]
        )
        let local = ScriptedCamera("local", log: cameras.log)
        local.show(Int(ScriptedCodes.label))
        let fixture = try make(cameras) {
            $0.cameras = [.local: { _ in local }]
            $0.cameraCodes = ScriptedCodes().codes
        }
        let app = fixture.app
        let (network, setup) = (try #require(app.networkCamera), try #require(app.cameraSetup))
        _ = await app.launch()
        try await app.camera.connect()
        await setup.start()
        await setup.state.reaches { $0.step == .labelRead }
        #expect(cameras.made == 0 && network.engine.state.value == .absent)
        // The setup looks for its camera while somebody searches, and connects it.
        let found = CurrentValue(0)
        async let search: Void = network.search(for: .seconds(1)) { _ in found.update { $0 += 1 } }
        try await setup.show(WiFiAccess(name: "Home", password: Secret("password")))
        try await search
        await setup.state.reaches { $0.step == .finished }
        try await app.camera.switchTo(.local)
        try await network.search(for: .seconds(1)) { _ in found.update { $0 += 1 } }
        try await app.camera.switchTo(.veepaWiFi)
        #expect(app.camera.status.value.source == .veepaWiFi && app.camera.status.value.state == .connected)
        #expect(found.value == 2 && cameras.made == 1 && network.engine.state.value == .running)
        // It was made before anything was asked of it.
        let steps = cameras.log.value.filter { ["engine", "search"].contains($0) || $0.hasPrefix("make") }
        #expect(steps.first == "engine" && steps.count { $0 == "engine" } == 1)
        #expect(steps.count { $0 == "search" } == 3 && steps.count { $0.hasPrefix("make") } == 1, "\(steps)")
        await app.shutdown()
    }

    // MARK: Switching

    @Test(
        "LENS-056 a change disconnects the local camera, starts the engine, loads the credentials, connects, and then there are frames"
    )
    func switchOrder() async throws {
        let secrets = InMemorySecretStore()
        try await setUp(secrets)
        let cameras = ScriptedNetworkCameras()
        let fixture = try make(cameras, secrets: secrets) {
            $0.secrets = NotedCredentials(base: secrets, log: cameras.log)
        }
        _ = await fixture.app.launch()
        // A launch looks whether they are there.
        cameras.log.set([])
        try await fixture.app.camera.connect()
        try await fixture.app.camera.switchTo(.veepaWiFi)
        #expect(
            cameras.log.value == [
                "local connect", "local connected", "local disconnect", "engine", "make 1920", "credentials",
                "wireless connect", "wireless connected",
            ]
        )
        #expect(await fixture.app.camera.latestFrame()?.sequence == 2)
        await fixture.app.shutdown()
    }

    @Test(
        "LENS-055 the camera of the network is chosen in the settings or in the camera's tab",
        arguments: [true, false]
    )
    func choice(inSettings: Bool) async throws {
        let secrets = InMemorySecretStore()
        try await setUp(secrets)
        let fixture = try make(ScriptedNetworkCameras(), secrets: secrets)
        _ = await fixture.app.launch()
        let screens = fixture.app.makeScreens()
        screens.appear()
        let settings = SettingsScreen(fixture.app)
        settings.appear()
        #expect(settings.state.cameras == [.local, .veepaWiFi] && settings.state.camera == .local)
        if inSettings {
            await settings.send(.chooseCamera(.veepaWiFi))
        } else {
            await screens.camera.send(.choose(.veepaWiFi))
        }
        let status = fixture.app.camera.status.value
        #expect(status.source == .veepaWiFi && status.state == .connected)
        await settings.states.reaches { $0.camera == .veepaWiFi }
        settings.disappear()
        screens.disappear()
        await fixture.app.shutdown()
    }

    @Test(
        "LENS-058 LENS-059 credentials that are kept are the ones with which the camera is connected, and nothing is set up",
        arguments: [credentials, CameraCredentials(device: "DGOK-000001-ABCDE", password: Secret(""))]
    )
    func credentials(_ kept: CameraCredentials) async throws {
        let secrets = InMemorySecretStore()
        try CameraKey(secrets).write(kept)
        let cameras = ScriptedNetworkCameras()
        let fixture = try make(cameras, secrets: secrets)
        _ = await fixture.app.launch()
        let screens = fixture.app.makeScreens()
        screens.appear()
        await screens.camera.send(.choose(.veepaWiFi))
        #expect(cameras.credentials == [kept])
        #expect(screens.navigation.state.presentedSheet == nil && screens.camera.state.alert == nil)
        #expect(!cameras.log.value.contains("search") && !screens.camera.state.needsSetUp)
        screens.disappear()
        await fixture.app.shutdown()
    }

    @Test(
        "LENS-060 LENS-061 without credentials the set-up begins, and nothing is connected before some are kept; such as cannot be read count as none, and are reported",
        arguments: [nil, "nonsense", "{}"] as [String?]
    )
    func notSetUp(kept: String?) async throws {
        let secrets = InMemorySecretStore(kept.map { [CameraKey.name: Secret($0)] } ?? [:])
        let cameras = ScriptedNetworkCameras(found: Self.found)
        let fixture = try make(cameras, secrets: secrets)
        _ = await fixture.app.launch()
        let screens = fixture.app.makeScreens()
        screens.appear()
        await screens.camera.send(.choose(.veepaWiFi))
        #expect(screens.navigation.state.presentedSheet == .cameraDiscovery)
        #expect(screens.camera.state.needsSetUp && screens.camera.state.alert == nil)
        #expect(cameras.credentials.isEmpty && !cameras.log.value.contains("wireless connect"))
        // The present camera goes on.
        let status = fixture.app.camera.status.value
        #expect(status.source == .local && status.error == nil)
        let direct = await #expect(throws: CameraError.self) {
            try await fixture.app.camera.switchTo(.veepaWiFi)
        }
        #expect(direct?.needsSetUp == true && cameras.credentials.isEmpty)
        await screens.discovery.states.reaches { $0.cameras == Self.found && !$0.isSearching }
        #expect((screens.discovery.state.alert != nil) == (kept != nil), "what cannot be read is reported")
        // Now it is.
        await screens.discovery.states.reaches { $0.cameras == Self.found && !$0.isSearching }
        await screens.discovery.send(.pick(Self.credentials.device))
        await screens.discovery.send(.setUp(user: "owner", password: EnteredSecret("pass&word=1")))
        #expect(screens.navigation.state.presentedSheet == nil)
        #expect(fixture.app.camera.status.value.state == .connected)
        var expected = Self.credentials
        expected.service = nil
        #expect(cameras.credentials == [expected])
        #expect(try CameraKey(secrets).read() == expected)
        screens.disappear()
        await fixture.app.shutdown()
    }

    // MARK: Discovery

    @Test("LENS-068 a search lists the cameras that it finds, which the sheet shows, and a tap picks one")
    func discovery() async throws {
        let cameras = ScriptedNetworkCameras(found: Self.found)
        let fixture = try make(cameras)
        _ = await fixture.app.launch()
        let screens = fixture.app.makeScreens()
        screens.appear()
        #expect(screens.discovery.state == DiscoveryScreen.State())
        await screens.navigation.send(.present(.cameraDiscovery))
        await screens.discovery.states.reaches { $0.cameras == Self.found }
        await screens.discovery.states.reaches { !$0.isSearching }
        #expect(screens.discovery.state.picked == nil && screens.discovery.state.alert == nil)
        await screens.discovery.send(.pick(Self.found[1].device))
        #expect(screens.discovery.state.picked == "DGOK-000001-ABCDE")
        await screens.discovery.send(.unpick)
        #expect(screens.discovery.state.picked == nil && screens.discovery.state.cameras == Self.found)
        // Closed, it forgets, and looks again the next time.
        await screens.navigation.send(.dismissSheet)
        await screens.discovery.states.reaches { $0 == DiscoveryScreen.State() }
        await screens.navigation.send(.present(.cameraDiscovery))
        await screens.discovery.states.reaches { $0.cameras == Self.found }
        screens.disappear()
        await fixture.app.shutdown()
    }

    @Test("a search that fails is an alert that offers to repeat it")
    func failedDiscovery() async throws {
        let cameras = ScriptedNetworkCameras(failure: .sessionStartFailed)
        let fixture = try make(cameras)
        _ = await fixture.app.launch()
        let screen = DiscoveryScreen(fixture.app)
        screen.appear()
        await screen.states.reaches { $0.alert?.offersRetry == true }
        #expect(!screen.state.isSearching)
        let alert = screen.state.alert
        await screen.send(.retry)
        #expect(screen.state.isSearching && screen.state.alert == nil)
        await screen.states.reaches { $0.alert == alert }
        #expect(!screen.state.isSearching && cameras.log.value.filter { $0 == "search" }.count == 2)
        await screen.send(.dismissAlert)
        #expect(screen.state.alert == nil)
        screen.disappear()
        #expect(screen.state == DiscoveryScreen.State())
        await fixture.app.shutdown()
    }

    @Test("credentials that cannot be kept change nothing, and a camera that is forgotten is disconnected")
    func storeFails() async throws {
        let secrets = InMemorySecretStore()
        let cameras = ScriptedNetworkCameras()
        let fixture = try make(cameras, secrets: secrets)
        _ = await fixture.app.launch()
        let screen = DiscoveryScreen(fixture.app)
        screen.appear()
        await screen.send(.pick(Self.credentials.device))
        secrets.fail(with: .busy(path: "keys"))
        await screen.send(.setUp(user: "owner", password: EnteredSecret("x")))
        #expect(screen.state.alert != nil && cameras.credentials.isEmpty && !screen.state.isSetUp)
        secrets.fail(with: nil)
        await screen.send(.setUp(user: "owner", password: EnteredSecret("x")))
        #expect(screen.state.alert == nil && screen.state.isSetUp && cameras.credentials.count == 1)
        // Another password, of the same camera: it is connected with that.
        await screen.send(.setUp(user: "owner", password: EnteredSecret("y")))
        #expect(cameras.credentials.map { $0.password.reveal() } == ["x", "y"])
        await screen.send(.forget)
        #expect(!screen.state.isSetUp && fixture.app.camera.status.value.state == .disconnected)
        #expect(try CameraKey(secrets).read() == nil)
        screen.disappear()
        await fixture.app.shutdown()
    }

    @Test(
        "LENS-223 the camera's state has its kind of preview, zoom, focus and recording; sheet and stream have theirs"
    )
    func screenState() async throws {
        let secrets = InMemorySecretStore()
        try await setUp(secrets)
        let session = ScriptedSession()
        let (local, cameras) = (ScriptedCamera("local"), ScriptedNetworkCameras(found: Self.found))
        let fixture = try make(cameras, secrets: secrets) {
            $0.cameras = [.local: { _ in local }]
            $0.model = ScriptedModel(sessions: [session])
        }
        _ = await fixture.app.launch()
        let screens = fixture.app.makeScreens()
        screens.appear()
        await screens.camera.states.reaches { $0.connection == .connected }
        for source in [CameraSourceType.local, .veepaWiFi] {
            await screens.camera.send(.choose(source))
            #expect(screens.camera.state.source == source && screens.camera.state.connection == .connected)
            #expect(screens.camera.state.zoomRange == 1...8 && screens.camera.state.canFocus)
            await screens.camera.send(.setZoom(3))
            await screens.camera.send(.focus(x: 0.25, y: 0.5))
            #expect(screens.camera.state.zoomLevel == 3)
            #expect(screens.camera.state.focus == FocusPoint(x: 0.25, y: 0.5))
            (source == .local ? local : cameras.camera).show(Movie.frame(0))
            await screens.camera.send(.startRecording)
            #expect(screens.camera.state.isRecording)
            await screens.camera.send(.stopRecording)
            #expect(!screens.camera.state.isRecording && screens.camera.state.alert == nil)
        }
        await screens.stream.send(.start)
        #expect(screens.stream.state.isStreaming)
        await screens.stream.send(.stop)
        #expect(!screens.stream.state.isStreaming)
        await screens.navigation.send(.present(.cameraDiscovery))
        await screens.discovery.states.reaches { $0.cameras == Self.found }
        #expect(screens.navigation.state.presentedSheet == .cameraDiscovery)
        screens.disappear()
        await fixture.app.shutdown()
    }
}

/// What an app had done when something was asked of it.
private final class Snapshots: Sendable {
    let app = CurrentValue<LensApp?>(nil)
    private let notes = Mutex<[String]>([])

    var all: [String] { notes.withLock(\.self) }

    func note(_ name: String) {
        let text = "\(name): \(describe())"
        notes.withLock { $0.append(text) }
    }

    func describe() -> String {
        guard let app = app.value else { return "no app" }
        let hasPermissions = app.permissions.value.camera == .granted
        return [
            app.networkCamera?.engine.state.value.rawValue ?? "",
            hasPermissions ? "permissions" : "no permissions",
            app.modelKey.isKept.value ? "key" : "no key", app.camera.status.value.source.rawValue,
            "\(app.conversation.content.value.messages.count) messages",
            app.isLaunched.value ? "shown" : "not shown",
        ].joined(separator: ", ")
    }
}

private struct WatchedSecrets: SecretStore {
    let base: InMemorySecretStore
    let seen: Snapshots

    init(base: InMemorySecretStore, _ seen: Snapshots) { (self.base, self.seen) = (base, seen) }

    func secret(named name: String) throws(SecretStoreError) -> Secret? {
        if name == ModelKey.name { seen.note("key") }
        return try base.secret(named: name)
    }

    func set(_ secret: Secret?, named name: String) throws(SecretStoreError) {
        try base.set(secret, named: name)
    }
}

private struct WatchedPermissions: PermissionAuthority {
    let seen: Snapshots

    func status(of permission: DevicePermission) -> PermissionStatus {
        seen.note("\(permission)")
        return .granted
    }

    func request(_ permission: DevicePermission) async -> PermissionStatus { .granted }
}

/// Keeps what another store keeps, and notes when the camera's credentials are read.
private struct NotedCredentials: SecretStore {
    let base: InMemorySecretStore
    let log: CurrentValue<[String]>

    func secret(named name: String) throws(SecretStoreError) -> Secret? {
        if name == CameraKey.name { log.update { $0.append("credentials") } }
        return try base.secret(named: name)
    }

    func set(_ secret: Secret?, named name: String) throws(SecretStoreError) {
        try base.set(secret, named: name)
    }
}
