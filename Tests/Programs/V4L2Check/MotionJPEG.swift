import Foundation
import JPEG
import Services
import V4L2Camera

/// Motion-JPEG, through v4l2loopback.
struct MotionJPEG {
    private static let device = "/dev/video9"

    func run() async throws {
        for number in 0..<4 {
            try Data(jpeg(number)).write(to: URL(filePath: "/tmp/\(number).jpg"))
        }
        let feed = Process()
        feed.executableURL = URL(filePath: "/rig/MotionJPEGFeed")
        feed.arguments = [Self.device, "640", "480", "30"] + (0..<4).map { "/tmp/\($0).jpg" }
        try feed.run()
        defer { feed.terminate() }
        try await Task.sleep(for: .milliseconds(500))
        let files = try Set((0..<4).map(jpeg))
        try await check("300 frames MJPG 640x480, each one a whole file") {
            try await streaming(camera(Self.device, format: nil, rate: 30)) { camera, frames in
                try hold(camera.mode?.format == .motionJPEG, "\(String(describing: camera.mode))")
                for _ in 0..<30 {
                    for frame in try await read(10, of: frames) {
                        guard case .jpeg(let file) = frame.content else {
                            throw Broken(description: "no JPEG")
                        }
                        try hold(files.contains(file), "a file of \(file.count) bytes that nobody wrote")
                    }
                }
                try hold(camera.statistics?.damaged == 0, "\(String(describing: camera.statistics))")
            }
        }
        try await check("a camera that stands still is lost") {
            try await streaming(camera(Self.device, format: nil, patience: .milliseconds(300))) {
                camera,
                frames in
                try await read(3, of: frames)
                kill(feed.processIdentifier, SIGUSR1)
                try await lost(camera) { if case .unknown = $0 { true } else { false } }
            }
        }
    }

    private func jpeg(_ number: Int) throws -> [UInt8] {
        let picture = PixelBuffer(size: PixelSize(width: 640, height: 480), layout: .i420)
        unsafe picture.withMutableBytes { bytes in
            for index in bytes.indices {
                unsafe bytes[index] = UInt8(truncatingIfNeeded: index / (number + 7))
            }
        }
        return try JPEGEncoder().encode(picture, quality: 70)
    }
}
