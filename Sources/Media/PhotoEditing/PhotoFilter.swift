/// A change of all colours of a photo, the same for each pixel: whole numbers only, so that every machine makes the same bytes.
public enum PhotoFilter: String, Sendable, Hashable, CaseIterable, Codable {
    /// The colours as they are.
    case original
    /// Black and white.
    case mono
    /// The brown of old prints.
    case sepia
    /// Stronger colours.
    case vivid
    /// More red, less blue.
    case warm
    /// More blue, less red.
    case cool

    /// What red, green and blue are made of: parts in 256 of red, green and blue.
    ///
    /// Each row of ``mono`` and ``vivid`` adds up to 256, so that grey stays as it is.
    var matrix: [[Int]]? {
        switch self {
        case .original: nil
        // The luma of BT.601, which JPEG has too: 0.299, 0.587, 0.114.
        case .mono: [[77, 150, 29], [77, 150, 29], [77, 150, 29]]
        // The common numbers of image editors: 0.393, 0.769, 0.189 and so on.
        case .sepia: [[101, 197, 48], [89, 176, 43], [70, 137, 34]]
        // 1.4 times as far from the luma.
        case .vivid: [[327, -60, -11], [-31, 298, -11], [-31, -60, 347]]
        case .warm: [[282, 0, 0], [0, 256, 0], [0, 0, 230]]
        case .cool: [[230, 0, 0], [0, 256, 0], [0, 0, 282]]
        }
    }
}
