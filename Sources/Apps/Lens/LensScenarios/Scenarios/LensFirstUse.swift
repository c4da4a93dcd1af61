import AppKernel
internal import Concurrency
import Foundation
import GeminiServer
import Lens
import LensScreens
import Probes
public import ScenarioKit
internal import ScreenKit
public import Services
import SimulatedDevice
import SimulatedDisk
import Simulation
import SupabaseServer
import VeepaCameraSimulator

/// A newcomer's whole session: a Wi-Fi camera is set up, streamed, listened to and recorded, an upload fails once, and the app is started again.
public struct LensFirstUse: LensScenario {
    /// The command-line name.
    public static let name = "lens-first-use"
    /// One sentence.
    public static let summary =
        "a new Wi-Fi camera is set up, streamed, heard and recorded; an upload fails once, and a relaunch has all of it again"
    /// What a sweep over it should reach.
    public static let expects = ["an upload fails once, and is done then", "all is there after a relaunch"]
    /// What can be set.
    public static let settings: [Setting<Self>] = [.size(\.size), .prepared(\.usesPreparedFrames)]

    /// The camera's picture size.
    public var size = PixelSize(width: 320, height: 180)
    /// Whether the camera gives ready JPEG files, which spares their making.
    public var usesPreparedFrames = true

    private let viewer = UUID()

    /// Makes one with its defaults.
    public init() {}

    /// Runs the scenario and checks its properties.
    public func run() async throws -> ScenarioSummary {
        var options = try LensOptions(self)
        options.keepsDatabase = true
        options.networkCamera = .new
        let world = try await LensWorld.start(options)
        guard let camera = world.wifiCamera else { throw NeedsSimulatedNetwork(scenario: Self.name) }
        try check(world.lens.isLaunched.value, "the app is launched", "it is not")
        let replies = try await use(world, camera)
        try await world.shutdown()
        return ScenarioSummary(["replies": replies, "logins": camera.record.logins])
    }

    /// As far as faults let it; the number of replies.
    private func use(_ world: LensWorld, _ camera: SimulatedWiFiCamera) async throws -> Int {
        guard try await provision(world, camera), let replies = try await stream(world) else { return 0 }
        guard let video = try await record(world) else { return replies }
        try await upload(video, world)
        try await relaunch(world, video)
        return replies
    }

    private func provision(_ world: LensWorld, _ camera: SimulatedWiFiCamera) async throws -> Bool {
        let isDone = try await world.onPhone { [viewer] app in
            let user = await SetupUser(app, camera)
            let isDone = try await user.setUp()
            // The window stays: somebody looks at the camera.
            try? await app.showCamera(viewer)
            await user.screens.disappear()
            return isDone
        }
        try world.checkUndisturbed(isDone, "a new camera is set up and connected", "it is not")
        guard isDone else { return false }
        let isKept = try world.secrets.secret(named: CameraKey.name) != nil
        try check(isKept && camera.record.logins > 0, "its credentials are kept, and used", "\(isKept)")
        return true
    }

    /// Streams for a while, with the replies aloud; the number of replies.
    private func stream(_ world: LensWorld) async throws -> Int? {
        guard try await world.attempt({ try await $0.startStreaming() }) else { return nil }
        try await Task.sleep(for: .seconds(25))
        try await world.onPhone { await $0.stopStreaming() }
        try await Task.sleep(for: .seconds(5))
        let files = Set(try PreparedFrames.make(size: size).files)
        let frames = world.gemini.record.sessions.flatMap(\.frames).compactMap(\.bytes)
        try world.checkUndisturbed(
            frames.count > 5 && (!usesPreparedFrames || files.isSuperset(of: frames)),
            "pictures of the Wi-Fi camera reach the assistant",
            "\(frames.count)"
        )
        try check(
            world.lens.camera.status.value.source == .veepaWiFi,
            "the stream leaves the Wi-Fi camera chosen",
            "\(world.lens.camera.status.value.source)"
        )
        try world.watch.checkStopped()
        try world.watch.checkConversation()
        try world.watch.checkSpeech()
        let replies = world.lens.conversation.content.value.messages.filter { $0.role == .assistant }
        let spoken = world.speech.utterances.map(\.text)
        try world.checkUndisturbed(
            !replies.isEmpty && !spoken.isEmpty,
            "the assistant replies, and its replies are spoken",
            "\(replies.count) replies, \(spoken.count) sentences"
        )
        return replies.count
    }

