import CPNG
public import Services

/// Decodes PNG files, also hostile ones, by libpng's simplified interface, which is bounded in what it keeps of a file beside its pixels.
public enum PNGDecoder {
    /// The greatest width or height that is accepted: as of JPEG files.
    public static let maximumSide: Int = 12_000
    /// The greatest number of pixels.
    public static let maximumArea: Int = 64_000_000

    /// Whether bytes begin as a PNG file does (RFC 2083 section 3.1).
    public static func begins(_ file: some Collection<UInt8>) -> Bool {
        file.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    }

    /// Decodes a file of any kind of pixel to RGB; what is transparent gets a white ground.
    ///
    /// - Throws: ``PNGError``.
    public static func decode(_ file: [UInt8]) throws(PNGError) -> PixelBuffer {
        // libpng reads the bytes again when it makes the pixels: they have to stay where they are.
        let result = unsafe file.withUnsafeBytes { bytes in
            Result { () throws(PNGError) in try unsafe decode(bytes) }
        }
        return try result.get()
    }

    private static func decode(_ file: UnsafeRawBufferPointer) throws(PNGError) -> PixelBuffer {
        var image = unsafe png_image()
        unsafe image.version = png_uint_32(PNG_IMAGE_VERSION)
        // Releases what a failure has left; harmless when all was read.
        defer { unsafe png_image_free(&image) }
        guard unsafe png_image_begin_read_from_memory(&image, file.baseAddress, file.count) != 0 else {
            throw unsafe undecodable(image, file.count)
        }
        let (width, height) = unsafe (Int(image.width), Int(image.height))
        guard width > 0, height > 0, width <= maximumSide, height <= maximumSide,
            width * height <= maximumArea
        else { throw .tooLarge(width: width, height: height) }
        unsafe image.format = lenssim_png_format_rgb
        let picture = PixelBuffer(size: PixelSize(width: width, height: height), layout: .rgb)
        var ground = png_color(red: 255, green: 255, blue: 255)
        let isRead = unsafe picture.withMutableBytes { bytes in
            unsafe png_image_finish_read(&image, &ground, bytes.baseAddress, png_int_32(width * 3), nil) != 0
        }
        guard isRead else { throw unsafe undecodable(image, file.count) }
        return picture
    }

    private static func undecodable(_ image: png_image, _ byteCount: Int) -> PNGError {
        .undecodable(message: unsafe image.text, byteCount: byteCount)
    }
}
