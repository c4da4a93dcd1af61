import QuickTime
import Services
import TestSupport
import Testing

@Suite("Movies that are read")
struct MovieReaderTests {
    @Test func `a movie that was cut at any byte has the frames that are whole`() throws {
        let pictures = try Movies.pictures(4, quality: 5)
        let movie = try Movies.movie(pictures, framesPerSecond: 4)
        let whole = try MovieReader(movie)
        let header = try #require(movie.place(of: "moof")) - 4
        for count in 0..<movie.count {
            let cut = Array(movie[..<count])
            guard count >= header else {
                // What the file is stands at its beginning.
                #expect(throws: MovieError.cut(byteCount: count)) { try MovieReader(cut) }
                continue
            }
            let reader = try MovieReader(cut)
            // A fragment whose head is cut has none; of the others each whole frame is there.
            let there = whole.frames.prefix { $0.offset + $0.byteCount <= count }
            #expect(reader.frames == Array(there))
            for number in there.indices { #expect(try reader.jpeg(ofFrame: number) == pictures[number]) }
        }
    }

    @Test func `damaged bytes are read within bounds, or refused`() throws {
        let movie = try Movies.movie(Movies.pictures(9, quality: 5), framesPerSecond: 8)
        let places = movie.indices.filter { index in
            // Headers alone: of pictures no byte says anything to this reader.
            movie[max(0, index - 700)...index].contains(0x6D) && index < 2_000 || index % 97 == 0
        }
        var numbers = SeededGenerator(seed: 1)
        var limits = MovieReader.Limits()
        limits.frameCount = 1_000
        for _ in 0..<4_000 {
            var damaged = movie
            for _ in 0..<Int.random(in: 1...3, using: &numbers) {
                damaged[places.randomElement(using: &numbers) ?? 0] =
                    [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &numbers) ?? 0
            }
            guard let reader = try? MovieReader(damaged, limits: limits) else { continue }
            #expect(reader.frames.count <= 1_000)
            for number in reader.frames.indices.prefix(3) {
                let jpeg = try? reader.jpeg(ofFrame: number)
                #expect(jpeg?.count ?? 0 <= damaged.count)
            }
            _ = (reader.duration, reader.frameNumber(at: .seconds(1)))
        }
    }

    @Test(arguments: [40, 62])
    func `times with which nobody can calculate are refused`(bits: Int) throws {
        var movie = try Movies.movie(Movies.pictures(1, quality: 5), framesPerSecond: 1)
        // A unit a second, and a fragment that begins after 2^bits of them.
        let header = try #require(movie.place(of: "mdhd"))
        movie.replaceSubrange(header + 16..<header + 20, with: bytes(1))
        let start = try #require(movie.place(of: "tfdt")) + 8
        #expect(try MovieReader(movie).frames.count == 1)
        movie.replaceSubrange(start..<start + 8, with: bytes(1 << (bits - 32)) + bytes(0))
        let error = try #require(throws: MovieError.self) { try MovieReader(movie) }
        #expect("\(error)".contains("a frame that ends at"))
    }

    @Test func `what is no movie of JPEG pictures is refused by what it is`() throws {
        let movie = try Movies.movie(Movies.pictures(3), framesPerSecond: 4)
        #expect(throws: MovieError.cut(byteCount: 0)) { try MovieReader([]) }
        #expect(throws: MovieError.notAMovie) { try MovieReader(Movies.pictures(1)[0]) }
        #expect(throws: MovieError.notAMovie) { try MovieReader(box("RIFF") + movie) }
        #expect(throws: MovieError.noVideo) { try MovieReader(box("ftyp") + box("moov")) }
        #expect(throws: MovieError.cut(byteCount: 19)) {
            try MovieReader(box("ftyp") + box("mdat", [1, 2, 3]))
        }
        var other = movie
        let codec = try #require(movie.place(of: "jpeg"))
        other.replaceSubrange(codec..<codec + 4, with: Array("avc1".utf8))
        #expect(throws: MovieError.otherCodec("avc1")) { try MovieReader(other) }
        let moov = try #require(movie.place(of: "moov")) - 4
        let fragment = try #require(movie.place(of: "moof")) - 4
        let again = movie[..<fragment] + movie[moov..<fragment]
        #expect(throws: MovieError.malformed(box: "moov", offset: fragment, detail: "a second one")) {
            try MovieReader(Array(again))
        }
        let early = Array(movie[..<moov] + movie[fragment...])
        #expect(throws: MovieError.malformed(box: "moof", offset: moov, detail: "a fragment before “moov”")) {
            try MovieReader(early)
        }
    }

    @Test func `a file of too many frames, boxes or bytes is refused before they are read`() throws {
        let pictures = try Movies.pictures(9)
        let movie = try Movies.movie(pictures, framesPerSecond: 8)
        var limits = MovieReader.Limits()
        limits.frameCount = 8
        #expect(throws: MovieError.tooLarge(part: "frames", count: 9, limit: 8)) {
            try MovieReader(movie, limits: limits)
        }
        limits = MovieReader.Limits()
        limits.boxCount = 4
        #expect(throws: MovieError.tooLarge(part: "boxes", count: 5, limit: 4)) {
            try MovieReader(movie, limits: limits)
        }
        limits = MovieReader.Limits()
        limits.frameByteCount = 10
        #expect(throws: MovieError.tooLarge(part: "frame", count: pictures[0].count, limit: 10)) {
            try MovieReader(movie, limits: limits)
        }
        limits = MovieReader.Limits()
        limits.headerByteCount = 100
        let start = try #require(movie.place(of: "moov")) - 4
        let count = try #require(movie.place(of: "moof")) - 4 - start - 8
        #expect(throws: MovieError.tooLarge(part: "“moov”", count: count, limit: 100)) {
            try MovieReader(movie, limits: limits)
        }
        // It is never read what is not asked for: headers of boxes, `moov` and `moof`.
        let most = Box(0)
        _ = try MovieReader(byteCount: movie.count) { offset, count in
            most.set(max(most.value, count))
            return Array(movie[offset...].prefix(count))
        }
        #expect(most.value == count)
    }

    @Test func `a frame of no such number, of other bytes, or of a file that fails is an error`() throws {
        struct Broken: Error {}
        let movie = try Movies.movie(Movies.pictures(2), framesPerSecond: 2)
        let reader = try MovieReader(movie)
        #expect(throws: MovieError.noFrame(2, count: 2)) { try reader.jpeg(ofFrame: 2) }
        #expect(throws: MovieError.noFrame(-1, count: 2)) { try reader.jpeg(ofFrame: -1) }
        var other = movie
        other[reader.frames[1].offset] = 0
        #expect(throws: MovieError.notJPEG(frame: 1)) { try MovieReader(other).jpeg(ofFrame: 1) }
        #expect(throws: MovieError.unreadable("Broken()")) {
            try MovieReader(byteCount: movie.count) { _, _ in throw Broken() }
        }
        // Cut between the reading of the headers and that of the frame.
        let isCut = Box(false)
        let shrinking = try MovieReader(byteCount: movie.count) { offset, count in
            let rest = movie[offset...].prefix(count)
            return isCut.value ? Array(rest.prefix(3)) : Array(rest)
        }
        isCut.set(true)
        #expect(throws: MovieError.cut(byteCount: reader.frames[0].offset + 3)) {
            try shrinking.jpeg(ofFrame: 0)
        }
    }

    @Test func `each error says what came`() {
        let errors: [MovieError] = [
            .notAMovie, .cut(byteCount: 7), .noVideo, .otherCodec("avc1"),
            .malformed(box: "stsz", offset: 7, detail: "x"), .tooLarge(part: "frames", count: 8, limit: 7),
            .unreadable("x"), .noFrame(7, count: 2), .notJPEG(frame: 7),
            .frameTooLarge(byteCount: 8, limit: 7),
            .frameTooEarly(at: .seconds(7)),
        ]
        #expect(Set(errors.map(\.description)).count == errors.count)
        for error in errors {
            switch error {
            case .notAMovie, .noVideo: break
            case .otherCodec: #expect(error.description.contains("avc1"))
            case .unreadable: #expect(error.description.contains("x"))
            default: #expect(error.description.contains("7"))
            }
        }
    }
}
