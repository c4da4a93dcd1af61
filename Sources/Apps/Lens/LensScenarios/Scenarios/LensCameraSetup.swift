import AppKernel
internal import Concurrency
import Foundation
import Lens
import LensScreens
import Probes
public import ScenarioKit
internal import ScreenKit
public import Services
import SimulatedDevice
import Simulation
import VeepaCameraSimulator

/// A user sets up a camera that comes out of its box, and changes their mind, errs, or loses the phone's power on the way.
public struct LensCameraSetup: LensScenario {
    /// The command-line name.
    public static let name = "lens-camera-setup"
    /// One sentence.
    public static let summary =
        "a new Wi-Fi camera is set up by its label and a code; what is given up at any step leaves nothing behind"
    /// What a sweep over it should reach.
    public static let expects = [
        "a wrong Wi-Fi password is entered", "a camera never joins", "the setup is cancelled while it scans",
        "the setup is cancelled before the network is entered",
        "the setup is cancelled while codes are shown",
        "the setup is cancelled while the camera is connected", "the sheet is closed during the setup",
        "the phone is killed during the setup", "a page comes back during the setup",
        "a new camera is set up",
    ]
    /// What can be set.
    public static let settings: [Setting<Self>] = [.size(\.size), .prepared(\.usesPreparedFrames)]

    /// The camera's picture size.
    public var size = PixelSize(width: 320, height: 180)
    /// Whether the camera gives ready JPEG files, which spares their making.
    public var usesPreparedFrames = true

    /// Makes one with its defaults.
    public init() {}

    private enum Trouble: CaseIterable {
        case cancel, close, kill, wrongPassword, neverJoins, absence
    }

    /// Runs the scenario and checks its properties.
    public func run() async throws -> ScenarioSummary {
        var options = try LensOptions(self)
        options.keepsDatabase = true
        options.networkCamera = .new
        let world = try await LensWorld.start(options)
        guard let camera = world.wifiCamera else { throw NeedsSimulatedNetwork(scenario: Self.name) }
        var troubles = 0
        for _ in 0..<Int.random(in: 0...2) where try !isKept(world) {
            troubles += 1
            switch Trouble.allCases.randomElement() ?? .cancel {
            case .cancel: try await giveUp(world, camera, closing: false)
            case .close: try await giveUp(world, camera, closing: true)
            case .kill: try await kill(world, camera)
            case .wrongPassword: try await failToJoin(world, camera, isWrong: true)
            case .neverJoins: try await failToJoin(world, camera, isWrong: false)
            case .absence: try await comeBack(world, camera)
            }
        }
        try await setUp(world, camera)
        try await world.shutdown()
        try check(world.cameras.on.isEmpty, "an app that has ended has no camera on", "\(world.cameras.on)")
        try check(world.cameras.most <= 1, "one camera is on at most", "\(world.cameras.most)")
        return ScenarioSummary(["troubles": troubles, "joins": camera.record.joinAttempts])
    }

    private func isKept(_ world: LensWorld) throws -> Bool {
        try world.secrets.secret(named: CameraKey.name) != nil
    }

    // MARK: What happens

