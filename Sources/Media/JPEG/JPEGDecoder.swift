import CTurboJPEG
public import Services

/// Decodes JPEG files, also hostile ones, into recycled pixel buffers.
///
/// Owns one TurboJPEG handle. The header is checked before anything is allocated. Not `Sendable`: one per worker.
public final class JPEGDecoder {
    /// How large a picture is accepted.
    public let limits: JPEGLimits
    private let handle: TurboJPEGHandle
    private let planes = PlanarPicture()
    private let pixels = ReusedBuffer()
    private var pool: PixelBufferPool?

    /// Creates a decoder that refuses pictures beyond `limits`.
    public init(limits: JPEGLimits = .standard) throws(JPEGError) {
        self.limits = limits
        handle = try TurboJPEGHandle()
    }

    /// Reads the header alone.
    ///
    /// - Parameter file: A JPEG file, or its beginning up to the frame header.
    /// - Returns: What the file says of itself, also beyond ``limits``.
    /// - Throws: ``JPEGError/undecodable(message:byteCount:)``.
    public func header(of file: [UInt8]) throws(JPEGError) -> JPEGHeader {
        var width: Int32 = 0
        var height: Int32 = 0
        var subsampling: Int32 = -1
        var colorspace: Int32 = -1
        let status = unsafe tjDecompressHeader3(
            handle.raw,
            file,
            UInt(file.count),
            &width,
            &height,
            &subsampling,
            &colorspace
        )
        // A warning leaves a usable header; the values are checked below.
        if status != 0, width <= 0 || height <= 0 || !handle.failureIsWarning {
            throw .undecodable(message: handle.recover(), byteCount: file.count)
        }
        guard
            let header = JPEGHeader(
                width: width,
                height: height,
                subsampling: subsampling,
                colorspace: colorspace
            ), width > 0, height > 0
        else { throw .undecodable(message: "unknown subsampling or colour space", byteCount: file.count) }
        return header
    }

    /// Reads the header and refuses what ``decode(_:layout:tolerant:)`` would refuse by it.
    ///
    /// - Parameter file: A JPEG file, or its beginning up to the frame header.
    /// - Returns: The header of a picture within ``limits`` and in a colour space of cameras.
    /// - Throws: ``JPEGError/undecodable(message:byteCount:)``, ``JPEGError/tooLarge(_:limits:)`` or
    ///   ``JPEGError/unsupportedColorspace(_:)``.
    public func acceptableHeader(of file: [UInt8]) throws(JPEGError) -> JPEGHeader {
        let header = try header(of: file)
        guard limits.allow(header.size) else { throw .tooLarge(header.size, limits: limits) }
        switch header.colorspace {
        case .cmyk, .ycck: throw .unsupportedColorspace(header.colorspace)
        case .rgb, .yCbCr, .grey: return header
        }
    }

    /// Decodes a whole file.
    ///
    /// - Parameters:
    ///   - file: The bytes from SOI to EOI.
    ///   - layout: How the pixels shall lie in memory; I420 from a 4:2:0 file costs no conversion.
    ///   - tolerant: Whether a damaged picture is returned as far as it could be decoded.
    /// - Returns: A buffer that is recycled once nobody holds it.
    /// - Throws: What ``acceptableHeader(of:)`` throws, or ``JPEGError/damaged(message:byteCount:)``.
    public func decode(
        _ file: [UInt8],
        layout: PixelBuffer.Layout = .i420,
        tolerant: Bool = false
    ) throws(JPEGError) -> PixelBuffer {
        let header = try acceptableHeader(of: file)
        let pool = pool(for: header.size, layout)
        return try unsafe pool.makeBuffer { (bytes) throws(JPEGError) in
            switch layout {
            case .rgb:
                try unsafe decodeRGB(file, header.size, into: bytes, tolerant)
            case .i420 where header.subsampling == .yuv420 && header.colorspace == .yCbCr:
                try unsafe decodePlanes(file, header.size, into: bytes, tolerant)
            case .i420:
                let rgb = unsafe pixels.reserve(PixelBuffer.Layout.rgb.byteCount(of: header.size))
                try unsafe decodeRGB(file, header.size, into: rgb, tolerant)
                let view = unsafe planes.reshape(to: header.size)
                try unsafe handle.convert(rgb: UnsafeRawBufferPointer(rgb), to: view)
                unsafe PlanarPicture.crop(view, into: bytes)
            }
        }
    }

    private func pool(for size: PixelSize, _ layout: PixelBuffer.Layout) -> PixelBufferPool {
        if let pool, pool.size == size, pool.layout == layout { return pool }
        let fresh = PixelBufferPool(size: size, layout: layout)
        pool = fresh
        return fresh
    }

    /// Decodes to RGB, at the largest scale that fits into `size`.
    func decodeRGB(
        _ file: [UInt8],
        _ size: PixelSize,
        into bytes: UnsafeMutableRawBufferPointer,
        _ tolerant: Bool
    ) throws(JPEGError) {
        let status = unsafe tjDecompress2(
            handle.raw,
            file,
            UInt(file.count),
            bytes.bindMemory(to: UInt8.self).baseAddress,
            Int32(size.width),
            0,
            Int32(size.height),
            Int32(TJPF_RGB.rawValue),
            Self.flags
        )
        try check(status, file, tolerant)
    }

    private func decodePlanes(
        _ file: [UInt8],
        _ size: PixelSize,
        into bytes: UnsafeMutableRawBufferPointer,
        _ tolerant: Bool
    ) throws(JPEGError) {
        // TurboJPEG writes the padding of odd sizes, for which a pixel buffer has no room.
        let direct = size.isEven
        let view =
            unsafe direct
            ? PlanarView(size: size, base: bytes.bindMemory(to: UInt8.self).firstAddress)
            : planes.reshape(to: size)
        var targets = unsafe [view.luma, view.cb, view.cr].map { unsafe Optional($0) }
        var strides = unsafe [view.lumaStride, view.chromaStride, view.chromaStride].map(Int32.init)
        let status = unsafe tjDecompressToYUVPlanes(
            handle.raw,
            file,
            UInt(file.count),
            &targets,
            Int32(size.width),
            &strides,
            Int32(size.height),
            Self.flags
        )
        try check(status, file, tolerant)
        if !direct { unsafe PlanarPicture.crop(view, into: bytes) }
    }

    private func check(_ status: Int32, _ file: [UInt8], _ tolerant: Bool) throws(JPEGError) {
        guard status != 0 else { return }
        let isWarning = handle.failureIsWarning
        let message = handle.recover()
        guard isWarning else { throw .undecodable(message: message, byteCount: file.count) }
        if !tolerant { throw .damaged(message: message, byteCount: file.count) }
    }

    /// A progressive file may repeat scans without end; the flag bounds them (turbojpeg.h).
    private static var flags: Int32 { TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS }
}
