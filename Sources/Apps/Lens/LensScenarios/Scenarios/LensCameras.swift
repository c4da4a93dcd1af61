import AppKernel
internal import Concurrency
import Lens
import Probes
public import ScenarioKit
public import Services
import Simulation
import SupabaseServer

/// The user changes between two cameras faster than they can be switched on.
public struct LensCameras: LensScenario {
    /// The command-line name.
    public static let name = "lens-cameras"
    /// One sentence.
    public static let summary =
        "two cameras are exchanged at any time; one is on at most, and the last choice counts"
    /// What it does can be done over real sockets.
    public static let needsSimulatedNetwork = false
    /// What can be set.
    public static let settings: [Setting<Self>] = [
        .size(\.size), .prepared(\.usesPreparedFrames),
    ]

    /// The camera's picture size.
    public var size = PixelSize(width: 320, height: 180)
    /// Whether the camera gives ready JPEG files, which spares their making.
    public var usesPreparedFrames = true

    /// Makes one with its defaults.
    public init() {}

    /// Runs the scenario and checks its properties.
    public func run() async throws -> ScenarioSummary {
        var options = try LensOptions(self)
        options.cameraStartup = .milliseconds(Int.random(in: 0...500))
        options.keepsDatabase = true
        options.autoUpload = false
        let world = try await LensWorld.start(options)
        var photos = 0
        for _ in 0..<3 {
            var choices: [CameraSourceType?] = []
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<Int.random(in: 1...4) {
                    let choice = [CameraSourceType.local, .veepaWiFi, nil][Int.random(in: 0...2)]
                    choices.append(choice)
                    group.addTask {
                        try await world.onPhone { app in
                            guard let choice else { return await app.camera.disconnect() }
                            do throws(CameraError) { try await app.camera.switchTo(choice) } catch {
                                // A later tap has chosen something else.
                                guard error.isOvertaken else { throw error }
                                sometimes("a choice is overtaken by a later one")
                            }
                        }
                    }
                    try await Task.sleep(for: .milliseconds(Int.random(in: 1...400)))
                    if Bool.random(), (try? await world.onPhone { try await $0.capturePhoto() }) != nil {
                        photos += 1
                    }
                }
                try await group.waitForAll()
            }
            // Taps that follow each other closely may reach the app in any order: one of them was the last.
            let status = world.lens.camera.status.value
            let result = status.state == .connected ? status.source : nil
            try check(choices.contains(result), "one of the choices counts", "\(status)")
            try await checkChoice(world, result)
            let choice = [CameraSourceType.local, .veepaWiFi][Int.random(in: 0...1)]
            try await world.onPhone { try await $0.camera.switchTo(choice) }
            try await checkChoice(world, choice)
        }
        let items = try world.lens.library.items().count
        try check(
            items == photos,
            "every photo that was taken is in the library, once",
            "\(items) of \(photos)"
        )
        try check(
            world.supabase.requestCount == 0,
            "nothing is uploaded unasked",
            "\(world.supabase.requestCount)"
        )
        let last = world.lens.settings.current.value.lastCameraSource
        try await world.restartPhone()
        let chosen = world.lens.camera.status.value.source
        try check(chosen == last, "the app begins with the camera of the last time", "\(chosen)")
        try await world.shutdown()
        return ScenarioSummary(["photos": photos])
    }

    private func checkChoice(_ world: LensWorld, _ choice: CameraSourceType?) async throws {
        try check(world.cameras.most <= 1, "one camera is on at most", "\(world.cameras.most)")
        let status = world.lens.camera.status.value
        guard let choice else {
            try check(
                status.state == .disconnected,
                "a camera that was switched off is off",
                "\(status.state)"
            )
            return try check(
                world.cameras.on.isEmpty,
                "a camera that was switched off is off",
                "\(world.cameras.on)"
            )
        }
        try check(
            status.source == choice && status.state == .connected,
            "the camera that was chosen last is on",
            "\(status)"
        )
        try check(
            world.cameras.on == [choice.rawValue],
            "the camera that was chosen last is on",
            "\(world.cameras.on)"
        )
        // The first picture comes within one period of the camera; in real time a busy machine may be late.
        var frame: VideoFrame?
        for _ in 0..<(world.base.isSimulated ? 1 : 100) where frame == nil {
            try await Task.sleep(for: .milliseconds(100))
            frame = try await world.onPhone { await $0.camera.latestFrame() }
        }
        try check(frame != nil, "a camera that is on gives pictures", "none")
        try check(
            world.lens.settings.current.value.lastCameraSource == choice,
            "the choice of a camera is remembered",
            "\(world.lens.settings.current.value.lastCameraSource)"
        )
    }
}
