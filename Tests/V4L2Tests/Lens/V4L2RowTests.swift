import AppKernel
import CV4L2
import Concurrency
import FakeCamera
import Files
import Foundation
import Glibc
import Lens
import PeerKit
import Services
import SimulatedV4L2
import Simulation
import SimulationTesting
import TestSupport
import Testing
import V4L2Camera
import VideoSystem

/// What Lens expects of a camera of Linux.
@Suite("V4L2 camera of Lens", .simulated(seeds: 1...20))
struct V4L2RowTests {
    private static let size = PixelSize(width: 64, height: 48)

    private func camera(_ system: SimulatedVideoSystem, _ path: String = "/dev/video0") -> V4L2Camera {
        V4L2Camera(path: path, options: .init(size: Self.size), system: system)
    }

    private func failure(
        _ point: String,
        _ number: Double,
        _ system: SimulatedVideoSystem
    ) async throws -> CameraError? {
        Simulation.current?.arm(faultPoint: point, values: ["number": number], atMost: 1)
        let camera = camera(system)
        do throws(CameraError) { try await camera.connect() } catch { return error }
        await camera.disconnect()
        return nil
    }

    @Test(
        "LENS-014 a node that may not be opened is a denied permission, and one that is absent is not found"
    )
    func permission() async throws {
        let system = SimulatedVideoSystem([SimulatedVideoCamera()])
        #expect(try await failure("v4l2.open.refused", 13, system) == .permissionDenied)
        await #expect(throws: CameraError.deviceNotFound) {
            try await camera(system, "/dev/video1").connect()
        }
        system.unplug("video0")
        await #expect(throws: CameraError.deviceNotFound) { try await camera(system).connect() }
    }

    @Test("LENS-047 the stream is off and the device closed before anything of the other camera starts")
    func leaving() async throws {
        let system = SimulatedVideoSystem([SimulatedVideoCamera()])
        let seen = Box<[String]>([])
        let local = camera(system)
        let router = CameraRouter(factories: [
            .local: { _ in local },
            .veepaWiFi: { _ in
                seen.set(system.journal.suffix(3))
                #expect(system.openCount == 0 && system.mappedCount == 0)
                return FakeCamera()
            },
        ]) { _ in }
        try await router.switchTo(.local)
        try await Task.sleep(for: .seconds(1))
        #expect(await router.latestFrame() != nil && system.openCount == 1)
        try await router.switchTo(.veepaWiFi)
        #expect(seen.value == ["VIDIOC_STREAMOFF", "VIDIOC_REQBUFS", "close"])
        await router.disconnect()
    }

    @Test(
        "LENS-034 a recording that is made keeps another from beginning, without a file of it, and a camera that is on another connecting"
    )
    func alreadyRunning() async throws {
        let folder = try TemporaryFolder()
        let documents = FileFolder(path: folder.file("documents"))
        try documents.create()
        let camera = camera(SimulatedVideoSystem([SimulatedVideoCamera()]))
        try await camera.connect()
        let recorder = VideoRecorder(
            encoder: try JPEGFrameEncoder(),
            documents: documents,
            library: try MediaLibrary(
                AppDatabase(path: folder.file("app.sqlite")),
                documents: documents,
                store: ""
            ),
            thumbnails: Thumbnails(documents: documents),
            frames: { (limit) throws(CameraError) in camera.frames(limit: limit) }
        )
        try await recorder.start(wantsUpload: false)
        let names = documents.names()
        try #require(names.count == 1)
        // Required: two recordings at once would read one stream, which ends the process.
        try await #require(throws: CameraError.sessionAlreadyRunning) {
            try await recorder.start(wantsUpload: false)
        }
        await #expect(throws: CameraError.sessionAlreadyRunning) { try await camera.connect() }
        try await Task.sleep(for: .seconds(1))
        #expect(documents.names() == names && recorder.status.value.phase == .recording)
        #expect(await recorder.stop()?.url.lastPathComponent == names[0])
        await camera.disconnect()
    }

    @Test(
        "LENS-257 calls come in their order, YUYV and Motion-JPEG are accepted, and errors have their cases"
    )
    func calls() async throws {
        let file: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDA, 0, 2, 1, 2, 3, 0xFF, 0xD9]
        for format in ["YUYV", "MJPG"] {
            let system = SimulatedVideoSystem([
                SimulatedVideoCamera(
                    formats: [.init(format, [Self.size])],
                    files: format == "MJPG" ? [file] : []
                )
            ])
            let camera = camera(system)
            try await camera.connect()
            try await Task.sleep(for: .seconds(1))
            let frame = try #require(await camera.latestFrame())
            switch frame.content {
            case .pixels(let picture): #expect(format == "YUYV" && picture.size == Self.size)
            case .jpeg(let bytes): #expect(format == "MJPG" && bytes == file)
            }
            let order = [
                "open", "VIDIOC_QUERYCAP", "VIDIOC_S_FMT", "VIDIOC_REQBUFS", "mmap", "VIDIOC_STREAMON",
                "VIDIOC_DQBUF",
            ]
            let places = order.map { system.journal.firstIndex(of: $0) ?? -1 }
            #expect(places == places.sorted() && !places.contains(-1), "\(system.journal)")
            await camera.disconnect()
        }
        let system = SimulatedVideoSystem([SimulatedVideoCamera()])
        #expect(try await failure("v4l2.format.refused", 16, system) == .sessionAlreadyRunning)
        #expect(try await failure("v4l2.open.refused", 19, system) == .deviceNotFound)
        #expect(try await failure("v4l2.open.refused", 13, system) == .permissionDenied)
    }
}

@Suite("A device that was closed", .timeLimit(.minutes(5)))
struct LiveClosedDeviceTests {
    @Test func `the simulated system and Linux answer requests to a closed device alike`() async throws {
        let systems: [(any VideoSystem, String)] = [
            (SimulatedVideoSystem([SimulatedVideoCamera()]), "/dev/video0"),
            (LinuxVideoSystem(), "/dev/null"),
        ]
        for (system, path) in systems {
            let device = try await system.open(path)
            await device.close()
            let answer = await device.perform {
                var capability = v4l2_capability()
                return unsafe device.request(CV4L2_QUERYCAP, &capability)
            }
            #expect(answer == ENODEV, "\(path)")
        }
    }
}

/// The calls of the kernel's, as far as a machine without a camera answers them.
@Suite("V4L2 on this machine", .timeLimit(.minutes(5)))
struct LiveLinuxVideoTests {
    @Test func `a node that is not there, and one that is no video device, are not found`() async throws {
        for path in ["/dev/video4095", "/dev/null", "/dev"] {
            for _ in 0..<20 {
                let camera = V4L2Camera(path: path)
                await #expect(throws: CameraError.deviceNotFound) { try await camera.connect() }
                await camera.disconnect()
            }
        }
    }

    @Test func `devices are listed, also where there are none`() async throws {
        for device in try await V4L2Devices().all() { #expect(device.path.hasPrefix("/dev/video")) }
    }
}
