import AppKernel
import Concurrency
import FakeCamera
import Files
import Foundation
import GRDB
import JPEG
import Lens
import LensScreens
import QuickTime
import ScreenKit
import Services
import SimulatedDevice
import SimulationTesting
import Synchronization
import Testing

@Suite("Video recording", .simulated(seeds: 1...3, configuration: .shortWaitsInExactTime))
@MainActor
struct VideoRecorderTests {
    private func connected(
        _ files: (any FileSystem)? = nil,
        adjust: (inout LensEnvironment) -> Void = { _ in }
    ) async throws -> AppFixture {
        let fixture = try AppFixture(files: files, adjust: adjust)
        _ = await fixture.app.launch()
        try await fixture.app.camera.connect()
        fixture.local.show(Movie.frame(0))
        return fixture
    }

    private func videos(_ fixture: AppFixture) -> [String] {
        fixture.documents.names().filter { $0.hasSuffix(".mov") }
    }

    @Test(
        "LENS-017 LENS-025 a recording is a new file of the documents folder, which is there before it is said to be made"
    )
    func beginning() async throws {
        let fixture = try await connected()
        fixture.local.hide()
        await fixture.app.camera.disconnect()
        try await fixture.app.camera.connect()
        let starting = Task { try await fixture.app.startRecording() }
        await fixture.app.recorder.status.reaches { $0.phase == .starting }
        try await Task.sleep(for: .milliseconds(300))
        #expect(videos(fixture).isEmpty && !fixture.app.recorder.status.value.isRecording)
        fixture.local.show(Movie.frame(1))
        try await starting.value
        #expect(fixture.app.recorder.status.value.isRecording)
        let name = try #require(videos(fixture).first)
        #expect(name.hasPrefix("video_") && videos(fixture).count == 1)
        // The writer has begun: what is there is a movie.
        #expect(try MovieReader(fixture.documents.read(name, upTo: 10_000)).frames.isEmpty)
        await fixture.app.stopRecording()
        #expect(videos(fixture) == [name])
        #expect(try Movie.numbers(name, in: fixture.documents) == [1])
        await fixture.app.shutdown()
    }

    @Test("LENS-026 names of videos are video_….mov, and two of one second differ")
    func names() async throws {
        let fixture = try await connected()
        for _ in 0..<2 {
            try await fixture.app.startRecording()
            await fixture.app.stopRecording()
        }
        #expect(videos(fixture).count == 2)
        for name in videos(fixture) { #expect(name.wholeMatch(of: /video_.+\.mov/) != nil) }
        await fixture.app.shutdown()
    }

    @Test(
        "LENS-027 LENS-028 a recording is made until its file is whole, and the file is the last video then"
    )
    func end() async throws {
        let gate = CurrentValue(true)
        let slow = try await connected { $0.photoEncoder = GatedEncoder(gate) }
        try await slow.app.startRecording()
        try await slow.local.show(1...12)
        gate.set(false)
        slow.local.show(Movie.frame(13))
        try await Task.sleep(for: .milliseconds(100))
        let stopping = Task { await slow.app.stopRecording() }
        await slow.app.recorder.status.reaches { $0.phase == .finishing }
        for _ in 0..<100 {
            await Task.yield()
            #expect(slow.app.recorder.status.value.isRecording)
        }
        #expect(slow.app.recorder.status.value.lastVideo == nil)
        gate.set(true)
        let item = try #require(await stopping.value)
        let status = slow.app.recorder.status.value
        #expect(!status.isRecording && status.lastVideo?.url == item.url && status.error == nil)
        #expect(item.url.path == "\(slow.documents.path)/\(videos(slow)[0])" && item.kind == .video)
        #expect(try Movie.numbers(videos(slow)[0], in: slow.documents) == Array(0...13))
        await slow.app.shutdown()
    }

    @Test(
        "LENS-035 a movie has the pictures that came, with their times, in a Motion-JPEG track, and lasts to its stop"
    )
    func movie() async throws {
        let fixture = try await connected()
        try await fixture.app.startRecording()
        try await fixture.local.show(1...24)
        try await Task.sleep(for: .milliseconds(500))
        #expect(fixture.app.recorder.status.value.duration == .seconds(2))
        await fixture.app.stopRecording()
        let movie = try MovieReader(fixture.documents.read(videos(fixture)[0], upTo: 100_000))
        #expect(movie.size == Movie.size && movie.isComplete && movie.frames.count == 25)
        let bytes = try fixture.documents.read(videos(fixture)[0], upTo: 100_000)
        for (name, place) in [("ftyp", 4), ("moov", 24)] {
            #expect(bytes[place..<place + 4].elementsEqual(name.utf8))
        }
        #expect(
            movie.frames.indices.map { movie.time(ofFrame: $0) } == (0...24).map { .milliseconds(100 * $0) }
        )
        #expect(movie.duration == .milliseconds(3_000))
        #expect(fixture.app.recorder.status.value.duration == .milliseconds(3_000))
        await fixture.app.shutdown()
    }