    /// Records a video of the Wi-Fi camera, whose first upload the store refuses.
    private func record(_ world: LensWorld) async throws -> MediaItem? {
        world.base.arm("http.503", atMost: 1)
        let video = try await world.onPhone { app -> MediaItem? in
            do {
                try await app.startRecording()
            } catch  where world.base.isDisturbed {
                return nil
            }
            try await Task.sleep(for: .seconds(5))
            return await app.stopRecording()
        }
        try world.checkUndisturbed(video != nil, "a video of the Wi-Fi camera is recorded", "none is")
        guard let video else { return nil }
        let description = try await world.onPhone { await $0.videos.description(of: video.id) }
        try world.checkUndisturbed(
            (description?.duration ?? 0) > 3,
            "a video has the pictures of its time",
            "\(description?.duration ?? 0) s"
        )
        return video
    }

    private func upload(_ video: MediaItem, _ world: LensWorld) async throws {
        // The first attempt fails, and the second begins a second later.
        var failed = false
        for _ in 0..<600 {
            let entries = try world.lens.uploads.entries()
            if entries.contains(where: { $0.failures == 1 }) { failed = true }
            if entries.isEmpty { break }
            try await Task.sleep(for: .milliseconds(100))
        }
        // Nobody has asked for it again.
        try world.checkUndisturbed(
            try failed && world.store.attempts == 2 && world.lens.uploads.entries().isEmpty,
            "the upload fails once and succeeds then, by itself",
            "\(world.store.attempts) attempts"
        )
        try await world.settleUploads()
        let objects = world.supabase.objects(in: LensOptions.bucket)
        let file = try world.base.disk.read(video.url.path)
        try check(
            objects.map(\.bytes) == [file],
            "the video is stored once, as it was recorded",
            "\(objects.map(\.bytes.count)) of \(file.count) bytes"
        )
        sometimes("an upload fails once, and is done then", failed)
    }

    private func relaunch(_ world: LensWorld, _ video: MediaItem) async throws {
        func seen(_ app: LensApp) -> Restored {
            Restored(
                messages: app.conversation.content.value.messages.map(\.id),
                items: app.gallery.content.value.items.map(\.id),
                settings: app.settings.current.value,
                source: app.camera.status.value.source,
                upload: app.uploads.statuses.status(of: video.id).value
            )
        }
        await world.lens.gallery.refresh()
        let before = seen(world.lens)
        try check(
            before.items == [video.id] && before.upload == .completed && before.source == .veepaWiFi,
            "gallery and camera have what was done",
            "\(before)"
        )
        if Bool.random() { try await world.shutdown() }
        try await world.restartPhone()
        let after = seen(world.lens)
        try check(after == before, "a relaunch restores all", "\(after) instead of \(before)")
        let stored = try world.lens.library.items().first?.remoteURL
        try check(stored != nil, "a relaunch knows where the video is stored", "it does not")
        try await world.onPhone { app in
            let screens = await app.makeScreens()
            await RunScreens.follow(screens.encoded)
            await screens.appear()
            await screens.camera.send(.start)
            let (status, sheet) = await (
                app.camera.status.value, screens.navigation.state.presentedSheet
            )
            try world.checkUndisturbed(
                status.source == .veepaWiFi && status.state == .connected && sheet == nil,
                "a relaunch has the Wi-Fi camera, which is connected without a setup",
                "\(status.source) \(status.state)"
            )
            try await Task.sleep(for: .seconds(1))
            let frame = await app.camera.latestFrame()
            try world.checkUndisturbed(frame != nil, "a camera gives pictures after a relaunch", "none")
            await screens.disappear()
        }
        sometimes("all is there after a relaunch")
    }

    /// What a user finds again.
    private struct Restored: Equatable {
        var messages: [UUID]
        var items: [UUID]
        var settings: LensSettings
        var source: CameraSourceType
        var upload: UploadStatus?
    }
}
