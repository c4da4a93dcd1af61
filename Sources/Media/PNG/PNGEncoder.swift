import CPNG
public import Services

/// Makes PNG files of pictures without colours, by libpng's simplified interface.
public enum PNGEncoder {
    /// Encodes a picture with a byte for each pixel; the same picture always gives the same file.
    ///
    /// - Throws: ``PNGError/encodingFailed(message:size:)``.
    public static func encode(_ picture: GrayPicture) throws(PNGError) -> [UInt8] {
        var image = unsafe png_image()
        unsafe image.version = png_uint_32(PNG_IMAGE_VERSION)
        unsafe image.width = png_uint_32(picture.size.width)
        unsafe image.height = png_uint_32(picture.size.height)
        unsafe image.format = png_uint_32(PNG_FORMAT_GRAY)
        defer { unsafe png_image_free(&image) }
        let stride = png_int_32(picture.size.width)
        // The first call computes how many bytes the second one writes.
        var count = 0
        guard unsafe png_image_write_to_memory(&image, nil, &count, 0, picture.pixels, stride, nil) != 0
        else {
            throw unsafe failure(image, picture.size)
        }
        var file = [UInt8](repeating: 0, count: count)
        guard unsafe png_image_write_to_memory(&image, &file, &count, 0, picture.pixels, stride, nil) != 0
        else {
            throw unsafe failure(image, picture.size)
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