    /// Ends the setup at any step, with the camera of before in any state.
    private func giveUp(_ world: LensWorld, _ camera: SimulatedWiFiCamera, closing: Bool) async throws {
        let step = Int.random(in: 0..<4)
        try await world.onPhone { app in
            let user = await SetupUser(app, camera)
            try await Task.sleep(for: .seconds(1))
            if Bool.random() { await user.screens.camera.send(.stop) }
            let before = app.camera.status.value
            try await user.begin()
            let isThere = try await reach(step, user)
            // A camera is connected within a moment.
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...(step == 3 ? 100 : 3_000))))
            let (last, start) = (await user.screens.setup.state.step, ContinuousClock.now)
            if closing {
                sometimes("the sheet is closed during the setup")
                await user.screens.navigation.send(.dismissSheet)
                try await Task.sleep(for: .seconds(1))
            } else {
                switch last {
                case .scanning: sometimes("the setup is cancelled while it scans")
                case .labelRead: sometimes("the setup is cancelled before the network is entered")
                case .showingCode: sometimes("the setup is cancelled while codes are shown")
                case .joined, .connecting: sometimes("the setup is cancelled while the camera is connected")
                default: break
                }
                await user.screens.setup.send(.cancel)
            }
            let time = ContinuousClock.now - start
            try check(time <= .seconds(2), "a setup that is cancelled ends at once", "\(time)")
            // It was done in the very moment.
            guard ![.idle, .finished].contains(last), isThere || step > 0 else {
                return await user.screens.disappear()
            }
            let state = await user.screens.setup.state
            try check(state.step == .idle, "a setup that is cancelled is over", "\(state.step)")
            guard try !isKept(world) else {
                // The camera was connected between the look and the call.
                return await user.screens.disappear()
            }
            try await Task.sleep(for: .seconds(10))
            try check(try !isKept(world), "a setup that is cancelled keeps nothing", "\(last)")
            let after = app.camera.status.value
            try check(
                after.source == before.source,
                "a setup that is cancelled leaves the camera chosen that was chosen before",
                "\(after.source) after \(last)"
            )
            try world.checkUndisturbed(
                after.state == before.state || before.state == .connecting,
                "a setup that is cancelled leaves the camera on or off as it was before",
                "\(after.state) instead of \(before.state) after \(last)"
            )
            try check(
                app.settings.current.value.lastCameraSource == .local,
                "a setup that is cancelled changes no setting",
                "\(app.settings.current.value.lastCameraSource)"
            )
            await user.screens.disappear()
        }
        try await replaceCamera(world, camera)
    }

    /// Goes on to the step before which it is given up, or as far as faults let it.
    private func reach(_ step: Int, _ user: SetupUser) async throws -> Bool {
        guard step > 0 else { return true }
        guard try await user.showLabel() else { return false }
        guard step > 1 else { return true }
        await user.enter(SimulatedWiFiCamera.wifi)
        guard step > 2 else { return true }
        return await user.reaches { $0.step != .showingCode }
    }

    /// A camera that has joined is not new any more: its user resets it.
    private func replaceCamera(_ world: LensWorld, _ camera: SimulatedWiFiCamera) async throws {
        try await Task.sleep(for: .seconds(10))
        await camera.reset()
        try await camera.turnOn()
    }

    private func failToJoin(_ world: LensWorld, _ camera: SimulatedWiFiCamera, isWrong: Bool) async throws {
        try await world.onPhone { app in
            let user = await SetupUser(app, camera)
            try await user.begin()
            guard try await user.showLabel() else { return await user.screens.disappear() }
            var wifi = SimulatedWiFiCamera.wifi
            if isWrong {
                sometimes("a wrong Wi-Fi password is entered")
                wifi.password = Secret("not the password")
            } else {
                sometimes("a camera never joins")
                world.base.arm("veepa.join.never")
            }
            let start = ContinuousClock.now
            await user.enter(wifi)
            let isOver = await user.reaches { $0.step != .showingCode }
            let (state, time) = (await user.screens.setup.state, ContinuousClock.now - start)
            try check(
                isOver && state.step == .labelRead && state.alert != nil,
                "a camera that does not join is given up with a reason, and its network can be entered again",
                "\(state.step) after \(time)"
            )
            try check(time <= .seconds(121), "a camera that does not join is given up in time", "\(time)")
            try check(try !isKept(world), "a camera that does not join is not kept", "it is")
            if !isWrong { world.base.disarm("veepa.join.never") }
            await user.screens.setup.send(.dismissAlert)
            if Bool.random(), isWrong {
                await user.enter(SimulatedWiFiCamera.wifi)
                _ = await user.reaches { [.idle, .labelRead].contains($0.step) }
                let isConnected = app.camera.status.value.source == .veepaWiFi
                try world.checkUndisturbed(isConnected, "the right password brings the camera", "it does not")
            } else {
                await user.screens.setup.send(.cancel)
            }
            await user.screens.disappear()
        }
        if try !isKept(world) { try await replaceCamera(world, camera) }
    }

    private func kill(_ world: LensWorld, _ camera: SimulatedWiFiCamera) async throws {
        let step = Int.random(in: 0..<4)
        let setup = Task {
            try await world.onPhone { app in
                let user = await SetupUser(app, camera)
                try await user.begin()
                if try await reach(step, user) { try await Task.sleep(for: .seconds(20)) }
            }
        }
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...20_000)))
        let chosen = world.lens.settings.current.value.lastCameraSource
        sometimes("the phone is killed during the setup", world.lens.cameraSetup?.state.value.step != .idle)
        try await world.restartPhone()
        _ = try? await setup.value
        try camera.holdLabel(false)
        let status = world.lens.camera.status.value
        try check(
            status.source == chosen,
            "a phone that is killed during a setup has its camera of before",
            "\(status.source) instead of \(chosen)"
        )
        try check(
            world.lens.cameraSetup?.state.value == CameraSetupState(),
            "a setup is not gone on with after a start",
            "it is"
        )
        if try !isKept(world) { try await replaceCamera(world, camera) }
    }

    /// A window is lost for a while, or for good.
    private func comeBack(_ world: LensWorld, _ camera: SimulatedWiFiCamera) async throws {
        let isLong = Bool.random()
        try await world.onPhone { app in
            let user = await SetupUser(app, camera)
            try await user.begin()
            guard try await user.showLabel() else { return await user.screens.disappear() }
            await user.screens.disappear()
            try await Task.sleep(for: .seconds(isLong ? 31 : 29))
            let step = app.cameraSetup?.state.value.step
            try check(
                step == (isLong ? .idle : .labelRead),
                "a setup waits half a minute for its user, and no longer",
                "\(String(describing: step))"
            )
            sometimes("a page comes back during the setup")
            await user.screens.appear()
            try await Task.sleep(for: .seconds(31))
            let shown = await user.screens.setup.state.step
            try check(
                shown == (isLong ? .idle : .labelRead),
                "a user who comes back finds the setup as it was",
                "\(shown)"
            )
            await user.screens.setup.send(.cancel)
            await user.screens.disappear()
        }
        try check(try !isKept(world), "a setup that is left keeps nothing", "it does")
    }

    // MARK: In the end

    private func setUp(_ world: LensWorld, _ camera: SimulatedWiFiCamera) async throws {
        let isNew = try !isKept(world)
        let isDone = try await world.onPhone { app in
            let user = await SetupUser(app, camera)
            let isDone: Bool
            if isNew {
                isDone = try await user.setUp()
            } else {
                await user.screens.camera.send(.choose(.veepaWiFi))
                isDone = app.camera.status.value.state == .connected
            }
            try world.checkUndisturbed(isDone, "a new camera is set up and connected", "it is not")
            if isDone {
                sometimes("a new camera is set up", isNew)
                try await checkConnected(world, user)
            } else {
                let alerts = await [user.screens.setup.state.alert, user.screens.camera.state.alert]
                let alert = alerts.compactMap(\.self).first
                try check(alert != nil, "a camera that is not connected has a reason", "none is shown")
            }
            await user.screens.disappear()
            return isDone
        }
        guard isDone else { return }
        let kept = try world.secrets.secret(named: CameraKey.name)?.reveal() ?? ""
        try check(
            kept.contains(SimulatedWiFiCamera.id)
                && !kept.contains(SimulatedWiFiCamera.wifi.password.reveal()),
            "the credentials of a camera that was set up are kept, and not the network's",
            "\(kept.count) bytes"
        )
    }

    /// Pictures come, and a second switch needs no setup.
    private func checkConnected(_ world: LensWorld, _ user: SetupUser) async throws {
        let app = user.app
        try await Task.sleep(for: .seconds(1))
        let frame = await app.camera.latestFrame()
        try world.checkUndisturbed(
            frame != nil,
            "a camera that was set up gives pictures",
            "none"
        )
        let sheet = await user.screens.navigation.state.presentedSheet
        try check(sheet == nil, "the sheet closes when the camera is connected", "it is open")
        await user.screens.camera.send(.choose(.local))
        await user.screens.camera.send(.choose(.veepaWiFi))
        let again = await user.screens.navigation.state.presentedSheet
        try check(
            again == nil && app.cameraSetup?.state.value.step == .idle,
            "a camera that was set up is chosen without a setup",
            "\(String(describing: again))"
        )
        let status = app.camera.status.value
        try world.checkUndisturbed(
            status.source == .veepaWiFi && status.state == .connected,
            "a camera that was set up is connected again",
            "\(status.source) \(status.state)"
        )
    }
}
