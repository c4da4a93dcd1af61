import CPNG
public import Services

/// Makes PNG files of pictures, by libpng's simplified interface; the same picture always gives the same file.
public enum PNGEncoder {
    /// Encodes a picture with a byte for each pixel, which has no colours.
    ///
    /// - Throws: ``PNGError/encodingFailed(message:size:)``.
    public static func encode(_ picture: GrayPicture) throws(PNGError) -> [UInt8] {
        // Typed throws do not pass through the closures of the standard library's arrays.
        let result = unsafe picture.pixels.withUnsafeBytes { bytes in
            Result { () throws(PNGError) in
                try unsafe encode(
                    bytes,
                    picture.size,
                    png_uint_32(PNG_FORMAT_GRAY),
                    stride: picture.size.width
                )
            }
        }
        return try result.get()
    }

    /// Encodes a picture in colours, without transparency.
    ///
    /// - Throws: ``PNGError/encodingFailed(message:size:)``.
    /// - Precondition: The picture is RGB.
    public static func encode(_ picture: PixelBuffer) throws(PNGError) -> [UInt8] {
        precondition(picture.layout == .rgb, "planes have another order of bytes")
        return try unsafe picture.withBytes { (bytes) throws(PNGError) in
            try unsafe encode(bytes, picture.size, lenssim_png_format_rgb, stride: 3 * picture.size.width)
        }
    }

    private static func encode(
        _ pixels: UnsafeRawBufferPointer,
        _ size: PixelSize,
        _ format: png_uint_32,
        stride: Int
    ) throws(PNGError) -> [UInt8] {
        var image = unsafe png_image()
        unsafe image.version = png_uint_32(PNG_IMAGE_VERSION)
        unsafe image.width = png_uint_32(size.width)
        unsafe image.height = png_uint_32(size.height)
        unsafe image.format = format
        defer { unsafe png_image_free(&image) }
        let stride = png_int_32(stride)
        // The first call computes how many bytes the second one writes.
        var count = 0
        guard unsafe png_image_write_to_memory(&image, nil, &count, 0, pixels.baseAddress, stride, nil) != 0
        else {
            throw unsafe failure(image, size)
        }
        var file = [UInt8](repeating: 0, count: count)
        guard unsafe png_image_write_to_memory(&image, &file, &count, 0, pixels.baseAddress, stride, nil) != 0
        else {
            throw unsafe failure(image, size)
        }
        return Array(file.prefix(count))
    }

    private static func failure(_ image: png_image, _ size: PixelSize) -> PNGError {
        .encodingFailed(message: unsafe image.text, size: size)
    }
}

extension png_image {
    /// What libpng says: 64 characters at most, with a zero at the end.
    var text: String {
        unsafe withUnsafeBytes(of: message) { unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
