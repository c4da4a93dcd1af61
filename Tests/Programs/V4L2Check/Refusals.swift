import Foundation
import Services
import V4L2Camera

/// Devices that cannot be used, and calls that vivid refuses.
struct Refusals {
    func run() async throws {
        try await check("a node that is not there, or no video device, is not found") {
            for path in ["/dev/video77", "/dev/null", "/dev/console/video0"] {
                try await refused(camera(path), .deviceNotFound)
            }
        }
        try await check("a node that may not be opened is denied") {
            guard unsafe chmod("/dev/video0", 0o600) == 0, seteuid(65_534) == 0 else {
                throw Broken(description: "the user cannot be changed")
            }
            defer { _ = seteuid(0) }
            try await refused(camera(), .permissionDenied)
        }
        try await check("a camera that is in use is busy") {
            try await streaming(camera()) { _, frames in
                try await read(2, of: frames)
                try await refused(camera(), .sessionAlreadyRunning)
                try await read(2, of: frames)
            }
        }
        try await check("50 openings leave no descriptor and no thread") {
            func count() throws -> [Int] {
                try ["fd", "task"].map {
                    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/\($0)").count
                }
            }
            let before = try count()
            for _ in 0..<50 { _ = try await V4L2Devices().describe("/dev/video0") }
            // The last threads are about to end; those of the pool may grow in number.
            try await Task.sleep(for: .milliseconds(500))
            let after = try count()
            try hold(after[0] <= before[0] + 2 && after[1] <= before[1] + 4, "\(before) became \(after)")
        }
        try await check("a format that it does not have is refused") {
            try await refused(camera(format: .motionJPEG), .inputConfigurationFailed)
        }
        for (control, error) in [
            ("inject_vidioc_reqbufs_error", .configurationFailed),
            ("inject_vidioc_qbuf_error", .sessionStartFailed),
            ("inject_vidioc_streamon_error", .sessionStartFailed),
        ] as [(String, CameraError)] {
            try await check("\(control): refused once, and works then") {
                try vivid("\(control)=1")
                try await refused(camera(), error)
                try await streaming(camera()) { _, frames in try await read(3, of: frames) }
            }
        }
    }

    private func refused(_ camera: V4L2Camera, _ error: CameraError) async throws {
        do {
            try await camera.connect()
        } catch let found {
            return try hold(
                found == error,
                "\(camera.path): \(found), not \(error): \(String(describing: camera.lastFailure))"
            )
        }
        await camera.disconnect()
        throw Broken(description: "\(camera.path) connects")
    }
}
