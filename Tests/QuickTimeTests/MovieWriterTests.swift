import QuickTime
import Services
import Testing

@Suite("Movies that are written")
struct MovieWriterTests {
    @Test func `a movie has the frames that were taken, each from its time to the next one's`() throws {
        let pictures = try Movies.pictures(5)
        let times: [Duration] = [
            .seconds(7), .milliseconds(7_100), .seconds(8), .seconds(10), .milliseconds(10_040),
        ]
        let movie = try Movies.pieces(pictures, at: times, end: .milliseconds(10_500)).flatMap(\.bytes)
        let reader = try MovieReader(movie)
        #expect(reader.size == Movies.size && reader.isComplete && reader.frames.count == 5)
        #expect(try (0..<5).map { try reader.jpeg(ofFrame: $0) } == pictures)
        #expect((0..<5).map { reader.time(ofFrame: $0) } == times.map { $0 - .seconds(7) })
        #expect(reader.duration == .milliseconds(3_500))
    }

    @Test func `the frame at a time is the one that has begun last`() throws {
        let movie = try Movies.movie(Movies.pictures(4), framesPerSecond: 10)
        let reader = try MovieReader(movie)
        #expect(reader.frameNumber(at: .milliseconds(-5)) == 0 && reader.frameNumber(at: .zero) == 0)
        #expect(reader.frameNumber(at: .milliseconds(99)) == 0)
        #expect(reader.frameNumber(at: .milliseconds(100)) == 1)
        #expect(reader.frameNumber(at: .milliseconds(350)) == 3 && reader.frameNumber(at: .seconds(99)) == 3)
        let empty = try MovieReader(Movies.pieces([], at: [], end: .zero).flatMap(\.bytes))
        #expect(empty.frameNumber(at: .zero) == nil && empty.duration == .zero)
    }

    @Test func `a fragment comes after half a second, or eight million bytes`() throws {
        let picture = try Movies.pictures(1)[0]
        var writer = MovieWriter(size: Movies.size)
        _ = writer.begin()
        let sizes = try (0...40).map { try writer.add(picture, at: .milliseconds(50 * $0)).count }
        // The frame that begins half a second after the first is the first of the next fragment.
        #expect(sizes.indices.filter { sizes[$0] > 0 } == [10, 20, 30, 40])
        var large = MovieWriter(size: Movies.size)
        _ = large.begin()
        let frame = picture + [UInt8](repeating: 0, count: 3 << 20)
        let counts = try (0...6).map { try large.add(frame, at: .milliseconds($0)).count }
        #expect(counts.indices.filter { counts[$0] > 0 } == [3, 6])
        #expect(counts.allSatisfy { $0 < MovieWriter.fragmentByteCount + frame.count + 1_000 })
    }

    @Test func `a cut ends the newest frame, and the frame after it keeps its own time`() throws {
        let pictures = try Movies.pictures(3)
        var writer = MovieWriter(size: Movies.size)
        var movie = writer.begin()
        movie += try writer.add(pictures[0], at: .zero)
        movie += writer.cut(at: .milliseconds(600))
        #expect(try MovieReader(movie).duration == .milliseconds(600))
        // Nothing new to cut.
        #expect(writer.cut(at: .seconds(2)).isEmpty && writer.duration == .milliseconds(600))
        movie += try writer.add(pictures[1], at: .seconds(3))
        movie += try writer.add(pictures[2], at: .milliseconds(3_100))
        movie += writer.finish(at: .milliseconds(3_200))
        let reader = try MovieReader(movie)
        let times = reader.frames.indices.map { reader.time(ofFrame: $0) }
        #expect(times == [.zero, .seconds(3), .milliseconds(3_100)])
        #expect(reader.duration == .milliseconds(3_200) && writer.frameCount == 3)
    }

    @Test func `a frame that was taken before a cut begins at it`() throws {
        let pictures = try Movies.pictures(2)
        var writer = MovieWriter(size: Movies.size)
        var movie = writer.begin()
        movie += try writer.add(pictures[0], at: .zero)
        movie += writer.cut(at: .seconds(1))
        movie += try writer.add(pictures[1], at: .milliseconds(990))
        movie += writer.finish(at: .seconds(2))
        #expect(try MovieReader(movie).time(ofFrame: 1) == .seconds(1))
    }

    @Test func `frames that are too early or too large are left out`() throws {
        let picture = try Movies.pictures(1)[0]
        var writer = MovieWriter(size: Movies.size)
        _ = writer.begin()
        _ = try writer.add(picture, at: .seconds(5))
        for time in [Duration.seconds(5), .seconds(4), .zero] {
            #expect(throws: MovieError.frameTooEarly(at: time)) { try writer.add(picture, at: time) }
        }
        let large = [UInt8](repeating: 0xFF, count: MovieWriter.frameByteCount + 1)
        #expect(throws: MovieError.frameTooLarge(byteCount: large.count, limit: MovieWriter.frameByteCount)) {
            try writer.add(large, at: .seconds(6))
        }
        #expect(writer.frameCount == 1)
    }

    @Test func `a movie of many hours has a bounded index`() throws {
        let picture: [UInt8] = [0xFF, 0xD8, 0xFF, 0xD9]
        var writer = MovieWriter(size: Movies.size)
        var movie = writer.begin()
        for second in 0..<40_000 { movie += try writer.add(picture, at: .seconds(second)) }
        let end = writer.finish(at: .seconds(40_000))
        // 19 bytes an entry.
        #expect(end.count < 19 * 32_768 + 1_000 && end.count > 19 * 16_384)
        #expect(try MovieReader(movie + end).frames.count == 40_000)
    }
}
