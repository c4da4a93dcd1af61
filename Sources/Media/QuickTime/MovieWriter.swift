public import Services

/// Makes a Motion-JPEG movie piece by piece: each piece is appended to the file as it comes.
///
/// The file is a QuickTime movie in fragments (`ftyp`, `moov` with `mvex`, then `moof` and `mdat` again and again, at the end
/// `mfra`), so that what was written up to any moment plays: a cut loses the fragment that it goes through, from the cut on.
/// A frame lasts until the next one; the newest is kept back until then, or until ``cut(at:)``.
///
/// It holds at most one fragment, of ``fragmentDuration`` or ``fragmentByteCount``, and an index of 32,768 entries.
///
/// Sources: "QuickTime File Format" of Apple for the movie, ISO/IEC 14496-12, chapter 8, for its fragments.
public struct MovieWriter: Sendable {
    /// After so much time a fragment is complete: half of the second that a cut may lose, for frames come late.
    public static let fragmentDuration: Duration = .milliseconds(500)
    /// After so many bytes a fragment is complete.
    public static let fragmentByteCount: Int = 8 << 20
    /// The largest frame, in bytes.
    public static let frameByteCount: Int = 64 << 20
    /// Units of a second in which times are kept: those of MPEG, in which all usual frame rates are whole.
    public static let timescale: Int = 90_000

    /// The bytes that every movie of this writer begins with, whatever is in it.
    public static let mark: [UInt8] = MovieHeader.fileType

    /// Width and height that the movie says it has.
    public let size: PixelSize
    /// The frames that were taken.
    public private(set) var frameCount: Int = 0

    private struct Sample {
        var jpeg: [UInt8]
        var time: Int
    }

    /// What the next fragment has so far; the duration of each is known.
    private var samples: [(byteCount: Int, duration: Int)] = []
    private var data: [UInt8] = []
    private var fragmentTime = 0
    /// The frame whose end is not known.
    private var held: Sample?
    /// When the first frame was taken.
    private var origin: Duration?
    /// Where the last frame that was given an end has it.
    private var end = 0
    private var written = 0
    private var fragmentCount = 0
    private var index = FragmentIndex()

    /// Begins a movie.
    ///
    /// - Precondition: Width and height are 1…65,535 pixels.
    public init(size: PixelSize) {
        precondition((1...65_535).contains(size.width) && (1...65_535).contains(size.height), "\(size)")
        self.size = size
    }

    /// How long the movie lasts as far as it is known: up to the newest frame, or to the last cut.
    public var duration: Duration { .ticks(held?.time ?? end) }

    /// The bytes that the file begins with; to be asked for once, before all others.
    public mutating func begin() -> [UInt8] {
        precondition(written == 0, "a movie begins once")
        return noting(MovieHeader.bytes(size: size))
    }

    /// Takes a frame, and returns what is to be appended now: nothing, or a fragment.
    ///
    /// - Parameters:
    ///   - jpeg: A whole JPEG file.
    ///   - time: When it was taken, on the camera's clock; the first frame's is the movie's beginning.
    /// - Throws: `frameTooLarge`, or `frameTooEarly` for one that is not later than the frame before; it is left out.
    public mutating func add(_ jpeg: [UInt8], at time: Duration) throws(MovieError) -> [UInt8] {
        guard jpeg.count <= Self.frameByteCount else {
            throw .frameTooLarge(byteCount: jpeg.count, limit: Self.frameByteCount)
        }
        let origin = origin ?? time
        let ticks = max((time - origin).ticks, end)
        if let held, ticks <= held.time { throw .frameTooEarly(at: time) }
        self.origin = origin
        endHeld(at: ticks)
        let piece = isComplete ? takeFragment() : []
        // Also after a cut, since when there may be a gap.
        if samples.isEmpty { fragmentTime = ticks }
        held = Sample(jpeg: jpeg, time: ticks)
        frameCount += 1
        return piece
    }

    /// Ends the newest frame at a time of the camera's clock, and returns all that is kept back, if there is any.
    ///
    /// For a camera that has given no frame for a while. The frame after it may begin later: until then players show this one.
    public mutating func cut(at time: Duration) -> [UInt8] {
        guard let origin else { return [] }
        // A frame lasts at least one tick.
        if let held { endHeld(at: max((time - origin).ticks, held.time + 1)) }
        return takeFragment()
    }

    /// Ends the movie at a time of the camera's clock, and returns the last bytes of the file.
    public mutating func finish(at time: Duration) -> [UInt8] {
        let last = cut(at: time)
        return last + noting(index.bytes)
    }

    private var isComplete: Bool {
        guard !samples.isEmpty else { return false }
        return Duration.ticks(end - fragmentTime) >= Self.fragmentDuration
            || data.count >= Self.fragmentByteCount
    }

    private mutating func endHeld(at ticks: Int) {
        guard let held else { return }
        samples.append((held.jpeg.count, ticks - held.time))
        data += held.jpeg
        end = ticks
        self.held = nil
    }

    private mutating func takeFragment() -> [UInt8] {
        guard !samples.isEmpty else { return [] }
        fragmentCount += 1
        index.note(time: fragmentTime, offset: written)
        let head = MovieFragment.bytes(number: fragmentCount, time: fragmentTime, samples: samples)
        let piece = noting(head + data)
        samples.removeAll(keepingCapacity: true)
        data.removeAll(keepingCapacity: true)
        fragmentTime = end
        return piece
    }

    private mutating func noting(_ bytes: [UInt8]) -> [UInt8] {
        written += bytes.count
        return bytes
    }
}

extension Duration {
    /// Whole units of ``MovieWriter/timescale``, rounded to the nearest.
    var ticks: Int {
        let (seconds, attoseconds) = components
        let part = 1_000_000_000_000_000_000 / Int64(MovieWriter.timescale)
        let rounded = (attoseconds + (attoseconds < 0 ? -part : part) / 2) / part
        return Int(seconds) * MovieWriter.timescale + Int(rounded)
    }

    static func ticks(_ count: Int) -> Duration {
        let (seconds, rest) = count.quotientAndRemainder(dividingBy: MovieWriter.timescale)
        return .seconds(seconds) + .nanoseconds(Int64(rest) * 1_000_000_000 / Int64(MovieWriter.timescale))
    }
}
