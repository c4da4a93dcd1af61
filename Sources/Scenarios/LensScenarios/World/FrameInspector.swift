import FakeCamera
import GeminiServer
import JPEG
import Services
import Synchronization

/// Decodes what a model's server receives, and reads the number that a fake camera burned in.
///
/// What the newest files showed is remembered, so that a loop of prepared files is decoded once.
final class FrameInspector: Sendable {
    private struct State {
        let decoder: JPEGDecoder
        var recent: [(jpeg: [UInt8], inspection: FrameInspection)] = []
        var oldest = 0
    }

    private static let remembered = 32
    private let state: Mutex<State>

    init() throws {
        let decoder = try JPEGDecoder()
        state = Mutex(State(decoder: decoder))
    }

    func inspect(_ jpeg: [UInt8]) throws -> FrameInspection {
        try state.withLock { state in
            if let known = state.recent.first(where: { $0.jpeg == jpeg }) { return known.inspection }
            let picture = try state.decoder.decode(jpeg)
            let inspection = FrameInspection(
                width: picture.size.width,
                height: picture.size.height,
                number: FrameCode.read(from: picture).map { Int($0.sequence) }
            )
            if state.recent.count < Self.remembered {
                state.recent.append((jpeg, inspection))
            } else {
                state.recent[state.oldest] = (jpeg, inspection)
                state.oldest = (state.oldest + 1) % Self.remembered
            }
            return inspection
        }
    }
}
