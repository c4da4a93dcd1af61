public import Services

/// Makes JPEG files that are strictly smaller than a limit, at the best quality that fits.
///
/// The rungs are TurboJPEG quality 80, 70, … 10 at full size, then quality 10 at ×0.75, ×0.75², … The result
/// is a function of the frame alone: nothing is remembered from one frame to the next but memory. So that few
/// rungs are tried, a sample of the frame's blocks is encoded first and tells where to begin
/// (`Documentation/Decisions/0003-jpeg-ladder.md`).
///
/// In a steady stream nothing of a frame's size is allocated. Not `Sendable`: one per worker.
public final class JPEGLadder {
    /// 200 KB of 1,024 bytes, the live session's limit for a frame (LENS-093).
    public static let standardLimit = 204_800
    /// The qualities at full size, best first.
    static let qualities = [80, 70, 60, 50, 40, 30, 20, 10]

    /// Files are strictly smaller than this, in bytes.
    public let limit: Int
    /// What was done so far.
    public private(set) var statistics = JPEGLadderStatistics()

    let encoder: JPEGEncoder
    let sample = TileSample()
    private let decoder: JPEGDecoder
    private let scaled = [PlanarPicture(), PlanarPicture()]
    private let files = [ReusedBuffer(), ReusedBuffer()]
    private var output: [UInt8] = []

    /// Creates a ladder.
    ///
    /// - Parameters:
    ///   - limit: The size in bytes that no file reaches; at least 1,024, since headers alone take 600.
    ///   - limits: How large a camera's JPEG may be to be decoded again.
    public init(limit: Int = JPEGLadder.standardLimit, decoding limits: JPEGLimits = .standard)
        throws(JPEGError)
    {
        precondition(limit >= 1_024, "a JPEG file of fewer than 1,024 bytes holds no picture")
        self.limit = limit
        encoder = try JPEGEncoder()
        decoder = try JPEGDecoder(limits: limits)
    }

    /// How often working memory was allocated; constant in a steady stream of frames of one size.
    public var allocations: Int {
        encoder.growths + sample.growths
            + scaled.reduce(0) { $0 + $1.growths } + files.reduce(0) { $0 + $1.growths }
    }

    /// Compresses one frame.
    ///
    /// A camera's JPEG below the limit is returned as it is, once its markers show a complete file with a
    /// supported header; a larger one, or one without Huffman tables, is decoded and encoded again.
    ///
    /// - Parameter frame: Pixels or a JPEG file.
    /// - Returns: A file strictly below ``limit``.
    /// - Throws: A decoder's error for a JPEG that cannot be used, or ``JPEGError/doesNotFit(limit:size:)``.
    public func compress(_ frame: VideoFrame) throws(JPEGError) -> CompressedFrame {
        statistics.frames += 1
        do throws(JPEGError) {
            switch frame.content {
            case .pixels(let picture): return try compress(picture)
            case .jpeg(let file): return try compress(file)
            }
        } catch {
            statistics.failures += 1
            throw error
        }
    }

    private func compress(_ file: [UInt8]) throws(JPEGError) -> CompressedFrame {
        let header = try decoder.acceptableHeader(of: file)
        guard let markers = try? JPEGMarkers(in: file) else { throw .truncated(byteCount: file.count) }
        if file.count < limit, markers.hasHuffmanTables {
            statistics.passedThrough += 1
            return CompressedFrame(jpeg: file, size: header.size, quality: nil, downscales: 0)
        }
        return try compress(decoder.decode(file))
    }

    private func compress(_ picture: PixelBuffer) throws(JPEGError) -> CompressedFrame {
        statistics.framePixels += picture.size.area
        return try unsafe encoder.withPlanes(of: picture) { (view) throws(JPEGError) in
            if let rung = try unsafe climb(view, Self.qualities) {
                return frame(rung, size: picture.size, downscales: 0)
            }
            statistics.downscaled += 1
            return try unsafe shrink(view)
        }
    }

    /// Scales by ×0.75 until the lowest quality fits.
    private func shrink(_ picture: PlanarView) throws(JPEGError) -> CompressedFrame {
        var view = unsafe picture
        var downscales = 0
        while unsafe view.size.width >= 16 && view.size.height >= 16 {
            unsafe view = scaled[downscales % 2].downscale(view)
            downscales += 1
            if let rung = try unsafe climb(view, Self.qualities.suffix(1)) {
                return unsafe frame(rung, size: view.size, downscales: downscales)
            }
        }
        throw unsafe .doesNotFit(limit: limit, size: view.size)
    }

    private func climb(_ view: PlanarView, _ qualities: [Int]) throws(JPEGError) -> Rung? {
        var search = unsafe RungSearch(qualities: qualities, limit: limit, size: view.size)
        let sampled = unsafe search.needsSample ? sample.take(view) : nil
        if let capacity = unsafe JPEGEncoder.capacity(for: view.size), search.needsSample {
            // Both now, so that no later frame is the first to need the second.
            for file in files { _ = unsafe file.reserve(capacity) }
        }
        while true {
            switch unsafe search.next(hasSample: sampled != nil) {
            case .probe(let quality):
                guard let sampled = unsafe sampled else { preconditionFailure("only a sample is probed") }
                statistics.probes += 1
                let count = try unsafe run(sampled.view, quality, into: files[search.spare])
                unsafe search.probed(quality, byteCount: count, scale: sampled.scale)
            case .encode(let quality):
                statistics.encodes += 1
                let count = try unsafe run(view, quality, into: files[search.spare])
                search.encoded(quality, byteCount: count)
            case .found(let rung): return rung
            case .nothingFits: return nil
            }
        }
    }

    private func run(_ view: PlanarView, _ quality: Int, into file: ReusedBuffer) throws(JPEGError) -> Int {
        statistics.encodedPixels += unsafe view.size.area
        try unsafe encoder.encode(view, quality: quality, into: file)
        return file.count
    }

    private func frame(_ rung: Rung, size: PixelSize, downscales: Int) -> CompressedFrame {
        let count = files[rung.file].count
        if output.capacity < count {
            // A quarter more, so that a scene's fluctuation soon needs no more.
            output = []
            output.reserveCapacity(min(limit, count + count / 4))
        }
        // In place when the last frame's bytes are no longer held by anyone.
        output.removeAll(keepingCapacity: true)
        unsafe output.append(contentsOf: files[rung.file].contents)
        precondition(output.count < limit, "the ladder emits no file that reaches the limit")
        return CompressedFrame(jpeg: output, size: size, quality: rung.quality, downscales: downscales)
    }
}
