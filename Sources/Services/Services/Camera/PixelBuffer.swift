/// The bytes of one uncompressed picture, written once and then only read.
///
/// Reference counted and recycled: a ``PixelBufferPool`` hands out buffers and takes them back when nobody
/// reads them any more, so that a steady stream of frames allocates nothing.
@safe
public final class PixelBuffer: @unchecked Sendable {
    // Invariant that makes this Sendable: the bytes are written only through `withMutableBytes`, which only the
    // sole owner may call, before the buffer is shared; afterwards all access is reading. A pool keeps to it by
    // handing out only buffers that nobody else holds. `@safe`: the storage lives as long as the object.

    /// How the pixels lie in memory.
    public enum Layout: String, Sendable, Codable {
        /// Three bytes a pixel: red, green, blue; rows without padding.
        case rgb
        /// Planar 4:2:0, full-range BT.601: all Y, then Cb, then Cr, chroma halved in both directions
        /// (rounded up), rows without padding.
        case i420
    }

    /// Width and height in pixels.
    public let size: PixelSize
    /// How the pixels lie in memory.
    public let layout: Layout
    private let storage: UnsafeMutableRawBufferPointer

    /// Allocates a buffer with undefined contents.
    public init(size: PixelSize, layout: Layout) {
        precondition(size.width > 0 && size.height > 0, "a picture has at least one pixel")
        self.size = size
        self.layout = layout
        unsafe storage = .allocate(byteCount: layout.byteCount(of: size), alignment: 64)
    }

    deinit { unsafe storage.deallocate() }

    /// The bytes that the picture takes.
    public var byteCount: Int { unsafe storage.count }

    /// Reads all bytes, in the order that ``layout`` tells.
    public func withBytes<Result, Failure>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(UnsafeRawBufferPointer(storage))
    }

    /// Writes the bytes, which is allowed only before the buffer is shared.
    public func withMutableBytes<Result, Failure>(
        _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(storage)
    }
}

extension PixelBuffer.Layout {
    /// The bytes that a picture of `size` takes.
    public func byteCount(of size: PixelSize) -> Int {
        switch self {
        case .rgb: size.area * 3
        case .i420: size.area + 2 * ((size.width + 1) / 2) * ((size.height + 1) / 2)
        }
    }
}
