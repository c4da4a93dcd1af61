import Foundation
import GRDB
import JPEG
import QuickTime
import Services
import SessionExport
import SessionRecording
import Testing

@Suite("A recording as a movie")
struct MovieExporterTests {
    /// A JPEG file of one grey.
    private func picture(_ grey: UInt8, _ size: PixelSize) throws -> [UInt8] {
        let pixels = PixelBuffer(size: size, layout: .rgb)
        _ = unsafe pixels.withMutableBytes { unsafe $0.initializeMemory(as: UInt8.self, repeating: grey) }
        return try JPEGEncoder().encode(pixels, quality: 90)
    }

    private let size = PixelSize(width: 32, height: 16)

    @Test func `it has each frame that is kept at its time, compressed or not`() throws {
        let (one, other) = (try picture(40, size), try picture(80, PixelSize(width: 16, height: 16)))
        let grey = Data(repeating: 200, count: 32 * 16 * 3)
        let written = try WrittenSession(
            """
            INSERT INTO picture VALUES (1, 32, 16, NULL, :one), (2, 16, 16, NULL, :other), (3, 32, 16, 'rgb', :grey);
            INSERT INTO look VALUES (1, 1000000000, 1, 0, 1), (2, 1200000000, 2, 0, 2), (3, 1500000000, 3, 0, 3),
                (4, 1600000000, NULL, 0, 0), (5, 2500000000, 4, 0, 1), (6, 2500000000, 5, 0, 1), (7, 3000000000, 6, 0, 99);
            """,
            arguments: ["one": Data(one), "other": Data(other), "grey": grey]
        )
        let movie = try MovieReader([UInt8](written.exported(by: MovieExporter())))
        // That of another size, that without a picture and the second at the same time are left out.
        #expect(movie.frames.count == 3 && movie.size == size)
        #expect((0..<3).map { movie.time(ofFrame: $0) } == [.zero, .milliseconds(500), .milliseconds(1500)])
        #expect(try movie.jpeg(ofFrame: 0) == one)
        let pixels = try JPEGDecoder().decode(movie.jpeg(ofFrame: 1))
        #expect(pixels.size == size)
        #expect(movie.duration == .seconds(2))
    }

    @Test func `without kept frames it has those that were sent to a live model`() throws {
        let frame = Data(try picture(90, size)).base64EncodedString()
        let sent = #"{"realtimeInput":{"video":{"data":"\#(frame)","mimeType":"image/jpeg"}}}"#
        let written = try WrittenSession(
            """
            INSERT INTO connection VALUES (0, 'websocket');
            INSERT INTO message VALUES (1, 0, 'out', 'text', 1000, CAST('{"realtimeInput":{"text":"hello"}}' AS BLOB)),
                (2, 0, 'out', 'text', 2000000000, :sent), (3, 0, 'in', 'text', 2100000000, :sent), (4, 0, 'out', 'text', 2250000000, :sent);
            """,
            arguments: ["sent": Data(sent.utf8)]
        )
        let movie = try MovieReader([UInt8](written.exported(by: MovieExporter())))
        #expect(movie.frames.count == 2 && movie.time(ofFrame: 1) == .milliseconds(250))
    }

    @Test func `without a frame there is nothing to write`() throws {
        let written = try WrittenSession(WrittenSession.exchanges)
        #expect(throws: ExportError.nothing(format: "mov", needs: "picture")) {
            try written.exported(by: MovieExporter())
        }
    }
}
