import Services

/// The track with the pictures, and its frames so far.
struct MovieTrack {
    let id: Int
    let timescale: Int
    let size: PixelSize
    private(set) var frames: [MovieReader.Frame] = []
    /// Where the last frame ends, in units of the track.
    private var end = 0
    private var defaults = MovieDefaults()

    /// Finds the first track with JPEG pictures; `nil` without any track of pictures.
    ///
    /// - Throws: `otherCodec` where there are only pictures of another kind.
    init?(_ moov: BoxReader, _ limits: MovieReader.Limits) throws(MovieError) {
        var boxes = moov
        var other: String?
        var found: (id: Int, timescale: Int, size: PixelSize, table: BoxReader)?
        while found == nil, let box = try boxes.takeBox() {
            guard box.name == "trak" else { continue }
            let media = try box.only("mdia")
            guard try Self.isVideo(media) else { continue }
            let table = try media.only("minf").only("stbl")
            let (codec, size) = try Self.description(table.only("stsd"))
            guard codec == "jpeg", let size else {
                other = other ?? codec
                continue
            }
            found = (
                try Self.identity(box.only("tkhd")), try Self.timescale(media.only("mdhd")), size, table
            )
        }
        guard let found else {
            if let other { throw .otherCodec(other) }
            return nil
        }
        (id, timescale, size) = (found.id, found.timescale, found.size)
        if let extensions = try moov.first("mvex") { defaults = try MovieDefaults(extensions, track: id) }
        try addTable(found.table, limits)
    }

    private static func isVideo(_ media: BoxReader) throws(MovieError) -> Bool {
        var handler = try media.only("hdlr")
        _ = try handler.take(8)
        return try handler.takeName() == "vide"
    }

    private static func identity(_ header: BoxReader) throws(MovieError) -> Int {
        var header = header
        let version = try header.takeVersionAndFlags().version
        _ = try header.take(version == 1 ? 16 : 8)
        return try header.take32()
    }

    private static func timescale(_ header: BoxReader) throws(MovieError) -> Int {
        var header = header
        let version = try header.takeVersionAndFlags().version
        _ = try header.take(version == 1 ? 16 : 8)
        let timescale = try header.take32()
        guard timescale > 0 else { throw header.malformed("seconds of no units") }
        return timescale
    }

    /// The kind of the pictures, and their size where they are JPEG files.
    private static func description(
        _ box: BoxReader
    ) throws(MovieError) -> (codec: String, size: PixelSize?) {
        var box = box
        _ = try box.takeVersionAndFlags()
        let count = try box.take32()
        guard count == 1, var entry = try box.takeBox() else { throw box.malformed("\(count) descriptions") }
        guard entry.name == "jpeg" else { return (entry.name, nil) }
        _ = try entry.take(24)
        let size = PixelSize(width: try entry.take16(), height: try entry.take16())
        guard size.area > 0 else { throw entry.malformed("pictures of \(size) pixels") }
        return (entry.name, size)
    }

    // MARK: Frames

    /// Seconds, a century: with times beyond it nobody can calculate in milliseconds.
    private static let longest = 3_155_760_000

    private mutating func add(
        offset: Int,
        byteCount: Int,
        length: Int,
        _ box: BoxReader,
        _ limits: MovieReader.Limits
    ) throws(MovieError) {
        guard frames.count < limits.frameCount else {
            throw .tooLarge(part: "frames", count: frames.count + 1, limit: limits.frameCount)
        }
        guard byteCount <= limits.frameByteCount else {
            throw .tooLarge(part: "frame", count: byteCount, limit: limits.frameByteCount)
        }
        let (next, overflow) = end.addingReportingOverflow(length)
        guard !overflow, offset >= 0 else { throw box.malformed("a frame at \(offset), of \(length) units") }
        guard next / timescale <= Self.longest else { throw box.malformed("a frame that ends at \(next)") }
        frames.append(.init(offset: offset, byteCount: byteCount, start: end, length: length))
        end = next
    }

    /// Adds the frames of the sample tables, chunk by chunk.
    private mutating func addTable(_ table: BoxReader, _ limits: MovieReader.Limits) throws(MovieError) {
        var sizes = try SampleSizes(table.only("stsz"), limits)
        guard sizes.count > 0 else { return }
        var durations = try SampleDurations(table.only("stts"))
        var chunks = try SampleChunks(table.only("stsc"))
        let isLong = try table.first("stco") == nil
        var offsets = try table.only(isLong ? "co64" : "stco")
        _ = try offsets.takeVersionAndFlags()
        let chunkCount = try offsets.take32()
        var left = sizes.count
        var chunk = 0
        while chunk < chunkCount, left > 0 {
            chunk += 1
            var offset = isLong ? try offsets.take64() : try offsets.take32()
            let count = try chunks.frameCount(ofChunk: chunk)
            for _ in 0..<min(count, left) {
                let byteCount = try sizes.next()
                try add(
                    offset: offset,
                    byteCount: byteCount,
                    length: try durations.next(),
                    offsets,
                    limits
                )
                let (next, overflow) = offset.addingReportingOverflow(byteCount)
                guard !overflow else { throw offsets.malformed("a chunk at \(offset)") }
                offset = next
            }
            left -= min(count, left)
        }
        guard left == 0 else { throw offsets.malformed("\(left) frames are in no chunk") }
    }

    /// Adds the frames of a fragment that begins at `start` of the file.
    mutating func addFragment(
        _ moof: BoxReader,
        start: Int,
        _ limits: MovieReader.Limits
    ) throws(MovieError) {
        var boxes = moof
        // Where the data of the next track begins that does not say it: behind that of the one before.
        var next: Int? = start
        while let box = try boxes.takeBox() {
            guard box.name == "traf" else { continue }
            let head = try FragmentHead(box.only("tfhd"), defaults, moof: start, next: next)
            guard head.track == id else {
                // Where its data ends is not looked at.
                next = nil
                continue
            }
            next = try addRuns(box, head, limits)
        }
    }

    private mutating func addRuns(
        _ traf: BoxReader,
        _ head: FragmentHead,
        _ limits: MovieReader.Limits
    ) throws(MovieError) -> Int {
        if var time = try traf.first("tfdt") {
            let start =
                try time.takeVersionAndFlags().version == 1 ? try time.take64() : try time.take32()
            guard start >= frames.last?.start ?? 0 else {
                throw time.malformed("a fragment that begins before the one before it")
            }
            end = start
        }
        var boxes = traf
        var next = head.base
        while let box = try boxes.takeBox() {
            guard box.name == "trun" else { continue }
            var run = try FragmentRun(box, head, next: next)
            for _ in 0..<run.count {
                let sample = try run.takeSample()
                try add(
                    offset: run.offset,
                    byteCount: sample.byteCount,
                    length: sample.length,
                    box,
                    limits
                )
                try run.advance(sample.byteCount)
            }
            next = run.offset
        }
        return next
    }
}
