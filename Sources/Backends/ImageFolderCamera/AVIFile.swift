import Foundation

/// The pictures of the first Motion-JPEG stream in an AVI file.
///
/// Source: Microsoft, "AVI RIFF File Reference"; OpenDML AVI 1.02 for further RIFF chunks named AVIX. No index is
/// used: the chunks of `movi` are walked, so that files without one, or with sizes never filled in, are read too.
enum AVIFile {
    /// Finds the stream's chunks.
    static func entries(of file: ByteFile, _ limits: ImageInput.Limits) throws(ImageInputError) -> [ImageInput
        .Entry]
    {
        var walk = Walk(file: file, limits: limits)
        guard try file.read(12, at: 0).fourCC(at: 0) == "RIFF",
            try file.read(12, at: 0).fourCC(at: 8) == "AVI "
        else {
            throw .malformed(path: file.path, reason: "it does not begin with RIFF and AVI")
        }
        try walk.walk(0..<file.count, depth: 0)
        guard walk.stream != nil else {
            throw .malformed(path: file.path, reason: "no video stream is in Motion-JPEG")
        }
        return walk.entries
    }

    /// The state of one pass over the chunks.
    private struct Walk {
        /// RIFF, movi, rec: no sound file nests deeper.
        static let deepest = 6
        /// What may follow the movie's list on its level.
        static let followers: Set<String> = ["idx1", "RIFF", "LIST", "JUNK"]

        let file: ByteFile
        let limits: ImageInput.Limits
        var entries: [ImageInput.Entry] = []
        /// The number of the Motion-JPEG stream.
        var stream: Int?
        private var streams = 0
        private var videoStream: Int?
        private var chunks = 0
        /// The most chunks that are looked at, so that a file of empty chunks takes bounded time.
        private var mostChunks: Int { limits.entryCount + 100_000 }

        init(file: ByteFile, limits: ImageInput.Limits) {
            self.file = file
            self.limits = limits
        }

        /// Looks at every chunk in `range`.
        mutating func walk(_ range: Range<Int>, depth: Int) throws(ImageInputError) {
            var offset = range.lowerBound
            while offset + 8 <= range.upperBound, entries.count < limits.entryCount, chunks < mostChunks {
                chunks += 1
                let header = try file.read(12, at: offset)
                guard header.count >= 8 else { return }
                let kind = header.fourCC(at: 0)
                let announced = header.little32(at: 4)
                let isList = kind == "RIFF" || kind == "LIST"
                // A recorder that lost power leaves list sizes at zero; then the list reaches to the end.
                var isOpen = isList && announced < 4
                if isList, !isOpen { isOpen = try isWrapped(after: offset + 8 + announced) }
                let end = isOpen ? range.upperBound : min(range.upperBound, offset + 8 + announced)
                if isList {
                    if header.count == 12, depth < Self.deepest {
                        try walk(offset + 12..<max(offset + 12, end), depth: depth + 1)
                    }
                } else {
                    try take(kind, offset + 8..<max(offset + 8, end), isWhole: end == offset + 8 + announced)
                }
                // Chunks begin at even offsets.
                offset = isOpen ? range.upperBound : offset + 8 + announced + announced % 2
            }
        }

        /// Whether a list of a file beyond 4 GiB, whose 32-bit size overflowed, does not really end at `end`.
        private func isWrapped(after end: Int) throws(ImageInputError) -> Bool {
            guard file.count > Int(UInt32.max), end + 8 < file.count else { return false }
            return try !Self.followers.contains(file.read(4, at: end + end % 2).fourCC(at: 0))
        }

        private mutating func take(_ kind: String, _ body: Range<Int>, isWhole: Bool) throws(ImageInputError)
        {
            switch kind {
            case "strh":
                let isVideo = try file.read(8, at: body.lowerBound).fourCC(at: 0) == "vids"
                videoStream = isVideo ? streams : nil
                streams += 1
            case "strf":
                // BITMAPINFOHEADER.biCompression
                let format = try file.read(20, at: body.lowerBound)
                if let videoStream, stream == nil, format.fourCC(at: 16).uppercased() == "MJPG" {
                    stream = videoStream
                }
            default:
                guard let stream, stream < 100, kind.hasSuffix("dc") || kind.hasSuffix("db"),
                    Int(kind.prefix(2)) == stream
                else { return }
                // An empty chunk repeats the frame before.
                if body.isEmpty, isWhole { return }
                let name = "\(URL(filePath: file.path).lastPathComponent)#\(entries.count)"
                entries.append(.init(name: name, path: file.path, offset: body.lowerBound, count: body.count))
            }
        }
    }
}

extension [UInt8] {
    /// Four bytes as text; other than ASCII become question marks.
    fileprivate func fourCC(at index: Int) -> String {
        guard index + 4 <= count else { return "" }
        return String(decoding: self[index..<index + 4].map { $0 < 0x80 ? $0 : 0x3F }, as: UTF8.self)
    }

    /// A little-endian number of 32 bits.
    fileprivate func little32(at index: Int) -> Int {
        self[index..<index + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
