import ArgumentParser
import CommandKit
import Services
import V4L2Camera

/// Which camera is used, and how.
struct CameraChoice: ParsableArguments {
    @Argument(help: "The device, such as /dev/video0. (default: the first camera)")
    var device: String?

    @Option(help: "Width and height; the camera's nearest is taken.")
    var size = SizeArgument(V4L2Camera.Options().size)

    @Option(help: "Pictures a second; the camera's nearest rate is taken.")
    var fps = 30

    @Option(help: "The format: MJPG, JPEG, YUYV or NV12. (default: the one with the best rate)")
    var format: VideoFormatArgument?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Changes a control that lenssim camera info shows; may be repeated.",
            valueName: "name=value"
        )
    )
    var controls: [ControlArgument] = []

    func validate() throws {
        if !(1...240).contains(fps) { throw ValidationError("--fps must be 1 to 240.") }
    }

    /// Connects the camera that was chosen.
    ///
    /// - Throws: `V4L2Failure`, or `CameraError` for what has none.
    func connect() async throws -> V4L2Camera {
        let camera = V4L2Camera(
            path: try await Self.describe(device).path,
            options: .init(size: size.size, framesPerSecond: Double(fps), format: format?.format)
        )
        do {
            try await camera.connect()
            for control in controls {
                do throws(CameraError) { try await camera.set(control.name, to: control.value) } catch {
                    guard error == .configurationFailed, camera.lastFailure == nil else { throw error }
                    throw RefusedControl(name: control.name, device: camera.path)
                }
            }
        } catch {
            await camera.disconnect()
            throw error is RefusedControl ? error : camera.lastFailure ?? error
        }
        return camera
    }

    /// A device, or the first camera.
    static func describe(_ device: String?) async throws -> VideoDeviceDescription {
        if let device { return try await V4L2Devices().describe(device) }
        var refused: [V4L2Failure] = []
        let all = try await V4L2Devices().all { refused.append($0) }
        if let first = all.first(where: \.isCamera) { return first }
        throw refused.first ?? CameraError.deviceNotFound
    }
}

/// A control that a camera does not have, or a value that it does not take.
struct RefusedControl: ExitCoded, CustomStringConvertible {
    var name: String
    var device: String

    var exitCode: ExitCode { Exit.dataUnusable }

    var description: String {
        "\(device) has no control “\(name)” with such a value; lenssim camera info \(device) shows what it has"
    }
}

/// A format as one types it.
struct VideoFormatArgument: ExpressibleByArgument {
    let format: VideoFormat

    init?(argument: String) {
        guard let format = VideoFormat(argument.uppercased()), VideoFormat.captured.contains(format) else {
            return nil
        }
        self.format = format
    }
}

/// A control with its value: `brightness=20`.
struct ControlArgument: ExpressibleByArgument {
    let name: String
    let value: Int

    init?(argument: String) {
        let parts = argument.split(separator: "=")
        guard parts.count == 2, let value = Int(parts[1]) else { return nil }
        (name, self.value) = (String(parts[0]), value)
    }
}
