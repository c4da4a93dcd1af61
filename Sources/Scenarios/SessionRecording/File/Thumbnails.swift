import JPEG
import Services
import Synchronization

/// Makes small pictures of those of a camera.
final class Thumbnails: Sendable {
    private struct Tools {
        var shrinker: JPEGShrinker
        var encoder: JPEGEncoder
    }

    /// `nil` where the machine has none.
    private let tools: Mutex<Tools?>

    /// The quality of a picture that is encoded to be made small, in percent.
    private static let quality = 90

    init() {
        tools = Mutex(
            try? Tools(shrinker: JPEGShrinker(side: Retention.thumbnailSide), encoder: JPEGEncoder())
        )
    }

    /// A small JPEG file of a picture; `nil` of what is no picture that can be decoded.
    func thumbnail(of picture: RecordedPicture) -> RecordedPicture? {
        tools.withLock { tools in
            guard let tools else { return nil }
            let file =
                switch picture.content {
                case .jpeg(let bytes): bytes
                case .pixels(let buffer): (try? tools.encoder.encode(buffer, quality: Self.quality)) ?? []
                }
            let small = try? tools.shrinker.shrink(file)
            return small.map { RecordedPicture(size: nil, layout: nil, bytes: $0) }
        }
    }
}
