public import Files
public import Foundation
internal import QuickTime
public import Services

/// Reads the videos of the library and the clips of the conversation, picture by picture.
///
/// The file that was read last stays known, so that one picture after the other costs a reading each. Works off the caller's actor.
public actor Videos {
    /// What a video's file says of itself.
    public struct Description: Sendable, Hashable, Codable {
        /// In seconds.
        public var duration: Double
        /// How many pictures it has.
        public var frameCount: Int
        /// Width and height in pixels.
        public var size: PixelSize
    }

    private let documents: FileFolder
    private var known: (id: UUID, byteCount: Int, movie: MovieReader)?

    /// Reads from the folder of the videos.
    public init(documents: FileFolder) { self.documents = documents }

    /// Where the file of a video of the library is.
    public nonisolated func url(of id: UUID) -> URL {
        URL(filePath: "\(documents.path)/\(MediaLibrary.fileName(of: id, kind: .video))")
    }

    /// What a video's file says of itself; `nil` where there is none that can be read.
    public func description(of id: UUID) -> Description? {
        guard let movie = movie(id), !movie.frames.isEmpty else { return nil }
        return Description(
            duration: movie.duration / .seconds(1),
            frameCount: movie.frames.count,
            size: movie.size
        )
    }

    /// The JPEG file of the picture that is seen at a time: the first before the beginning, the last after the end.
    ///
    /// - Returns: `nil` where there is no video of that id, or none that can be read.
    public func picture(of id: UUID, at time: Duration) -> [UInt8]? {
        guard let movie = movie(id), let number = movie.frameNumber(at: time) else { return nil }
        return try? movie.jpeg(ofFrame: number)
    }

    private func movie(_ id: UUID) -> MovieReader? {
        let names = [MediaLibrary.fileName(of: id, kind: .video), ChatClips.fileName(of: id)]
        guard let name = names.first(where: documents.contains),
            let byteCount = try? documents.size(of: name)
        else { return nil }
        // A file that is being recorded grows.
        if let known, known.id == id, known.byteCount == byteCount { return known.movie }
        guard let movie = try? MovieReader(name, in: documents) else { return nil }
        known = (id, byteCount, movie)
        return movie
    }
}

extension MovieReader {
    /// Reads a file of a folder.
    init(_ name: String, in documents: FileFolder) throws(MovieError) {
        let byteCount: Int
        do { byteCount = try documents.size(of: name) } catch { throw .unreadable("\(error)") }
        try self.init(byteCount: byteCount) { offset, count in
            try documents.read(name, from: offset, count: count)
        }
    }
}
