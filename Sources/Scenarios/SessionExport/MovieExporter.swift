public import Foundation
import JPEG
import QuickTime
import Services
public import SessionRecording

/// What the camera saw as a QuickTime movie of JPEG files: the frames that are kept, or, where none is, those that were sent to a live model.
///
/// Frames of another size than the first one, which a movie cannot have, and those above 64 MiB are left out.
public struct MovieExporter: SessionExporter {
    /// Writes whole recordings.
    public init() {}

    /// Writes the movie, fragment by fragment.
    ///
    /// - Throws: `SessionError`, ``ExportError``, and what `sink` throws.
    public func write(_ session: SessionReader, to sink: ExportSink) throws {
        let pictures = try SessionPictures(session)
        var entries = SessionEntries(session, pictures.filter)
        let decoder = try JPEGDecoder()
        var movie: MovieWriter?
        var last = Duration.zero
        while let entry = try entries.next() {
            guard let jpeg = try pictures.jpeg(of: entry), let header = try? decoder.header(of: jpeg) else {
                continue
            }
            let time = Duration.nanoseconds(entry.nanoseconds)
            if movie == nil {
                movie = MovieWriter(size: header.size)
                try sink(Data(movie?.begin() ?? []))
            }
            guard var writer = movie, writer.size == header.size else { continue }
            do { try sink(Data(try writer.add(jpeg, at: time))) } catch let error as MovieError {
                // The same frame again, within a tick, or one that is too large for a movie.
                switch error {
                case .frameTooEarly, .frameTooLarge: continue
                default: throw error
                }
            }
            movie = writer
            last = time
        }
        guard var writer = movie else { throw ExportError.nothing(format: "mov", needs: "picture") }
        let end = max(last, .nanoseconds(try session.lastMoment()))
        try sink(Data(writer.finish(at: end)))
    }
}
