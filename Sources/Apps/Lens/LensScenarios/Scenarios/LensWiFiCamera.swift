internal import Concurrency
import Foundation
import Lens
import LensScreens
import Probes
public import ScenarioKit
internal import ScreenKit
public import Services
import Simulation
import VeepaCameraSimulator

/// A user sets a Wi-Fi camera up, streams it, and changes between it and the phone's own, while the camera loses its power.
public struct LensWiFiCamera: LensScenario {
    /// The command-line name.
    public static let name = "lens-wifi-camera"
    /// One sentence.
    public static let summary =
        "a Wi-Fi camera is set up, streamed, left and taken again; it may lose its power at any time, and is never taken for what it is not"
    /// What a sweep over it should reach.
    public static let expects = [
        "a wrong password is entered", "the camera loses its power",
        "the phone is restarted with the camera chosen",
    ]
    /// What can be set.
    public static let settings: [Setting<Self>] = [.size(\.size), .prepared(\.usesPreparedFrames)]

    /// The camera's picture size.
    public var size = PixelSize(width: 320, height: 180)
    /// Whether the camera gives ready JPEG files, which spares their making.
    public var usesPreparedFrames = true

    /// How long a camera without power may count as connected: twice the patience of its client, and a little.
    private static let loss = Duration.seconds(15)
    /// How long one that has power again may be away: the longest pause between attempts, and an attempt.
    private static let comeback = Duration.seconds(90)

    private let viewer = UUID()

    /// Makes one with its defaults.
    public init() {}

    /// Runs the scenario and checks its properties.
    public func run() async throws -> ScenarioSummary {
        var options = try LensOptions(self)
        options.keepsDatabase = true
        options.networkCamera = .simulated(isSetUp: false)
        let world = try await LensWorld.start(options)
        guard let camera = world.wifiCamera else { throw NeedsSimulatedNetwork(scenario: Self.name) }
        // In a disturbed world the camera may refuse everybody.
        guard try await setUp(world) else { return try await end(world, camera, losses: 0) }
        var losses = 0
        for _ in 0..<3 {
            switch Int.random(in: 0..<4) {
            case 0:
                losses += 1
                try await losePower(world, camera)
            case 1: try await changeAndBack(world)
            case 2: try await restart(world)
            default: try await stream(world, camera)
            }
            try checkOne(world)
        }
        return try await end(world, camera, losses: losses)
    }

    private func end(
        _ world: LensWorld,
        _ camera: SimulatedWiFiCamera,
        losses: Int
    ) async throws -> ScenarioSummary {
        try await world.shutdown()
        try check(world.cameras.on.isEmpty, "an app that has ended has no camera on", "\(world.cameras.on)")
        return ScenarioSummary(["losses": losses, "logins": camera.record.logins])
    }

    // MARK: What happens

    private func setUp(_ world: LensWorld) async throws -> Bool {
        let isMistaken = Bool.random()
        let isDone = try await world.onPhone { app in
            let screens = await app.makeScreens()
            await RunScreens.follow(screens.encoded)
            await screens.appear()
            await screens.camera.send(.choose(.veepaWiFi))
            try await check(
                screens.navigation.state.presentedSheet == .cameraDiscovery,
                "a camera that is not set up opens its sheet",
                "none is open"
            )
            try await Task.sleep(for: DiscoveryScreen.window + .seconds(1))
            let found = await screens.discovery.state.cameras.map(\.device)
            try world.checkUndisturbed(
                found == [SimulatedWiFiCamera.id],
                "a search finds the camera of the network",
                "\(found)"
            )
            await screens.discovery.send(.pick(SimulatedWiFiCamera.id))
            if isMistaken {
                sometimes("a wrong password is entered")
                await screens.discovery.send(.setUp(user: "admin", password: EnteredSecret("888888")))
                let alert = await screens.discovery.state.alert
                try check(alert != nil, "a wrong password is said to be one", "nothing is said")
                try await Task.sleep(for: .seconds(5))
                let status = app.camera.status.value
                try world.checkUndisturbed(
                    status.source == .local && status.state == .connected,
                    "a set-up that fails changes nothing that was seen before",
                    "\(status.source) is \(status.state)"
                )
            }
            await screens.discovery.send(
                .setUp(user: "admin", password: EnteredSecret(SimulatedWiFiCamera.password))
            )
            // After one that fails the local camera may be back.
            let status = app.camera.status.value
            let isConnected = status.source == .veepaWiFi && status.state == .connected
            let (alert, sheet) = await (
                screens.discovery.state.alert, screens.navigation.state.presentedSheet
            )
            try check(
                isConnected == (sheet == nil),
                "the sheet closes when the camera is connected",
                "\(app.camera.status.value.state)"
            )
            try check(
                isConnected || alert != nil,
                "a camera that is not connected has a reason",
                "none is shown"
            )
            await screens.disappear()
            return isConnected
        }
        try world.checkUndisturbed(isDone, "a camera is connected with its password", "it is not")
        let isKept = world.lens.networkCamera?.key.isKept.value == true
        try check(isKept || !isDone, "a camera that was set up is remembered", "it is not")
        return isDone
    }