    @Test func `a picture that is shown for long is in the file before the next one comes`() async throws {
        let fixture = try await connected()
        try await fixture.app.startRecording()
        try await Task.sleep(for: .milliseconds(1_200))
        let name = videos(fixture)[0]
        let early = try MovieReader(fixture.documents.read(name, upTo: 100_000))
        #expect(early.frames.count == 1 && early.duration >= .milliseconds(500))
        try await Task.sleep(for: .milliseconds(1_800))
        fixture.local.show(Movie.frame(30))
        try await Task.sleep(for: .milliseconds(100))
        await fixture.app.stopRecording()
        let movie = try MovieReader(fixture.documents.read(name, upTo: 100_000))
        #expect(movie.frames.count == 2 && movie.time(ofFrame: 1) == .seconds(3))
        #expect(movie.duration == .milliseconds(3_100))
        await fixture.app.shutdown()
    }

    @Test(
        "a recording that is made keeps another from beginning, as a camera that is on another connecting"
    )
    func alreadyRunning() async throws {
        let fixture = try await connected()
        try await fixture.app.startRecording()
        let name = videos(fixture)
        // Required: two recordings at once would read one stream, which ends the process.
        try await #require(throws: CameraError.sessionAlreadyRunning) {
            try await fixture.app.startRecording()
        }
        #expect(videos(fixture) == name && fixture.app.recorder.status.value.isRecording)
        try await fixture.local.show(1...3)
        await fixture.app.stopRecording()
        #expect(try Movie.numbers(name[0], in: fixture.documents) == [0, 1, 2, 3])
        #expect(videos(fixture) == name)
        await fixture.app.shutdown()
        let camera = FakeCamera()
        try await camera.connect()
        await #expect(throws: CameraError.sessionAlreadyRunning) { try await camera.connect() }
        #expect(await camera.latestFrame() != nil)
        await camera.disconnect()
    }

    @Test("LENS-012 a denied camera is not recorded or opened, there is no file, and the screen says so")
    func denied() async throws {
        let fixture = try AppFixture(permissions: .init(decided: [.camera: .denied]))
        _ = await fixture.app.launch()
        await #expect(throws: CameraError.permissionDenied) { try await fixture.app.startRecording() }
        await #expect(throws: CameraError.permissionDenied) { try await fixture.app.camera.connect() }
        let screen = CameraScreen(fixture.app)
        await screen.send(.startRecording)
        #expect(screen.state.alert?.text == "Camera permission denied." && !screen.state.isRecording)
        await screen.send(.start)
        #expect(screen.state.alert?.text == "Camera permission denied.")
        #expect(screen.state.alert?.title == "The camera was not started")
        let files = fixture.files.names(in: fixture.documents.path)
        #expect(files.isEmpty && fixture.local.calls.value.isEmpty)
        await fixture.app.shutdown()
    }

    /// A camera that a test tells what to say to a recording.
    private final class ScriptedRecordingCamera: Sendable {
        let shouldSucceed: Bool
        let errorToThrow: CameraError
        let startRecordingCalls = Mutex(0)

        init(shouldSucceed: Bool, errorToThrow: CameraError = .permissionDenied) {
            (self.shouldSucceed, self.errorToThrow) = (shouldSucceed, errorToThrow)
        }

        func frames(limit: Int) throws(CameraError) -> any FrameStream {
            startRecordingCalls.withLock { $0 += 1 }
            guard shouldSucceed else { throw errorToThrow }
            let frames = FrameQueue(limit: limit)
            frames.add(Movie.frame(0))
            return frames
        }
    }

    @Test(
        "LENS-248 a camera that a test tells to succeed is recorded, and one that it tells to fail gives that error and nothing is recorded"
    )
    func scriptedCamera() async throws {
        let fixture = try await connected()
        func recorder(_ camera: ScriptedRecordingCamera) -> VideoRecorder {
            VideoRecorder(
                encoder: PassingEncoder(),
                documents: fixture.documents,
                library: fixture.app.library,
                thumbnails: fixture.app.thumbnails,
                frames: { (limit) throws(CameraError) in try camera.frames(limit: limit) }
            )
        }
        let errors: [CameraError] = [
            .permissionDenied, .deviceNotFound, .inputConfigurationFailed, .outputConfigurationFailed,
            .sessionStartFailed, .sessionAlreadyRunning, .configurationFailed,
            .unknown(FileFailure(.disk, operation: "read", path: "x")),
        ]
        for error in errors {
            let camera = ScriptedRecordingCamera(shouldSucceed: false, errorToThrow: error)
            let recorder = recorder(camera)
            #expect(camera.startRecordingCalls.withLock(\.self) == 0)
            await #expect(throws: error) { try await recorder.start(wantsUpload: false) }
            #expect(camera.startRecordingCalls.withLock(\.self) == 1)
            #expect(!recorder.status.value.isRecording && recorder.status.value.error == nil)
            #expect(videos(fixture).isEmpty)
        }
        let camera = ScriptedRecordingCamera(shouldSucceed: true)
        let recorder = recorder(camera)
        try await recorder.start(wantsUpload: false)
        #expect(camera.startRecordingCalls.withLock(\.self) == 1)
        #expect(recorder.status.value.isRecording && recorder.status.value.error == nil)
        #expect(videos(fixture).count == 1)
        #expect(await recorder.stop() != nil)

        // What the screen makes of both.
        let screen = CameraScreen(fixture.app)
        await screen.send(.startRecording)
        #expect(screen.state.isRecording && screen.state.alert == nil)
        await screen.send(.stopRecording)
        fixture.permissions.decide(.camera, .denied)
        await screen.send(.startRecording)
        #expect(!screen.state.isRecording)
        #expect(screen.state.alert?.text == CameraError.permissionDenied.localizedDescription)
        await fixture.app.shutdown()
    }

    @Test
    func `pictures that come in another size end a recording, which is kept, and another one can be made`()
        async throws
    {
        let fixture = try await connected()
        let larger = PixelSize(width: 64, height: 48)
        try await fixture.app.startRecording()
        try await fixture.local.show(1...3)
        fixture.local.show(Movie.frame(4, size: larger))
        await fixture.app.recorder.status.reaches { $0.completed == 1 && $0.phase == .idle }
        #expect(fixture.app.recorder.status.value.error == nil)
        let first = try #require(fixture.app.recorder.status.value.lastVideo)
        #expect(try Movie.numbers(first.url.lastPathComponent, in: fixture.documents) == [0, 1, 2, 3])
        try await fixture.app.startRecording()
        let second = try #require(await fixture.app.stopRecording())
        #expect(try Movie.numbers(second.url.lastPathComponent, in: fixture.documents) == [4])
        for (video, size) in [(first, Movie.size), (second, larger)] {
            #expect(await fixture.app.videos.description(of: video.id)?.size == size)
        }
        await fixture.app.shutdown()
    }

    @Test func `a video has the pictures of its camera as they are, however much smaller streamed ones are`()
        async throws
    {
        let (stream, photos) = (
            try JPEGFrameEncoder(), try JPEGFrameEncoder(limit: JPEGFrameEncoder.photoLimit)
        )
        let fixture = try await connected { ($0.streamEncoder, $0.photoEncoder) = (stream, photos) }
        let size = PixelSize(width: 640, height: 480)
        let noise = PixelBuffer(size: size, layout: .rgb)
        unsafe noise.withMutableBytes { bytes in
            var number: UInt32 = 1
            for index in bytes.indices {
                number = number &* 1_664_525 &+ 1_013_904_223
                unsafe bytes[index] = UInt8(truncatingIfNeeded: number >> 24)
            }
        }
        let file = try JPEGEncoder().encode(noise, quality: 90)
        #expect(file.count > JPEGLadder.standardLimit)
        // Its camera says another size than the file has.
        fixture.local.show(
            VideoFrame(sequence: 1, timestamp: .zero, size: Movie.size, content: .jpeg(file))
        )
        try await fixture.app.startRecording()
        let video = try #require(await fixture.app.stopRecording())
        #expect(await fixture.app.videos.picture(of: video.id, at: .zero) == file)
        #expect(await fixture.app.videos.description(of: video.id)?.size == size)
        await fixture.app.shutdown()
    }

    @Test("LENS-036 without a connected camera there is a typed error and no file")
    func notConnected() async throws {
        let fixture = try await connected()
        await fixture.app.camera.disconnect()
        await #expect(throws: CameraError.deviceNotFound) { try await fixture.app.startRecording() }
        #expect(videos(fixture).isEmpty && !fixture.app.recorder.status.value.isRecording)
        await fixture.app.shutdown()
    }

    @Test func `a camera without a picture is not recorded, and a stop ends the waiting`() async throws {
        let fixture = try await connected()
        fixture.local.hide()
        await #expect(throws: CameraError.sessionStartFailed) { try await fixture.app.startRecording() }
        let starting = Task { try await fixture.app.startRecording() }
        await fixture.app.recorder.status.reaches { $0.phase == .starting }
        await fixture.app.stopRecording()
        await #expect(throws: CameraError.unknown(CameraOvertaken())) { try await starting.value }
        #expect(fixture.app.recorder.status.value.error == nil)
        fixture.local.show(Movie.frame(1, size: nil))
        await #expect(throws: CameraError.inputConfigurationFailed) { try await fixture.app.startRecording() }
        #expect(videos(fixture).isEmpty)
        await fixture.app.shutdown()
    }

    @Test(
        "LENS-032 a file that cannot be begun is an error, and nothing is recorded or in the gallery",
        arguments: FullFiles.Call.allCases
    )
    func notBegun(call: FullFiles.Call) async throws {
        let files = try FullFiles()
        let fixture = try await connected(files)
        files.fail(call, .disk, after: 0)
        await #expect(throws: CameraError.outputConfigurationFailed) {
            try await fixture.app.startRecording()
        }
        let status = fixture.app.recorder.status.value
        #expect(!status.isRecording && status.lastVideo == nil)
        files.heal()
        await fixture.app.gallery.restore()
        #expect(fixture.app.gallery.content.value.items.isEmpty && videos(fixture).isEmpty)
        try await fixture.app.startRecording()
        #expect(fixture.app.recorder.status.value.error == nil)
        await fixture.app.shutdown()
    }

    @Test(
        "LENS-033 a file that cannot be completed is an error, its file is removed, and the last video is the one before",
        arguments: [FullFiles.Call.write, .sync]
    )
    func notCompleted(call: FullFiles.Call) async throws {
        let files = try FullFiles()
        let fixture = try await connected(files)
        try await fixture.app.startRecording()
        let first = try #require(await fixture.app.stopRecording())
        try await fixture.app.startRecording()
        try await fixture.local.show(1...8)
        files.fail(call, .disk, after: 0)
        #expect(await fixture.app.stopRecording() == nil)
        let status = fixture.app.recorder.status.value
        #expect(!status.isRecording && status.lastVideo == first && status.completed == 1)
        guard case .unknown(let cause)? = status.error, let failure = cause as? FileFailure else {
            Issue.record("\(String(describing: status.error))")
            return
        }
        #expect(failure.code == .disk)
        #expect(videos(fixture) == [first.url.lastPathComponent])
        #expect(fixture.app.gallery.content.value.items.map(\.id) == [first.id])
        await fixture.app.shutdown()
    }

    @Test func `a failure of the disk ends a recording at once, and the screen says so until it is closed`()
        async throws
    {
        let files = try FullFiles()
        let fixture = try await connected(files)
        let screen = CameraScreen(fixture.app)
        screen.appear()
        await screen.send(.startRecording)
        #expect(screen.state.isRecording)
        files.fail(.write, .disk, after: 0)
        try await fixture.local.show(1...12)
        await screen.states.reaches { !$0.isRecording }
        #expect(screen.state.alert?.title == "The recording was not completed" && screen.state.toast == nil)
        #expect(videos(fixture).isEmpty)
        await screen.send(.dismissAlert)
        #expect(screen.state.alert == nil)
        await fixture.app.shutdown()
    }

    @Test func `a full disk ends a recording, and what was written of it stays`() async throws {
        let files = try FullFiles()
        let fixture = try await connected(files)
        try await fixture.app.startRecording()
        files.fail(.write, .full, after: 2)
        try await fixture.local.show(1...30)
        await fixture.app.recorder.status.reaches { $0.phase == .idle }
        let status = fixture.app.recorder.status.value
        #expect(status.error != nil && status.lastVideo == nil)
        let item = try #require(fixture.app.gallery.content.value.items.first)
        #expect(try Movie.numbers(item.url.lastPathComponent, in: fixture.documents) == Array(0..<10))
        files.heal()
        // Where nothing was written yet, nothing stays.
        try await fixture.app.startRecording()
        files.fail(.write, .full, after: 0)
        try await fixture.local.show(31...40)
        await fixture.app.recorder.status.reaches { $0.phase == .idle }
        #expect(videos(fixture).count == 1)
        await fixture.app.shutdown()
    }

    @Test func `a camera that is lost, or exchanged for another, completes the recording`() async throws {
        let fixture = try await connected()
        try await fixture.app.startRecording()
        try await fixture.local.show(1...7)
        fixture.local.lose()
        await fixture.app.recorder.status.reaches { $0.completed == 1 }
        #expect(try Movie.numbers(videos(fixture)[0], in: fixture.documents) == Array(0...7))
        // The frames may end before the router knows why.
        await fixture.app.camera.status.reaches { $0.isLost }
        try await fixture.app.camera.connect()
        try await fixture.app.startRecording()
        try await fixture.app.camera.switchTo(.veepaWiFi)
        await fixture.app.recorder.status.reaches { $0.completed == 2 }
        #expect(fixture.app.gallery.content.value.items.count == 2)
        await fixture.app.shutdown()
    }

    @Test(
        "LENS-161 what is recorded or taken is queued by itself when uploads are automatic, and only then",
        arguments: [true, false]
    )
    func autoUpload(isOn: Bool) async throws {
        let fixture = try await connected { $0.initialSettings.autoUpload = isOn }
        fixture.store.gate.set(false)
        try await fixture.app.startRecording()
        let video = try #require(await fixture.app.stopRecording())
        let photo = try await fixture.app.capturePhoto()
        let queued = try fixture.app.uploads.entries().map(\.work)
        #expect(Set(queued.map(\.mediaID)) == (isOn ? [video.id, photo.id] : []))
        fixture.store.gate.set(true)
        if isOn {
            await fixture.app.gallery.content.reaches {
                $0.items.allSatisfy { $0.uploadStatus == .completed }
            }
        } else {
            try await Task.sleep(for: .seconds(60))
        }
        #expect(fixture.store.objects.count == (isOn ? 2 : 0))
        let key = ObjectKey("videos/\(video.id.uuidString.lowercased()).mov")
        #expect(fixture.store.objects[key]?.contentType == (isOn ? "video/quicktime" : nil))
        await fixture.app.shutdown()
    }

    @Test func `a recording that was killed is an item with what it has, and uploaded where that was wanted`()
        async throws
    {
        let killed = try await connected { $0.initialSettings.autoUpload = true }
        try await killed.app.startRecording()
        try await killed.local.show(1...17)
        let name = videos(killed)[0]
        // As a kill leaves it: the file and its wish, and no row.
        let file = try killed.documents.read(name, upTo: 1_000_000)
        let wish = try killed.database.read("wish") {
            try String.fetchOne($0, sql: "SELECT id FROM mediaWish")
        }
        await killed.app.shutdown()
        let next = try AppFixture { $0.initialSettings.autoUpload = true }
        try next.documents.create()
        try next.documents.create(name, bytes: file)
        try next.database.write("wish") {
            try $0.execute(sql: "INSERT INTO mediaWish VALUES (?, 'scripted')", arguments: [wish])
        }
        // One that was killed before its first picture was written.
        let empty = MediaLibrary.fileName(of: UUID(), kind: .video)
        try next.documents.create(empty, bytes: Array(file.prefix(400)))
        let report = await next.app.launch()
        #expect(report.adoptedFiles == 1 && report.problems.isEmpty)
        #expect(videos(next) == [name])
        let item = try #require(next.app.gallery.content.value.items.first)
        #expect(item.kind == .video && item.url.lastPathComponent == name)
        let pictures = try Movie.numbers(name, in: next.documents)
        #expect(pictures == Array(0..<pictures.count) && pictures.count >= 10)
        await next.app.gallery.content.reaches { $0.items.first?.uploadStatus == .completed }
        #expect(next.store.objects.count == 1)
        await next.app.shutdown()
    }
}

/// Passes pictures on while a gate is open.
private struct GatedEncoder: FrameEncoder {
    let gate: CurrentValue<Bool>

    init(_ gate: CurrentValue<Bool>) { self.gate = gate }

    func encode(_ frame: VideoFrame) async throws -> [UInt8] {
        await gate.reaches { $0 }
        return try await PassingEncoder().encode(frame)
    }
}
