import AppKernel
import ArgumentParser
import FakeCamera
import Foundation
import ImageFolderCamera
import Services
import V4L2Camera

/// What `--camera` takes.
enum CameraArgument: ExpressibleByArgument, CustomStringConvertible {
    case fake
    /// Photographs, shown one a second.
    case folder(path: String)
    /// A Motion-JPEG file, at 25 pictures a second.
    case film(path: String)
    /// A camera of this machine.
    case device(path: String)

    init?(argument: String) {
        if argument == "fake" {
            self = .fake
        } else if argument.hasPrefix("/dev/") {
            self = .device(path: argument)
        } else if argument.hasPrefix("folder:") {
            self = .folder(path: String(argument.dropFirst("folder:".count)))
        } else if [".mjpeg", ".mjpg", ".avi"].contains(where: argument.lowercased().hasSuffix) {
            self = .film(path: argument)
        } else {
            return nil
        }
    }

    var defaultValueDescription: String { description }

    /// Without the place on this machine.
    var description: String {
        switch self {
        case .fake: "fake"
        case .folder: "folder"
        case .film: "film"
        case .device: "device"
        }
    }

    /// Whether it is simulated.
    var isFake: Bool { if case .fake = self { true } else { false } }

    /// The files or the device that a recorded run sees; `nil` for the fake camera.
    var input: String? {
        if case .device(let path) = self { path } else { self.path }
    }

    /// Looks whether the camera's files are there; a device may be plugged in later.
    ///
    /// - Throws: `ImageInputError`.
    func check() throws {
        if let path = path { _ = try ImageInput(path: path) }
    }

    /// Makes the camera.
    ///
    /// - Parameter size: The wanted size: the fake camera has it up to ``largestFake``, and files are shown as they are.
    func camera(_ size: PixelSize) -> any CameraSource {
        switch self {
        case .fake:
            FakeCamera(
                FakeCamera.Configuration(
                    size: size.area < Self.largestFake.area ? size : Self.largestFake,
                    framesPerSecond: 30,
                    scene: .room,
                    seed: .random(in: 1...999_999)
                )
            )
        case .folder: ImageFolderCamera(path: path ?? "", framesPerSecond: 1)
        case .film: ImageFolderCamera(path: path ?? "", framesPerSecond: 25)
        case .device(let path): V4L2Camera(path: path, options: .init(size: size))
        }
    }

    /// The largest pictures of the fake camera.
    static let largestFake = PixelSize(width: 1280, height: 720)

    /// Who decides whether it may be used: of a device the rights of its node.
    ///
    /// The microphone is the browser's, which asks by itself.
    var permissions: any PermissionAuthority {
        guard case .device(let path) = self else { return UnrestrictedPermissions() }
        return DeviceNodePermissions(camera: path, microphone: nil)
    }

    /// Where the files are; `nil` for a camera that has none.
    private var path: String? {
        switch self {
        case .fake, .device: nil
        case .folder(let path), .film(let path): NSString(string: path).expandingTildeInPath
        }
    }
}
