import Services

/// A borrowed 4:2:0 picture: three planes with TurboJPEG's idea of their extent.
///
/// TurboJPEG reads luma up to an even width and height (`tjPlaneWidth`, turbojpeg.h), so that a view of an odd
/// size must have that extra column and row.
@unsafe
struct PlanarView {
    let size: PixelSize
    let luma: UnsafeMutablePointer<UInt8>
    let cb: UnsafeMutablePointer<UInt8>
    let cr: UnsafeMutablePointer<UInt8>
    let lumaStride: Int
    let chromaStride: Int

    /// Lays the planes one after the other, each row without padding but luma's to an even width.
    init(size: PixelSize, base: UnsafeMutablePointer<UInt8>) {
        unsafe self.size = size
        let chroma = size.halved
        unsafe luma = unsafe base
        unsafe cb = unsafe base + 4 * chroma.area
        unsafe cr = unsafe cb + chroma.area
        unsafe lumaStride = 2 * chroma.width
        unsafe chromaStride = chroma.width
    }

    /// The bytes that a view of `size` takes.
    static func byteCount(of size: PixelSize) -> Int { 6 * size.halved.area }
}

extension PixelSize {
    /// Whether a ``PixelBuffer`` in i420 of this size lies in memory as a ``PlanarView`` does.
    var isEven: Bool { width.isMultiple(of: 2) && height.isMultiple(of: 2) }

    /// The size of the chroma planes, rounded up.
    var halved: PixelSize { PixelSize(width: (width + 1) / 2, height: (height + 1) / 2) }
}
