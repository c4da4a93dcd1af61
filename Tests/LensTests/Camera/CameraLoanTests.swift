import AppKernel
import Concurrency
import Foundation
import Lens
import LensScreens
import Services
import SimulatedDevice
import Simulation
import SimulationTesting
import TestSupport
import Testing

/// What a setup of a new camera does with the cameras of an app.
@Suite("The local camera in a setup", .simulated(seeds: 1...5, configuration: .shortWaits))
struct CameraLoanTests {
    private let local = ScriptedCamera("local")
    private let cameras: ScriptedNetworkCameras
    private let fixture: AppFixture
    private let setup: CameraSetup
    private var app: LensApp { fixture.app }

    init() throws {
        let (local, cameras) = (local, ScriptedNetworkCameras())
        self.cameras = cameras
        fixture = try AppFixture {
            $0.cameras = [.local: { _ in local }]
            $0.networkCameras = cameras.factory
            $0.cameraCodes = ScriptedCodes().codes
        }
        local.show(1)
        try CameraKey(fixture.secrets).write(CameraCredentials(device: "A", password: Secret("x")))
        setup = try #require(fixture.app.cameraSetup)
    }

    private func isChosen(_ source: CameraSourceType, _ state: CameraSourceState) async {
        await app.camera.status.reaches { $0.source == source && $0.state == state }
    }

    private func scan() async {
        await setup.start()
        await isChosen(.local, .connected)
    }

    @Test(arguments: [true, false])
    func `a Wi-Fi camera that was on is on again after the scan, and stays remembered`(isRead: Bool)
        async throws
    {
        _ = await app.launch()
        try await app.camera.switchTo(.veepaWiFi)
        await scan()
        #expect(app.settings.current.value.lastCameraSource == .veepaWiFi)
        if isRead {
            local.show(Int(ScriptedCodes.label))
        } else {
            await setup.cancel()
        }
        await isChosen(.veepaWiFi, .connected)
        #expect(setup.state.value.step == (isRead ? .labelRead : .idle))
        #expect(local.calls.value == ["connect", "connected", "disconnect"])
        #expect(app.settings.current.value.lastCameraSource == .veepaWiFi)
        await app.shutdown()
    }

    @Test func `a camera that was turned off is off after the scan, also for who looks at it later`()
        async throws
    {
        _ = await app.launch()
        try await app.camera.connect()
        await app.camera.turnOff()
        await scan()
        await setup.cancel()
        #expect(app.camera.status.value.state == .disconnected)
        try await app.showCamera(UUID())
        #expect(app.camera.status.value.state == .disconnected)
        await app.shutdown()
    }

    @Test func `a local camera that was on stays on`() async throws {
        _ = await app.launch()
        try await app.camera.connect()
        await scan()
        local.show(Int(ScriptedCodes.label))
        await setup.state.reaches { $0.step == .labelRead }
        #expect(app.camera.status.value.state == .connected)
        #expect(local.calls.value == ["connect", "connected"])
        await app.shutdown()
    }

    @Test func `a picture size that is changed during a scan does not end it, and holds after it`()
        async throws
    {
        let made = CurrentValue<[PixelSize]>([])
        let fixture = try AppFixture { [local] in
            $0.cameras = [
                .local: { size in
                    made.update { $0.append(size) }
                    return local
                }
            ]
            $0.networkCameras = ScriptedNetworkCameras().factory
            $0.cameraCodes = ScriptedCodes().codes
        }
        let setup = try #require(fixture.app.cameraSetup)
        _ = await fixture.app.launch()
        try await fixture.app.camera.connect()
        await setup.start()
        try await Task.sleep(for: .seconds(1))
        await fixture.app.settings.change { $0.videoResolution = .vga }
        try await Task.sleep(for: .seconds(1))
        #expect(setup.state.value.step == .scanning && setup.state.value.error == nil)
        #expect(made.value.count == 1)
        local.show(Int(ScriptedCodes.label))
        await setup.state.reaches { $0.step == .labelRead }
        await made.reaches { $0.last == VideoResolution.vga.size }
        await fixture.app.camera.status.reaches { $0.source == .local && $0.state == .connected }
        await fixture.app.shutdown()
    }

    @Test func `a camera that somebody chooses during the scan stays, and so does a stream`() async throws {
        _ = await app.launch()
        await scan()
        try await app.camera.switchTo(.veepaWiFi)
        await setup.state.reaches { $0.error == .pictures(.deviceNotFound) }
        await setup.cancel()
        #expect(app.camera.status.value.source == .veepaWiFi && app.camera.status.value.state == .connected)
        await scan()
        try await app.camera.switchTo(.local)
        await setup.cancel()
        #expect(app.camera.status.value.source == .local && app.camera.status.value.state == .connected)
        #expect(app.settings.current.value.lastCameraSource == .local)
        await app.shutdown()
    }

