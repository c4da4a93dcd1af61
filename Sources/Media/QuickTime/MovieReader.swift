public import Services

/// Reads the frames of a Motion-JPEG movie: one of fragments, as ``MovieWriter`` makes them, or one with sample tables.
///
/// The first track with JPEG pictures counts. Of a file that was cut the frames are there that are whole. Edit lists are not
/// looked at: times are those of the track. The reader keeps of each frame 32 bytes, and reads its pictures when they are asked for.
public struct MovieReader: Sendable {
    /// How much is taken of a file.
    public struct Limits: Sendable, Hashable {
        /// Frames; ten hours of 30 a second.
        public var frameCount: Int = 1_080_000
        /// Bytes of a frame.
        public var frameByteCount: Int = MovieWriter.frameByteCount
        /// Bytes of `moov`, and of a `moof`.
        public var headerByteCount: Int = 64 << 20
        /// Boxes of the file.
        public var boxCount: Int = 1_000_000

        /// The limits that suit recordings of this app.
        public init() {}
    }

    /// One frame.
    public struct Frame: Sendable, Hashable {
        /// Where its bytes begin.
        public var offset: Int
        /// How many there are.
        public var byteCount: Int
        /// When it begins, in units of the track.
        var start: Int
        /// How long it lasts, in units of the track.
        var length: Int
    }

    /// Reads `count` bytes from `offset` on, fewer where the file ends.
    public typealias Source = @Sendable (_ offset: Int, _ count: Int) throws -> [UInt8]

    /// The frames, in the order of their times.
    public let frames: [Frame]
    /// Width and height that the movie says it has.
    public let size: PixelSize
    /// Whether the file goes on to the end that it says it has.
    public let isComplete: Bool

    private let timescale: Int
    private let limits: Limits
    private let source: Source

    /// Reads what the file says of its frames.
    ///
    /// - Parameters:
    ///   - byteCount: The file's size.
    ///   - limits: Bounds; a file beyond them is refused.
    ///   - source: Reads the file.
    /// - Throws: ``MovieError``.
    public init(byteCount: Int, limits: Limits = Limits(), source: @escaping Source) throws(MovieError) {
        let scan = try MovieScan(byteCount: byteCount, limits: limits, source: source)
        guard let track = scan.track else {
            throw scan.isDescribed ? .noVideo : .cut(byteCount: byteCount)
        }
        let whole = track.frames.filter { $0.byteCount <= byteCount - $0.offset }
        (frames, size, timescale) = (whole, track.size, track.timescale)
        isComplete = !scan.isCut && whole.count == track.frames.count
        (self.limits, self.source) = (limits, source)
    }

    /// How long it lasts: to the end of its last frame.
    public var duration: Duration { frames.last.map { time($0.start + $0.length) } ?? .zero }

    /// When a frame begins.
    ///
    /// - Precondition: There is one of that number.
    public func time(ofFrame number: Int) -> Duration { time(frames[number].start) }

    /// The number of the frame that is seen at a time: the last one that has begun, else the first; `nil` without any.
    public func frameNumber(at time: Duration) -> Int? {
        var (low, high) = (0, frames.count)
        while low < high {
            let middle = (low + high) / 2
            if self.time(frames[middle].start) <= time { low = middle + 1 } else { high = middle }
        }
        return frames.isEmpty ? nil : max(0, low - 1)
    }

    /// Reads the JPEG file of a frame.
    ///
    /// - Throws: `noFrame`, `tooLarge`, `unreadable`, and `notJPEG` for bytes that do not begin as a JPEG file does.
    public func jpeg(ofFrame number: Int) throws(MovieError) -> [UInt8] {
        guard frames.indices.contains(number) else { throw .noFrame(number, count: frames.count) }
        let frame = frames[number]
        let bytes: [UInt8]
        do { bytes = try source(frame.offset, frame.byteCount) } catch { throw .unreadable("\(error)") }
        guard bytes.count == frame.byteCount else { throw .cut(byteCount: frame.offset + bytes.count) }
        guard bytes.starts(with: [0xFF, 0xD8, 0xFF]) else { throw .notJPEG(frame: number) }
        return bytes
    }

    private func time(_ units: Int) -> Duration {
        let (seconds, rest) = units.quotientAndRemainder(dividingBy: timescale)
        return .seconds(seconds) + .nanoseconds(Int64(rest) * 1_000_000_000 / Int64(timescale))
    }
}

extension MovieReader {
    /// Reads a file that is in memory.
    public init(_ bytes: [UInt8], limits: Limits = Limits()) throws(MovieError) {
        try self.init(byteCount: bytes.count, limits: limits) { offset, count in
            Array(bytes.dropFirst(offset).prefix(count))
        }
    }
}
