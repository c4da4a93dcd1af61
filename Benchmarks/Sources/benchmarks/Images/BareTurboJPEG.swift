import CTurboJPEG
import Services

/// TurboJPEG without anything around it: one handle, one output buffer.
@safe
final class BareTurboJPEG {
    struct Failed: Error {}

    private let handle: tjhandle
    private var buffer: UnsafeMutablePointer<UInt8>?
    private var capacity: UInt = 0

    init() throws {
        guard let handle = unsafe tjInitCompress() else { throw Failed() }
        unsafe self.handle = unsafe handle
    }

    deinit {
        _ = unsafe tjDestroy(handle)
        unsafe tjFree(buffer)
    }

    /// Encodes an I420 picture of even size as the product does: 4:2:0, the accurate DCT.
    func encode(_ picture: PixelBuffer, quality: Int) throws {
        let (width, height) = (Int32(picture.size.width), Int32(picture.size.height))
        let subsampling = Int32(TJSAMP_420.rawValue)
        let needed = tjBufSize(width, height, subsampling)
        if capacity < needed {
            unsafe tjFree(buffer)
            unsafe buffer = tjAlloc(Int32(needed))
            capacity = needed
        }
        var count = capacity
        let status = unsafe picture.withBytes { bytes in
            unsafe tjCompressFromYUV(
                handle,
                bytes.bindMemory(to: UInt8.self).baseAddress,
                width,
                1,
                height,
                subsampling,
                &buffer,
                &count,
                Int32(quality),
                TJFLAG_NOREALLOC | TJFLAG_ACCURATEDCT
            )
        }
        guard status == 0 else { throw Failed() }
    }
}
