import ArgumentParser
import CommandKit
import Services
import V4L2Camera

/// The commands for cameras of Linux.
struct CameraCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "camera",
        abstract:
            "Shows the cameras of this machine, takes pictures and films with them, and brings Wi-Fi cameras to a network.",
        discussion: HelpText.filled(
            """
            A camera is a video device of Linux, such as that of a USB camera. Without a device the first camera is taken. \
            A camera is connected with lenssim demo --camera and with lens --camera, too.

            With --json each command prints one object, and watch one in each line. What a camera refuses is said with the error of
            the kernel, and what to do.

            Examples:
              lenssim camera list
              lenssim camera info /dev/video0 --json
              lenssim camera snapshot --out photo.jpg
              lenssim camera snapshot /dev/video0 --size 640x480 --format YUYV --set brightness=20
              lenssim camera record --seconds 10 --out film.mov
              lenssim camera watch --seconds 60
              lenssim camera qr --ssid Home

            Exit codes: 65 for a camera without a usable format, 66 where there is none, 69 for one that another program uses or
            that does not start, 74 for a file that cannot be written, 77 for a camera that may not be opened.
            """
        ),
        subcommands: [
            CameraListCommand.self, CameraInfoCommand.self, CameraSnapshotCommand.self,
            CameraRecordCommand.self, CameraWatchCommand.self, CameraQRCommand.self,
        ]
    )
}

/// Runs a command's work, and ends with the code of what goes wrong.
func reportingFailures(_ work: (Terminal) async throws -> Void) async throws {
    let terminal = Terminal()
    do {
        try await work(terminal)
    } catch let exit as ExitCode {
        throw exit
    } catch let usage as ValidationError {
        throw usage
    } catch {
        terminal.warn("lenssim: \(error)")
        throw Exit.code(for: error)
    }
}

/// A device's description as JSON.
struct CameraFacts: Encodable {
    struct Format: Encodable {
        var format: String
        var name: String
        var sizes: [Size]
    }

    struct Size: Encodable {
        var size: String
        var framesPerSecond: [Double]
    }

    struct Control: Encodable {
        var name: String
        var minimum: Int
        var maximum: Int
        var step: Int
        var usual: Int
        var value: Int?
    }

    var device: String
    var name: String
    var driver: String
    var bus: String
    var isCamera: Bool
    var formats: [Format]
    var controls: [Control]

    init(_ description: VideoDeviceDescription) {
        (device, name) = (description.path, description.card)
        (driver, bus, isCamera) = (description.driver, description.bus, description.isCamera)
        formats = description.formats.map { format in
            Format(
                format: "\(format.format)",
                name: format.name,
                sizes: format.sizes.map { Size(size: $0.size.text, framesPerSecond: $0.rates) }
            )
        }
        controls = description.controls.map {
            Control(
                name: $0.key,
                minimum: $0.range.lowerBound,
                maximum: $0.range.upperBound,
                step: $0.step,
                usual: $0.usual,
                value: $0.value
            )
        }
    }
}
