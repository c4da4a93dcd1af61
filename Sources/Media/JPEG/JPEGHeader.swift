import CTurboJPEG
public import Services

/// What a JPEG file says of itself before any pixel is decoded.
public struct JPEGHeader: Sendable, Hashable {
    /// The colour space of the stored samples.
    public enum Colorspace: String, Sendable, Hashable {
        case rgb = "RGB"
        case yCbCr = "YCbCr"
        case grey = "grey"
        case cmyk = "CMYK"
        case ycck = "YCCK"
    }

    /// How much coarser chroma is stored than luma.
    public enum Subsampling: String, Sendable, Hashable {
        case yuv444 = "4:4:4"
        case yuv422 = "4:2:2"
        case yuv420 = "4:2:0"
        case yuv440 = "4:4:0"
        case yuv411 = "4:1:1"
        case grey = "grey"
    }

    /// Width and height in pixels.
    public var size: PixelSize
    /// Luma and chroma resolution.
    public var subsampling: Subsampling
    /// The stored colour space.
    public var colorspace: Colorspace

    /// Creates a header of its parts.
    public init(size: PixelSize, subsampling: Subsampling, colorspace: Colorspace) {
        self.size = size
        self.subsampling = subsampling
        self.colorspace = colorspace
    }
}

extension JPEGHeader {
    /// Translates TurboJPEG's numbers (`enum TJSAMP`, `enum TJCS` in turbojpeg.h); `nil` for unknown ones.
    init?(width: Int32, height: Int32, subsampling: Int32, colorspace: Int32) {
        let samplings: [Int32: Subsampling] = [
            Int32(TJSAMP_444.rawValue): .yuv444, Int32(TJSAMP_422.rawValue): .yuv422,
            Int32(TJSAMP_420.rawValue): .yuv420, Int32(TJSAMP_440.rawValue): .yuv440,
            Int32(TJSAMP_411.rawValue): .yuv411, Int32(TJSAMP_GRAY.rawValue): .grey,
        ]
        let colorspaces: [Int32: Colorspace] = [
            Int32(TJCS_RGB.rawValue): .rgb, Int32(TJCS_YCbCr.rawValue): .yCbCr,
            Int32(TJCS_GRAY.rawValue): .grey, Int32(TJCS_CMYK.rawValue): .cmyk,
            Int32(TJCS_YCCK.rawValue): .ycck,
        ]
        guard let subsampling = samplings[subsampling], let colorspace = colorspaces[colorspace] else {
            return nil
        }
        self.init(
            size: PixelSize(width: Int(width), height: Int(height)),
            subsampling: subsampling,
            colorspace: colorspace
        )
    }
}
