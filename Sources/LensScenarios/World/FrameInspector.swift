import FakeCamera
import GeminiServer
import JPEG
import Services
import Synchronization

/// Decodes what a model's server receives, and reads the number that a fake camera burned in.
final class FrameInspector: Sendable {
    private let decoder: Mutex<JPEGDecoder>

    init() throws { decoder = Mutex(try JPEGDecoder()) }

    func inspect(_ jpeg: [UInt8]) throws -> FrameInspection {
        try decoder.withLock { decoder in
            let picture = try decoder.decode(jpeg)
            return FrameInspection(
                width: picture.size.width,
                height: picture.size.height,
                number: FrameCode.read(from: picture).map { Int($0.sequence) }
            )
        }
    }
}
