public import Services

/// The picture sizes that can be chosen.
public enum VideoResolution: String, Sendable, Hashable, Codable, CaseIterable {
    case vga, hd720, hd1080, uhd4K

    /// Width and height.
    public var size: PixelSize {
        switch self {
        case .vga: PixelSize(width: 640, height: 480)
        case .hd720: PixelSize(width: 1280, height: 720)
        case .hd1080: PixelSize(width: 1920, height: 1080)
        case .uhd4K: PixelSize(width: 3840, height: 2160)
        }
    }
}
