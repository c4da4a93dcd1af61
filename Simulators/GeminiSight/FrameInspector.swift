package import GeminiServer
import JPEG
import Services
import Synchronization

/// Decodes what a model's server receives, and reads what a fake camera burned in: the picture's number, and what it shows of
/// a drawn scene.
///
/// What is known beforehand, and what the newest pictures showed, is not decoded again.
package final class FrameInspector: Sendable {
    private struct State {
        /// Made for the first file that is not known.
        var decoder: JPEGDecoder?
        var recent: [(jpeg: [UInt8], inspection: FrameInspection)] = []
        var oldest = 0
    }

    private static let remembered = 32
    private let known: @Sendable ([UInt8]) -> FrameInspection?
    private let state = Mutex(State())

    /// Makes an inspector.
    ///
    /// - Parameter known: What a file shows, where that is known; `nil` for a file that has to be decoded.
    package init(known: @escaping @Sendable ([UInt8]) -> FrameInspection? = { _ in nil }) {
        self.known = known
    }

    /// What a JPEG file shows.
    ///
    /// - Throws: `JPEGError`.
    package func inspect(_ jpeg: [UInt8]) throws -> FrameInspection {
        if let known = known(jpeg) { return known }
        return try state.withLock { state in
            if let known = state.recent.first(where: { $0.jpeg == jpeg }) { return known.inspection }
            let decoder = try state.decoder ?? JPEGDecoder()
            state.decoder = decoder
            let picture = try decoder.decode(jpeg)
            let inspection = FrameInspection(of: picture)
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