    @Test func `a viewer who goes leaves the camera to the scan, and nobody turns it on again after it`()
        async throws
    {
        _ = await app.launch()
        let viewer = UUID()
        try await app.showCamera(viewer)
        await scan()
        await app.hideCamera(viewer)
        try await Task.sleep(for: .seconds(10))
        #expect(setup.state.value.step == .scanning && app.camera.status.value.state == .connected)
        await setup.cancel()
        await isChosen(.local, .disconnected)
        try await Task.sleep(for: .seconds(10))
        #expect(app.camera.status.value.state == .disconnected)
        await app.shutdown()
    }

    @Test func `a camera that streams is not taken away by a scan`() async throws {
        let (local, cameras) = (local, cameras)
        let fixture = try AppFixture(sessions: [ScriptedSession()]) {
            $0.cameras = [.local: { _ in local }]
            $0.networkCameras = cameras.factory
            $0.cameraCodes = ScriptedCodes().codes
        }
        try CameraKey(fixture.secrets).write(CameraCredentials(device: "A", password: Secret("x")))
        let setup = try #require(fixture.app.cameraSetup)
        _ = await fixture.app.launch()
        try await fixture.app.camera.switchTo(.veepaWiFi)
        try await fixture.app.startStreaming()
        await setup.start()
        await setup.state.reaches { $0.error?.description.contains("End it first") == true }
        let status = fixture.app.camera.status.value
        #expect(status.source == .veepaWiFi && status.state == .connected && local.calls.value.isEmpty)
        await fixture.app.shutdown()
    }

    @Test func `an app that ends during a scan remembers the camera of before`() async throws {
        _ = await app.launch()
        try await app.camera.switchTo(.veepaWiFi)
        await scan()
        await app.shutdown()
        #expect(app.settings.current.value.lastCameraSource == .veepaWiFi)
        #expect(setup.state.value == CameraSetupState() && local.calls.value.last == "disconnect")
    }

    // MARK: The camera that comes back

    @Test func `a picture size that was changed while a camera was lost holds when it is back by itself`()
        async throws
    {
        _ = await app.launch()
        try await app.camera.switchTo(.veepaWiFi)
        cameras.camera.lose()
        await isChosen(.veepaWiFi, .failed)
        app.settings.update { $0.videoResolution = .vga }
        try await Task.sleep(for: .seconds(1))
        #expect(cameras.log.value.filter { $0.hasPrefix("make") } == ["make 1920"])
        try await cameras.camera.connect()
        await isChosen(.veepaWiFi, .connected)
        await cameras.log.reaches { $0.contains("make 640") && $0.last == "wireless connected" }
        await isChosen(.veepaWiFi, .connected)
        await app.shutdown()
    }

    @Test func `frames are asked for without a look at the credentials`() async throws {
        _ = await app.launch()
        try await app.camera.switchTo(.veepaWiFi)
        fixture.secrets.fail(with: .busy(path: "keys"))
        let frames = try await app.camera.frames(limit: 1)
        #expect(await frames.next() != nil)
        await app.shutdown()
    }

    // MARK: Engines that hang

    @Test func `an engine that hangs holds up neither a launch nor the end, and ends with the app`()
        async throws
    {
        let storage = try AppStorage()
        let database = try AppDatabase(path: storage.database("app.sqlite"))
        try SQLitePreferenceStore(database).set(["lastCameraSource": "veepaWiFi"])
        try database.close()
        let isGivenUp = CurrentValue(false)
        let hanging = try AppFixture(storage: storage) {
            $0.cameras[.veepaWiFi] = nil
            $0.enginePatience = .seconds(5)
            $0.networkCameras = { () async throws(CameraError) in
                try? await Task.sleep(for: .seconds(100_000))
                isGivenUp.set(true)
                throw .sessionStartFailed
            }
        }
        let clock = ContinuousClock()
        var begun = clock.now
        let report = await hanging.app.launch()
        #expect((.seconds(5) ... .seconds(6)).contains(clock.now - begun))
        guard case .failed(let reason)? = report.outcomes[.deviceEnginePrepared] else {
            Issue.record("\(String(describing: report.outcomes[.deviceEnginePrepared]))")
            return
        }
        #expect(reason.contains("\(DeviceEngine.name), which reaches Wi-Fi cameras, has not started in 5"))
        #expect(hanging.app.isLaunched.value)
        #expect(hanging.app.networkCamera?.engine.state.value == .starting)
        // Who waits for it leaves at once.
        let search = Task { try await hanging.app.networkCamera?.search(for: .seconds(5)) { _ in } }
        let connecting = Task { try await hanging.app.camera.connect() }
        try await Task.sleep(for: .seconds(1))
        begun = clock.now
        search.cancel()
        await #expect(throws: CameraError.self) { try await search.value }
        #expect(clock.now - begun < .milliseconds(1))
        await hanging.app.shutdown()
        await #expect(throws: CameraError.self) { try await connecting.value }
        #expect(clock.now - begun < .seconds(1))
        await isGivenUp.reaches { $0 }
    }
}
