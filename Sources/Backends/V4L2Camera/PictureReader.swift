import CV4L2
import Services

/// Copies pictures out of a driver's buffers.
///
/// YUYV and NV12 become full-range I420, which the JPEG encoder takes as it is: nothing is converted to RGB. Colours other than those of
/// BT.601, as some drivers have them in large pictures, are taken for it.
struct PictureReader {
    private let format: VideoFormat
    private let size: PixelSize
    private let stride: Int
    private let hasFullRange: Bool
    private let pool: PixelBufferPool

    /// Describes the pictures.
    ///
    /// - Parameter stride: From one row to the next, in bytes; nothing for rows without padding.
    init(format: VideoFormat, size: PixelSize, stride: Int = 0, hasFullRange: Bool = false) {
        self.format = format
        self.size = size
        self.stride = stride > 0 ? stride : Self.rowBytes(format, size)
        self.hasFullRange = hasFullRange
        // Those of the app's pictures that are shown, encoded and recorded at the same time.
        pool = PixelBufferPool(size: size, layout: .i420, capacity: 12)
    }

    /// Whether the rows fit into their distance; pictures of odd width have half a pair of pixels, which is refused.
    var isPossible: Bool {
        format.isCompressed
            || size.width.isMultiple(of: 2) && stride >= Self.rowBytes(format, size) && stride <= 1 << 20
    }

    /// The fewest bytes that have a picture.
    var leastBytes: Int {
        switch format {
        case .yuyv: stride * (size.height - 1) + Self.rowBytes(format, size)
        case .nv12: stride * (size.height + (size.height + 1) / 2 - 1) + size.width
        default: 4
        }
    }

    /// The picture of a buffer; `nil` when it is not whole.
    func read(_ bytes: UnsafeRawBufferPointer) -> VideoFrame.Content? {
        guard bytes.count >= leastBytes else { return nil }
        guard !format.isCompressed else { return unsafe JPEGExtent.file(in: bytes).map { .jpeg($0) } }
        let picture = unsafe pool.makeBuffer { target in
            let source = unsafe bytes.assumingMemoryBound(to: UInt8.self)
            let target = unsafe target.assumingMemoryBound(to: UInt8.self)
            guard let from = source.baseAddress, let to = target.baseAddress else { return }
            let convert = unsafe format == .yuyv ? cv4l2_yuyv_to_i420 : cv4l2_nv12_to_i420
            unsafe convert(from, stride, to, size.width, size.height, hasFullRange ? 0 : 1)
        }
        return .pixels(picture)
    }

    private static func rowBytes(_ format: VideoFormat, _ size: PixelSize) -> Int {
        format == .yuyv ? 2 * size.width : size.width
    }
}
