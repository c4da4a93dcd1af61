import Services

/// Goes through the boxes of a file, from its beginning.
struct MovieScan {
    let limits: MovieReader.Limits
    private let byteCount: Int
    private let source: MovieReader.Source
    /// The track with the pictures, once `moov` was seen.
    private(set) var track: MovieTrack?
    /// Whether there was a `moov`.
    private(set) var isDescribed = false
    /// Whether the file ends within a box.
    private(set) var isCut = false

    init(byteCount: Int, limits: MovieReader.Limits, source: @escaping MovieReader.Source) throws(MovieError)
    {
        (self.byteCount, self.limits, self.source) = (byteCount, limits, source)
        var offset = 0
        var boxCount = 0
        while offset < byteCount {
            boxCount += 1
            guard boxCount <= limits.boxCount else {
                throw .tooLarge(part: "boxes", count: boxCount, limit: limits.boxCount)
            }
            guard let box = try nextBox(at: offset) else {
                isCut = true
                return
            }
            if boxCount == 1, !Self.beginnings.contains(box.name) { throw .notAMovie }
            // Of frames that are cut off the whole ones are there.
            if box.end > byteCount { isCut = true }
            if box.name == "moov" || box.name == "moof" {
                guard !isCut else { return }
                try read(box)
            }
            offset = box.end
        }
    }

    /// What a file may begin with; the first kind of box says that it is a movie.
    private static let beginnings: Set = ["ftyp", "moov", "mdat", "wide", "free", "skip", "pnot"]

    private struct TopBox {
        var name: String
        var offset: Int
        var contents: Int
        var end: Int
    }

    private func read(from offset: Int, _ count: Int) throws(MovieError) -> [UInt8] {
        do { return try source(offset, count) } catch { throw .unreadable("\(error)") }
    }

    private func nextBox(at offset: Int) throws(MovieError) -> TopBox? {
        let head = try read(from: offset, min(16, byteCount - offset))
        guard head.count >= 8 else { return nil }
        var reader = BoxReader(head[...], offset: offset, name: "file")
        var size = try reader.take32()
        let name = try reader.takeName()
        var contents = offset + 8
        if size == 1 {
            guard head.count >= 16 else { return nil }
            size = try reader.take64()
            contents += 8
        } else if size == 0 {
            size = byteCount - offset
        }
        guard size >= contents - offset, size <= Int.max - offset else {
            throw .malformed(box: name, offset: offset, detail: "a size of \(size) bytes")
        }
        return TopBox(name: name, offset: offset, contents: contents, end: offset + size)
    }

    private mutating func read(_ box: TopBox) throws(MovieError) {
        let count = box.end - box.contents
        guard count <= limits.headerByteCount else {
            throw .tooLarge(part: "“\(box.name)”", count: count, limit: limits.headerByteCount)
        }
        let bytes = try read(from: box.contents, count)
        guard bytes.count == count else { throw .cut(byteCount: box.contents + bytes.count) }
        let reader = BoxReader(bytes[...], offset: box.contents, name: box.name)
        if box.name == "moov" {
            guard !isDescribed else {
                throw .malformed(box: "moov", offset: box.offset, detail: "a second one")
            }
            isDescribed = true
            track = try MovieTrack(reader, limits)
        } else {
            guard isDescribed else {
                throw .malformed(box: "moof", offset: box.offset, detail: "a fragment before “moov”")
            }
            try track?.addFragment(reader, start: box.offset, limits)
        }
    }
}
