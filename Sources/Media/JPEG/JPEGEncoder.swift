import CTurboJPEG
public import Services

/// Encodes pictures as baseline JPEG files with 4:2:0 chroma.
///
/// Owns one TurboJPEG handle and its output memory, both used again for every picture. Not `Sendable`: one per
/// worker. The same pixels and quality always give the same bytes.
public final class JPEGEncoder {
    private let handle: TurboJPEGHandle
    private let output = ReusedBuffer()
    private let converted = PlanarPicture()

    /// Creates an encoder.
    public init() throws(JPEGError) {
        handle = try TurboJPEGHandle()
    }

    /// Encodes `picture` and returns the whole file.
    ///
    /// - Parameters:
    ///   - picture: RGB or I420, of any size up to 65,500 pixels on a side.
    ///   - quality: 1 (smallest) to 100 (best), libjpeg's scale.
    /// - Returns: The bytes from SOI to EOI.
    /// - Throws: ``JPEGError/encodingFailed(message:size:quality:)``.
    public func encode(_ picture: PixelBuffer, quality: Int) throws(JPEGError) -> [UInt8] {
        try unsafe withPlanes(of: picture) { (view) throws(JPEGError) in
            try unsafe encode(view, quality: quality, into: output)
        }
        return unsafe [UInt8](output.contents)
    }

    /// How often memory was allocated.
    var growths: Int { output.growths + converted.growths }

    /// Lends `picture` as 4:2:0 planes, converted where that is needed.
    func withPlanes<Result>(
        of picture: PixelBuffer,
        _ body: (PlanarView) throws(JPEGError) -> Result
    ) throws(JPEGError) -> Result {
        try unsafe picture.withBytes { (bytes) throws(JPEGError) in
            switch picture.layout {
            case .rgb:
                try unsafe body(convert(bytes, size: picture.size))
            case .i420 where !picture.size.isEven:
                try unsafe body(converted.copy(bytes, size: picture.size))
            case .i420:
                // TurboJPEG only reads the planes; the view is mutable for its other users.
                try unsafe body(
                    PlanarView(
                        size: picture.size,
                        base: UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).firstAddress)
                    )
                )
            }
        }
    }

    /// Encodes planes into `output`, which then holds exactly the file.
    func encode(_ view: PlanarView, quality: Int, into output: ReusedBuffer) throws(JPEGError) {
        let width = unsafe Int32(view.size.width)
        let height = unsafe Int32(view.size.height)
        let subsampling = Int32(TJSAMP_420.rawValue)
        guard let capacity = unsafe Self.capacity(for: view.size) else {
            throw unsafe failure(view.size, quality)
        }
        let room = unsafe output.reserve(capacity).bindMemory(to: UInt8.self)
        var planes = unsafe [
            UnsafePointer<UInt8>?(view.luma), UnsafePointer<UInt8>?(view.cb), UnsafePointer<UInt8>?(view.cr),
        ]
        let strides = unsafe [view.lumaStride, view.chromaStride, view.chromaStride].map(Int32.init)
        var destination = room.baseAddress
        var count = UInt(capacity)
        let status = unsafe tjCompressFromYUVPlanes(
            handle.raw,
            &planes,
            width,
            strides,
            height,
            subsampling,
            &destination,
            &count,
            Int32(quality),
            TJFLAG_NOREALLOC | TJFLAG_ACCURATEDCT
        )
        guard status == 0 else { throw unsafe failure(view.size, quality) }
        output.count = Int(count)
    }

    /// The most bytes that a file of a picture of `size` takes; `nil` when TurboJPEG refuses the size.
    static func capacity(for size: PixelSize) -> Int? {
        let bound = tjBufSize(Int32(size.width), Int32(size.height), Int32(TJSAMP_420.rawValue))
        // (unsigned long)-1 is how TurboJPEG refuses.
        return bound == .max ? nil : Int(bound)
    }

    /// Converts RGB to full-range BT.601 4:2:0, as JFIF has it.
    private func convert(_ bytes: UnsafeRawBufferPointer, size: PixelSize) throws(JPEGError) -> PlanarView {
        let view = unsafe converted.reshape(to: size)
        try unsafe handle.convert(rgb: bytes, to: view)
        return unsafe view
    }

    private func failure(_ size: PixelSize, _ quality: Int) -> JPEGError {
        .encodingFailed(message: handle.recover(), size: size, quality: quality)
    }
}

extension TurboJPEGHandle {
    /// Fills `view` from RGB rows of the same size.
    func convert(rgb: UnsafeRawBufferPointer, to view: PlanarView) throws(JPEGError) {
        var planes = unsafe [view.luma, view.cb, view.cr].map { unsafe Optional($0) }
        var strides = unsafe [view.lumaStride, view.chromaStride, view.chromaStride].map(Int32.init)
        let status = unsafe tjEncodeYUVPlanes(
            raw,
            rgb.bindMemory(to: UInt8.self).baseAddress,
            Int32(view.size.width),
            0,
            Int32(view.size.height),
            Int32(TJPF_RGB.rawValue),
            &planes,
            &strides,
            Int32(TJSAMP_420.rawValue),
            TJFLAG_ACCURATEDCT
        )
        guard status == 0 else {
            throw unsafe .encodingFailed(message: recover(), size: view.size, quality: 100)
        }
    }
}
