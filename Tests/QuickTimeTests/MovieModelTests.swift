import QuickTime
import TestSupport
import Testing

/// Frames and cuts at any times, also at and before the newest frame's.
@Suite("A model of movies that are cut")
struct MovieModelTests {
    @Test func `every frame has its time and lasts at least a moment, wherever the movie is cut`() throws {
        let pictures = try Movies.pictures(2)
        for seed in 0..<120 {
            var random = SeededGenerator(seed: UInt64(seed))
            var writer = MovieWriter(size: Movies.size)
            var movie = writer.begin()
            var (now, added) = (0, 0)
            for _ in 0..<Int.random(in: 2...14, using: &random) {
                if Bool.random(using: &random) {
                    now += Int.random(in: 20...900, using: &random)
                    movie += try writer.add(pictures[added % 2], at: .milliseconds(now))
                    added += 1
                } else {
                    // A cut may be asked for on a clock that is a little behind the camera's.
                    movie += writer.cut(at: .milliseconds(now + Int.random(in: -40...0, using: &random)))
                }
            }
            movie += writer.finish(at: .milliseconds(now + [-30, 0, 25].randomElement(using: &random)!))
            guard added > 0 else { continue }
            let reader = try MovieReader(movie)
            #expect(reader.frames.count == added, "seed \(seed)")
            let times = reader.frames.indices.map { reader.time(ofFrame: $0) }
            #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 }, "seed \(seed)")
            // The last one too.
            #expect(reader.duration > (times.last ?? .zero), "seed \(seed)")
            for number in reader.frames.indices {
                #expect(try reader.jpeg(ofFrame: number) == pictures[number % 2], "seed \(seed)")
            }
        }
    }
}
