import CZBar
import JPEG
public import Services

/// Reads QR codes out of pictures, also hostile ones, by zbar.
///
/// Each call has a scanner of its own: what is found in a picture depends on nothing but the picture. Zbar's windows, video devices
/// and messages on the system bus are not used; the latter would tell other programs what a code says.
public struct QRCodeReader: BarcodeReader {
    /// The greatest width or height that is searched.
    public static let maximumSide: Int = 4096
    /// The greatest number of pixels; twice what a camera of 4K delivers.
    public static let maximumArea: Int = 16_777_216
    /// How many codes of one picture are read.
    public static let mostCodes: Int = 16
    /// The bytes of a code that are read at most; more than version 40 has room for (ISO/IEC 18004 table 7: 7,089 digits).
    public static let mostBytes: Int = 8192

    /// Makes a reader, which keeps nothing.
    public init() {}

    /// Reads all codes of a frame: pixels, or a JPEG file, of which also a damaged one is searched as far as it goes.
    ///
    /// - Throws: `pictureTooLarge`, `undecodable`, `unavailable`.
    public func read(_ frame: VideoFrame) throws(BarcodeError) -> [BarcodePayload] {
        switch frame.content {
        case .pixels(let buffer): try read(buffer)
        case .jpeg(let file): try read(jpeg: file)
        }
    }

    /// Reads all codes of a picture.
    ///
    /// Where none is found, it looks again at the smoothed picture, and at smoothed ones of half the size, of a quarter and so on: zbar
    /// follows edges, of which noise and the blocks of JPEG make many. Of 768 pictures of codes with modules of 3 to 8 pixels, turned,
    /// with noise up to a quarter of the contrast and JPEG qualities down to 20, the first look read 413, and all together 763; of 108
    /// with modules of 12 to 20 pixels the first look read 19, and all together each.
    ///
    /// - Throws: `pictureTooLarge`, `unavailable`.
    public func read(_ picture: GrayPicture) throws(BarcodeError) -> [BarcodePayload] {
        try Self.check(picture.size)
        var found = try Self.scan(picture)
        var present = picture
        while found.isEmpty, let smooth = present.smoothed {
            found = try Self.scan(smooth)
            guard let half = present.halved, min(half.size.width, half.size.height) >= Self.leastSide else {
                break
            }
            present = half
        }
        return found
    }

    /// A picture is not made smaller than this: the smallest code has 29 modules with its light zone.
    private static let leastSide = 120

    private static func scan(_ picture: GrayPicture) throws(BarcodeError) -> [BarcodePayload] {
        let result = unsafe picture.pixels.withUnsafeBytes { bytes in
            Result { () throws(BarcodeError) in try unsafe scan(bytes, picture.size) }
        }
        return try result.get()
    }

    private func read(jpeg file: [UInt8]) throws(BarcodeError) -> [BarcodePayload] {
        let limits = JPEGLimits(maximumSide: Self.maximumSide, maximumArea: Self.maximumArea)
        let picture: PixelBuffer
        do throws(JPEGError) {
            picture = try JPEGDecoder(limits: limits).decode(file, layout: .i420, tolerant: true)
        } catch .tooLarge(let size, _) {
            throw .pictureTooLarge(size)
        } catch .handleUnavailable {
            throw .unavailable
        } catch {
            throw .undecodable("\(error)")
        }
        return try read(picture)
    }

    private func read(_ buffer: PixelBuffer) throws(BarcodeError) -> [BarcodePayload] {
        try Self.check(buffer.size)
        switch buffer.layout {
        // Luma comes first.
        case .i420:
            let luma = unsafe buffer.withBytes { bytes in unsafe [UInt8](bytes[..<buffer.size.area]) }
            return try read(GrayPicture(size: buffer.size, pixels: luma))
        case .rgb:
            // Luma of BT.601 in 8-bit fixed point.
            let luma = unsafe buffer.withBytes { bytes in
                unsafe [UInt8](unsafeUninitializedCapacity: buffer.size.area) { luma, count in
                    for pixel in 0..<buffer.size.area {
                        let red = unsafe Int(bytes[3 * pixel]) * 77
                        let green = unsafe Int(bytes[3 * pixel + 1]) * 150
                        let blue = unsafe Int(bytes[3 * pixel + 2]) * 29
                        unsafe luma[pixel] = UInt8((red + green + blue) >> 8)
                    }
                    count = buffer.size.area
                }
            }
            return try read(GrayPicture(size: buffer.size, pixels: luma))
        }
    }

    private static func check(_ size: PixelSize) throws(BarcodeError) {
        guard size.width <= maximumSide, size.height <= maximumSide, size.area <= maximumArea else {
            throw .pictureTooLarge(size)
        }
    }

    private static func scan(
        _ luma: UnsafeRawBufferPointer,
        _ size: PixelSize
    ) throws(BarcodeError) -> [BarcodePayload] {
        guard let scanner = unsafe zbar_image_scanner_create() else { throw .unavailable }
        defer { unsafe zbar_image_scanner_destroy(scanner) }
        guard let image = unsafe zbar_image_create() else { throw .unavailable }
        defer { unsafe zbar_image_destroy(image) }
        _ = unsafe zbar_image_scanner_request_dbus(scanner, 0)
        _ = unsafe zbar_image_scanner_set_config(scanner, ZBAR_NONE, ZBAR_CFG_ENABLE, 0)
        _ = unsafe zbar_image_scanner_set_config(scanner, ZBAR_QRCODE, ZBAR_CFG_ENABLE, 1)
        // The bytes as they stand in the code: zbar would guess how they are encoded.
        _ = unsafe zbar_image_scanner_set_config(scanner, ZBAR_QRCODE, ZBAR_CFG_BINARY, 1)
        unsafe zbar_image_set_format(image, lenssim_zbar_luma)
        unsafe zbar_image_set_size(image, UInt32(size.width), UInt32(size.height))
        unsafe zbar_image_set_data(image, luma.baseAddress, UInt(luma.count), nil)
        guard unsafe zbar_scan_image(scanner, image) >= 0 else { throw .unavailable }

        var payloads: [BarcodePayload] = []
        var symbol = unsafe zbar_image_first_symbol(image)
        while let found = unsafe symbol, payloads.count < mostCodes {
            let count = unsafe Int(zbar_symbol_get_data_length(found))
            if unsafe zbar_symbol_get_type(found) == ZBAR_QRCODE, count <= mostBytes,
                let data = unsafe zbar_symbol_get_data(found)
            {
                payloads.append(
                    BarcodePayload(unsafe [UInt8](UnsafeRawBufferPointer(start: data, count: count)))
                )
            }
            unsafe symbol = unsafe zbar_symbol_next(found)
        }
        return payloads
    }
}
