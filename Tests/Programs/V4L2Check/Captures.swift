import Services
import V4L2Camera

/// Pictures of vivid.
struct Captures {
    func run() async throws {
        try vivid("osd_text_mode=2,test_pattern=6")
        // Below the fastest rates, at which vivid itself skips frames where the machine is emulated and busy.
        for (width, height, rate) in [(640, 480, 15.0), (1280, 720, 10.0)] {
            try await check("300 frames YUYV \(width)x\(height) without a lost buffer") {
                try await streaming(camera("/dev/video0", width, height, rate: rate)) { camera, frames in
                    let mode = VideoMode(
                        format: .yuyv,
                        size: PixelSize(width: width, height: height),
                        rate: rate
                    )
                    try hold(camera.mode == mode, "\(String(describing: camera.mode))")
                    let last = try await read(300, of: frames).last?.sequence
                    let seen = camera.statistics ?? CaptureStatistics()
                    let isWhole = seen == CaptureStatistics(frames: seen.frames) && frames.dropped == 0
                    try hold(last == 299 && isWhole, "frame 300 is \(last ?? -1), \(seen)")
                }
            }
        }
        // White, red and black, as BT.601 has them in full range.
        for (pattern, name, expected) in [
            (6, "white", (255, 128, 128)), (7, "red", (76, 85, 255)), (10, "black", (0, 128, 128)),
        ] {
            try await check("\(name) is \(name), in YUYV and NV12") {
                try vivid("test_pattern=\(pattern)")
                for format in [VideoFormat.yuyv, .nv12] {
                    try await streaming(camera(format: format)) { _, frames in
                        guard case .pixels(let picture)? = try await read(10, of: frames).last?.content else {
                            throw Broken(description: "no pixels")
                        }
                        let colour = unsafe picture.withBytes { bytes in
                            let (luma, chroma) = (640 * 480, 320 * 240)
                            return unsafe (
                                Int(bytes[luma / 2 + 320]), Int(bytes[luma + chroma / 2 + 160]),
                                Int(bytes[luma + chroma + chroma / 2 + 160])
                            )
                        }
                        let isNear =
                            abs(colour.0 - expected.0) <= 6 && abs(colour.1 - expected.1) <= 6
                            && abs(colour.2 - expected.2) <= 6
                        try hold(isNear, "\(format): \(colour), not \(expected)")
                    }
                }
            }
        }
        try await check("a device says what it is, and its controls change") {
            let description = try await V4L2Devices().describe("/dev/video0")
            try hold(description.isCamera && description.driver == "vivid", "\(description.driver)")
            try hold(description.sizes.contains(PixelSize(width: 640, height: 480)), "\(description.sizes)")
            try await streaming(camera()) { camera, frames in
                try await camera.set("brightness", to: 77)
                try await read(3, of: frames)
            }
            let control = try await V4L2Devices().describe("/dev/video0").controls.first {
                $0.key == "brightness"
            }
            try hold(control?.value == 77, "\(String(describing: control))")
        }
    }
}
