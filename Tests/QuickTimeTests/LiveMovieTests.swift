import Foundation
import JPEG
import QuickTime
import Services
import SystemPrograms
import TestSupport
import Testing

private let ffprobe = SystemProgram("ffprobe", packages: ["ffmpeg"])
private let ffmpeg = SystemProgram("ffmpeg", packages: ["ffmpeg"])

/// What FFmpeg makes of our movies, and we of its.
@Suite(
    "Movies and FFmpeg",
    .enabled(if: ffprobe.path != nil, "NOT TESTED: there is no ffprobe; apt-get install ffmpeg"),
    .timeLimit(.minutes(5))
)
struct LiveMovieTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// What ffprobe says when it decodes a whole file.
    private struct Report: Decodable {
        struct Stream: Decodable {
            var codec_name: String
            var codec_tag_string: String
            var width: Int
            var height: Int
            var nb_read_frames: String?
        }

        struct Frame: Decodable { var pts_time: String }
        struct Format: Decodable {
            var format_name: String
            var duration: String?
        }

        var streams: [Stream]
        var frames: [Frame]
        var format: Format

        var times: [Double] { frames.compactMap { Double($0.pts_time) } }
    }

    private func probe(_ movie: [UInt8]) async throws -> Report {
        let name = "\(UUID().uuidString).mov"
        try folder.write(movie, to: name)
        defer { try? FileManager.default.removeItem(atPath: folder.file(name)) }
        let output = try await ffprobe.run(
            [
                "-v", "quiet", "-of", "json", "-count_frames", "-show_entries",
                "stream=codec_name,codec_tag_string,width,height,nb_read_frames:frame=pts_time:format=format_name,duration",
                folder.file(name),
            ],
            within: .seconds(60),
            outputLimit: 10_000_000
        )
        return try JSONDecoder().decode(Report.self, from: Data(output))
    }

    @Test func `ffprobe counts the frames of a movie and knows their times and its duration`() async throws {
        let pictures = try Movies.pictures(75)
        // Of no steady rate, as a camera's in the dark.
        var times: [Duration] = []
        for number in pictures.indices { times.append(.milliseconds(number * 40 + number % 3 * 9)) }
        let movie = try Movies.pieces(pictures, at: times, end: .seconds(3)).flatMap(\.bytes)
        let report = try await probe(movie)
        let stream = try #require(report.streams.first)
        #expect(
            report.streams.count == 1 && stream.codec_name == "mjpeg" && stream.codec_tag_string == "jpeg"
        )
        #expect(stream.width == 160 && stream.height == 90 && stream.nb_read_frames == "75")
        #expect(report.format.format_name.hasPrefix("mov") && Double(report.format.duration ?? "") == 3)
        #expect(report.times.count == 75)
        for (seen, time) in zip(report.times, times) {
            #expect(abs(seen - time / .seconds(1)) < 0.000_02)
        }
    }

    @Test func `ffprobe sees a gap after a cut`() async throws {
        let pictures = try Movies.pictures(3)
        var writer = MovieWriter(size: Movies.size)
        var movie = writer.begin()
        movie += try writer.add(pictures[0], at: .zero)
        movie += writer.cut(at: .milliseconds(600))
        movie += try writer.add(pictures[1], at: .seconds(3))
        movie += try writer.add(pictures[2], at: .milliseconds(3_100))
        movie += writer.finish(at: .milliseconds(3_200))
        let report = try await probe(movie)
        #expect(report.times == [0, 3, 3.1] && Double(report.format.duration ?? "") == 3.2)
    }

    @Test func `a recording that is killed at 200 random moments plays to within its last second`()
        async throws
    {
        let times = (0..<160).map { Duration.milliseconds($0 * 33 + $0 % 5 * 4) }
        let end = Duration.milliseconds(160 * 33)
        let pictures = try Movies.pictures(20)
        let pieces = try Movies.pieces((0..<160).map { pictures[$0 % 20] }, at: times, end: end)
        let movie = pieces.flatMap(\.bytes)
        var numbers = SeededGenerator(seed: 7)
        for moment in 0..<200 {
            // The process may be killed between two writes, or within one.
            let count = Int.random(in: pieces[0].bytes.count...movie.count, using: &numbers)
            var (written, reached) = (0, Duration.zero)
            for piece in pieces {
                written += piece.bytes.count
                // Whoever was killed within this write had come to its time, and at its end to that of the next.
                reached = piece.time
                if written > count { break }
            }
            // What was killed before its first fragment was there plays nothing: that is its last second.
            guard count > pieces[0].bytes.count + pieces[1].bytes.count || reached > .seconds(1) else {
                continue
            }
            let report = try await probe(Array(movie[..<count]))
            let last = report.times.last ?? 0
            #expect(last >= reached / .seconds(1) - 1, "moment \(moment): \(count) bytes, \(reached)")
            #expect(report.times == report.times.sorted() && report.streams.first?.codec_name == "mjpeg")
        }
    }

    @Test(arguments: [
        [], ["-movflags", "faststart"], ["-movflags", "frag_keyframe+empty_moov"],
        ["-movflags", "empty_moov+default_base_moof", "-frag_duration", "400000"],
        ["-movflags", "+frag_keyframe+separate_moof+omit_tfhd_offset"],
    ])
    func `what FFmpeg writes is read, with its frames and times`(options: [String]) async throws {
        let path = folder.file("made.mov")
        _ = try await ffmpeg.run(
            [
                "-v", "error", "-f", "lavfi", "-i", "testsrc=size=176x144:rate=25:duration=3", "-f", "lavfi",
                "-i", "sine=duration=3", "-c:v", "mjpeg", "-c:a", "pcm_s16le",
            ] + options + ["-y", path],
            within: .seconds(60),
            outputLimit: 1_000
        )
        let movie = Array(try Data(contentsOf: URL(filePath: path)))
        let reader = try MovieReader(movie)
        #expect(reader.size == PixelSize(width: 176, height: 144) && reader.isComplete)
        #expect(reader.frames.count == 75 && reader.duration == .seconds(3))
        let decoder = try JPEGDecoder()
        for number in reader.frames.indices {
            let picture = try decoder.decode(reader.jpeg(ofFrame: number))
            #expect(picture.size == reader.size)
            #expect(abs(reader.time(ofFrame: number) / .milliseconds(40) - Double(number)) < 0.001)
        }
    }
}
