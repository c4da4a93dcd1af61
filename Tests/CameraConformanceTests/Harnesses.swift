import CameraSourceConformance
import Conformance
import FakeCamera
import ImageFolderCamera
import JPEG
import PeerKit
import QuickTime
import Services
import SimulatedV4L2
import TestSupport
import V4L2Camera

/// Pictures that all cameras here may show.
enum Pictures {
    static let size = PixelSize(width: 160, height: 96)

    /// Different JPEG files.
    static let files: [[UInt8]] = {
        let camera = FakeCamera(.init(size: size, format: .jpeg(quality: 60)))
        return (0..<8).compactMap { number in
            if case .jpeg(let file) = camera.frame(number * 5).content { file } else { nil }
        }
    }()
}

/// The drawn camera, in each of its formats.
struct FakeCameraHarness: CameraSourceHarness {
    enum Kind: String, CaseIterable {
        case i420, rgb, jpeg, prepared
    }

    let kind: Kind
    var capabilities: Set<HarnessCapability> {
        Set([.absent, .denied, .hanging, .loss] + (kind == .prepared ? [] : [.zoom]))
    }

    func makeCamera(_ device: CameraDevice) -> FakeCamera {
        var configuration = FakeCamera.Configuration(size: Pictures.size, startup: .milliseconds(20))
        switch kind {
        case .i420: break
        case .rgb: configuration.layout = .rgb
        case .jpeg: configuration.format = .jpeg(quality: 50)
        case .prepared: configuration.scene = .prepared(Pictures.files)
        }
        switch device {
        case .ready: break
        case .absent: configuration.faults = [.absent]
        case .denied: configuration.faults = [.permissionDenied]
        case .hanging: configuration.startup = .seconds(3600)
        }
        return FakeCamera(configuration)
    }

    func lose(_ camera: FakeCamera) { camera.unplug() }
    func giveBack(_ camera: FakeCamera) { camera.plug() }
    func zoom(of camera: FakeCamera) -> Double { camera.zoom }
}

/// Pictures of a folder, and of a movie.
struct ImageFolderHarness: CameraSourceHarness {
    enum Kind: String, CaseIterable {
        case folder, movie
    }

    let kind: Kind
    let capabilities: Set<HarnessCapability> = [.absent]

    func makeCamera(_ device: CameraDevice) throws -> StagedCamera<ImageFolderCamera, TemporaryFolder> {
        let folder = try TemporaryFolder()
        var path = folder.path
        switch kind {
        case .folder:
            for (number, file) in Pictures.files.enumerated() { try folder.write(file, to: "\(number).jpg") }
        case .movie:
            var writer = MovieWriter(size: Pictures.size)
            var movie = writer.begin()
            for (number, file) in Pictures.files.enumerated() {
                movie += try writer.add(file, at: .milliseconds(40 * number))
            }
            movie += writer.finish(at: .milliseconds(40 * Pictures.files.count))
            try folder.write(movie, to: "film.mov")
            path = folder.file("film.mov")
        }
        if device == .absent { path = folder.file("absent") }
        return StagedCamera(ImageFolderCamera(path: path, framesPerSecond: 25), folder)
    }
}

/// Video devices of Linux, over the simulated system.
struct V4L2Harness: CameraSourceHarness {
    let format: String
    let capabilities: Set<HarnessCapability> = [.absent, .denied, .hanging, .loss, .zoom, .openCount]

    func makeCamera(_ device: CameraDevice) throws -> StagedCamera<V4L2Camera, SimulatedVideoSystem> {
        let simulated = SimulatedVideoCamera(
            formats: [.init(format, [Pictures.size, PixelSize(width: 320, height: 192)])],
            controls: [.zoom],
            files: format == "MJPG" ? Pictures.files : []
        )
        let system = SimulatedVideoSystem(device == .absent ? [] : [simulated])
        switch device {
        case .ready, .absent: break
        case .denied: try system.faults.arm("v4l2.open.refused", values: ["number": 13])
        // Calls of a driver end some time: what was begun ends before anything else can happen.
        case .hanging: try system.faults.arm("v4l2.call.slow", values: ["seconds": 3], atMost: 1)
        }
        let camera = V4L2Camera(path: "/dev/video0", options: .init(size: Pictures.size), system: system)
        return StagedCamera(camera, system)
    }

    func lose(_ camera: StagedCamera<V4L2Camera, SimulatedVideoSystem>) { camera.stage.unplug("video0") }
    func giveBack(_ camera: StagedCamera<V4L2Camera, SimulatedVideoSystem>) { camera.stage.plug("video0") }

    func zoom(of camera: StagedCamera<V4L2Camera, SimulatedVideoSystem>) -> Double {
        let zoom = SimulatedVideoCamera.Control.zoom
        return Double(camera.stage.value(of: zoom.id, of: "video0") ?? zoom.usual) / 100
    }

    func openCount(of camera: StagedCamera<V4L2Camera, SimulatedVideoSystem>) -> Int {
        camera.stage.openCount + camera.stage.mappedCount
    }
}
