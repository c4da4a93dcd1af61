import Services
import V4L2Camera

/// What vivid injects while it streams.
struct Trouble {
    func run() async throws {
        try await check("a buffer that is flagged as damaged is left out") {
            try await injecting("inject_v4l2_buf_flag_error=1") { $0.damaged == 1 && $0.restarts == 0 }
        }
        try await check("a queue that fails is started again") {
            try await injecting("inject_fatal_streaming_error=1") { $0.restarts == 1 }
        }
        try await check("frames that the driver drops are counted") {
            try await injecting("percentage_of_dropped_buffers=50") { $0.lost > 0 && $0.restarts == 0 }
            try vivid("percentage_of_dropped_buffers=0")
        }
        try await check("a stream that stands still is lost") {
            try await streaming(camera(patience: .milliseconds(500))) { camera, frames in
                try await read(3, of: frames)
                try vivid("percentage_of_dropped_buffers=100")
                try await lost(camera) { if case .unknown = $0 { true } else { false } }
            }
            try vivid("percentage_of_dropped_buffers=0")
        }
        for control in ["wrap_sequence_number=1", "wrap_timestamp=1", "wrap_timestamp=2"] {
            try await check("\(control): numbers and times go on") {
                try vivid(control)
                try await streaming(camera()) { camera, frames in
                    try await read(60, of: frames)
                    // A wrap that was taken for a gap would be of thousands; the emulated machine loses a few.
                    try hold(
                        (camera.statistics?.lost ?? .max) < 60,
                        "\(String(describing: camera.statistics))"
                    )
                }
                try vivid("wrap_sequence_number=0,wrap_timestamp=0")
            }
        }
    }

    private func injecting(_ control: String, _ isSeen: (CaptureStatistics) -> Bool) async throws {
        try await streaming(camera()) { camera, frames in
            try await read(5, of: frames)
            try vivid(control)
            try await read(30, of: frames)
            let seen = camera.statistics ?? CaptureStatistics()
            try hold(isSeen(seen), "\(seen)")
        }
    }
}

/// Waits until a camera is lost.
func lost(_ camera: V4L2Camera, _ isExpected: (CameraError) -> Bool) async throws {
    for await state in camera.states() {
        guard case .lost(let error) = state else { continue }
        return try hold(isExpected(error), "lost by \(error)")
    }
}
