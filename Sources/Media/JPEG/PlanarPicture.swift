import Services

/// A 4:2:0 picture in reused memory: the working copy for scaling, sampling and odd sizes.
final class PlanarPicture {
    private let storage = ReusedBuffer()

    /// How often memory was allocated.
    var growths: Int { storage.growths }

    /// Returns the planes for a picture of `size`, with undefined contents; valid until the next call.
    func reshape(to size: PixelSize) -> PlanarView {
        let bytes = unsafe storage.reserve(PlanarView.byteCount(of: size))
        return unsafe PlanarView(size: size, base: bytes.bindMemory(to: UInt8.self).firstAddress)
    }

    /// Copies a ``PixelBuffer`` in i420 of any size, doubling the last column and row of odd sizes.
    func copy(_ bytes: UnsafeRawBufferPointer, size: PixelSize) -> PlanarView {
        let view = unsafe reshape(to: size)
        let chroma = size.halved
        let source = unsafe bytes.bindMemory(to: UInt8.self).firstAddress
        for row in 0..<(2 * chroma.height) {
            let from = unsafe source + min(row, size.height - 1) * size.width
            let to = unsafe view.luma + row * view.lumaStride
            unsafe to.update(from: from, count: size.width)
            if unsafe view.lumaStride > size.width { unsafe to[size.width] = from[size.width - 1] }
        }
        unsafe view.cb.update(from: source + size.area, count: 2 * chroma.area)
        return unsafe view
    }

    /// Copies the visible part of `view` out into a ``PixelBuffer`` in i420 of the same size.
    static func crop(_ view: PlanarView, into bytes: UnsafeMutableRawBufferPointer) {
        let size = unsafe view.size
        let chroma = size.halved
        let target = unsafe bytes.bindMemory(to: UInt8.self).firstAddress
        for row in 0..<size.height {
            unsafe (target + row * size.width)
                .update(from: view.luma + row * view.lumaStride, count: size.width)
        }
        unsafe (target + size.area).update(from: view.cb, count: 2 * chroma.area)
    }
}

extension UnsafeBufferPointer {
    /// The address of the first element of a buffer that is known to have one.
    var firstAddress: UnsafePointer<Element> {
        guard let address = baseAddress else { preconditionFailure("the buffer holds a picture") }
        return unsafe address
    }
}

extension UnsafeMutableBufferPointer {
    /// The address of the first element of a buffer that is known to have one.
    var firstAddress: UnsafeMutablePointer<Element> {
        guard let address = baseAddress else { preconditionFailure("the buffer holds a picture") }
        return unsafe address
    }
}