    private func losePower(_ world: LensWorld, _ camera: SimulatedWiFiCamera) async throws {
        guard try await connect(world) else { return }
        sometimes("the camera loses its power")
        await camera.turnOff()
        try await Task.sleep(for: Self.loss)
        let frame = try await world.onPhone { await $0.camera.latestFrame() }
        // What a network holds back comes later.
        try world.checkUndisturbed(
            frame == nil,
            "a camera without power shows nothing",
            "a picture is shown"
        )
        let status = world.lens.camera.status.value
        try world.checkUndisturbed(
            status.state == .failed && status.isLost,
            "a camera without power is lost",
            "\(status.state)"
        )
        try await Task.sleep(for: .seconds(Int.random(in: 0...40)))
        try await camera.turnOn()
        if Bool.random() {
            try await Task.sleep(for: Self.comeback)
        } else {
            _ = try await connect(world)
        }
        let state = world.lens.camera.status.value.state
        try world.checkUndisturbed(
            state == .connected,
            "a camera with power again is connected again",
            "\(state)"
        )
        try await checkFrames(world)
    }

    private func changeAndBack(_ world: LensWorld) async throws {
        let before = try await connect(world)
        let closes = world.wifiCamera?.record.closes ?? 0
        try await world.onPhone { try await $0.camera.switchTo(.local) }
        try check(world.cameras.on == ["local"], "the camera that was left is off", "\(world.cameras.on)")
        try check(
            world.lens.networkCamera?.engine.state.value == .running,
            "the engine stays when its camera is left",
            "it is gone"
        )
        try await Task.sleep(for: .seconds(1))
        if before {
            try world.checkUndisturbed(
                (world.wifiCamera?.record.closes ?? 0) > closes,
                "a camera that is left hears of it",
                "it is not"
            )
        }
        let back = try await connect(world)
        try world.checkUndisturbed(
            back,
            "a camera that was left is taken again without being set up",
            "it is not"
        )
        try await checkFrames(world)
    }

    private func restart(_ world: LensWorld) async throws {
        guard try await connect(world) else { return }
        sometimes("the phone is restarted with the camera chosen")
        try await world.restartPhone()
        let app = world.lens
        try check(
            app.camera.status.value.source == .veepaWiFi && app.networkCamera?.engine.state.value == .running,
            "the app begins with the camera of the last time, and its engine",
            "\(app.camera.status.value.source)"
        )
        // The camera keeps the session of before for a while, and takes several.
        let back = try await connect(world)
        try world.checkUndisturbed(back, "the camera is connected after a restart", "it is not")
        try await checkFrames(world)
    }

    private func stream(_ world: LensWorld, _ camera: SimulatedWiFiCamera) async throws {
        guard try await connect(world) else { return }
        guard try await world.attempt({ try await $0.startStreaming() }) else { return }
        try await Task.sleep(for: .seconds(5))
        let sent = world.lens.stream.statistics.value.framesSent
        try world.checkUndisturbed(sent > 0, "pictures of the Wi-Fi camera reach the assistant", "none")
        try await world.onPhone { await $0.stopStreaming() }
    }

    /// Connects the camera; in a disturbed world that may fail.
    private func connect(_ world: LensWorld) async throws -> Bool {
        do {
            try await world.onPhone { [viewer] app in
                // Somebody looks at it from now on, so that it stays on.
                try? await app.showCamera(viewer)
                try await app.camera.switchTo(.veepaWiFi)
            }
            return true
        } catch let error as CameraError where world.base.isDisturbed {
            try check(!error.needsSetUp, "a camera that was set up is not set up again", "\(error)")
            return false
        }
    }

    // MARK: What holds

    private func checkFrames(_ world: LensWorld) async throws {
        try await Task.sleep(for: .seconds(1))
        let frame = try await world.onPhone { await $0.camera.latestFrame() }
        try world.checkUndisturbed(frame != nil, "a camera that is connected gives pictures", "none")
        guard case .jpeg(let file)? = frame?.content else { return }
        let isKnown = try PreparedFrames.make(size: size).files.contains(file)
        try check(
            !usesPreparedFrames || isKnown,
            "a picture is one of the camera, byte for byte",
            "\(file.count) bytes"
        )
    }

    private func checkOne(_ world: LensWorld) throws {
        try check(world.cameras.most <= 1, "one camera is on at most", "\(world.cameras.most)")
    }
}
