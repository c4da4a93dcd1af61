/// The sizes of the frames: `stsz`.
struct SampleSizes {
    let count: Int
    private let common: Int
    private var box: BoxReader

    init(_ box: BoxReader, _ limits: MovieReader.Limits) throws(MovieError) {
        var box = box
        _ = try box.takeVersionAndFlags()
        common = try box.take32()
        count = try box.take32()
        guard count <= limits.frameCount else {
            throw .tooLarge(part: "frames", count: count, limit: limits.frameCount)
        }
        self.box = box
    }

    mutating func next() throws(MovieError) -> Int { common > 0 ? common : try box.take32() }
}

/// The durations of the frames, where many in a row have the same: `stts`.
struct SampleDurations {
    private var box: BoxReader
    private var left = 0
    private var length = 0

    init(_ box: BoxReader) throws(MovieError) {
        var box = box
        _ = try box.takeVersionAndFlags()
        _ = try box.take32()
        self.box = box
    }

    mutating func next() throws(MovieError) -> Int {
        // Each iteration consumes eight bytes, so the loop ends.
        while left == 0 { (left, length) = (try box.take32(), try box.take32()) }
        left -= 1
        return length
    }
}

/// How many frames each chunk has: `stsc`.
struct SampleChunks {
    private var box: BoxReader
    private var count = 0
    /// The next entry: from which chunk on, counted from 1, and how many frames each has.
    private var next: (chunk: Int, count: Int)?

    init(_ box: BoxReader) throws(MovieError) {
        var box = box
        _ = try box.takeVersionAndFlags()
        _ = try box.take32()
        self.box = box
        try advance()
        guard next?.chunk == 1 else { throw self.box.malformed("it does not begin with chunk 1") }
    }

    private mutating func advance() throws(MovieError) {
        let before = next?.chunk ?? 0
        next = nil
        guard !box.rest.isEmpty else { return }
        next = (try box.take32(), try box.take32())
        guard try box.take32() == 1, let next, next.chunk > before else {
            throw box.malformed("chunks out of order, or of another description")
        }
    }

    /// To be asked for one chunk after the other.
    mutating func frameCount(ofChunk chunk: Int) throws(MovieError) -> Int {
        while let next, next.chunk <= chunk {
            count = next.count
            try advance()
        }
        return count
    }
}
