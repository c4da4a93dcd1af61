/// Why a movie could not be read, or a frame not be written.
public enum MovieError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file is no QuickTime movie.
    case notAMovie
    /// The file ends before it says what is in it.
    case cut(byteCount: Int)
    /// The movie has no pictures.
    case noVideo
    /// Its pictures are no JPEG files.
    case otherCodec(String)
    /// A box contradicts itself or another.
    case malformed(box: String, offset: Int, detail: String)
    /// A part is larger than this reader takes.
    case tooLarge(part: String, count: Int, limit: Int)
    /// The file could not be read.
    case unreadable(String)
    /// There is no frame of that number.
    case noFrame(Int, count: Int)
    /// The bytes of a frame are no JPEG file.
    case notJPEG(frame: Int)
    /// A frame has more bytes than the writer takes.
    case frameTooLarge(byteCount: Int, limit: Int)
    /// A frame was not taken later than the one before it.
    case frameTooEarly(at: Duration)

    /// What was tried, and what came back.
    public var description: String {
        switch self {
        case .notAMovie: "it is no QuickTime movie"
        case .cut(let count): "the movie ends after \(count) bytes, before it says what is in it"
        case .noVideo: "the movie has no pictures"
        case .otherCodec(let name): "the movie's pictures are of the kind “\(name)”; only JPEG is supported"
        case .malformed(let box, let offset, let detail): "the movie's “\(box)” at \(offset): \(detail)"
        case .tooLarge(let part, let count, let limit): "the movie's \(part): \(count), more than \(limit)"
        case .unreadable(let reason): "the movie could not be read: \(reason)"
        case .noFrame(let number, let count): "the movie has no frame \(number), but \(count) from 0 on"
        case .notJPEG(let frame): "frame \(frame) of the movie is no JPEG file"
        case .frameTooLarge(let count, let limit): "a frame has \(count) bytes, more than \(limit)"
        case .frameTooEarly(let time): "a frame of \(time) is not later than the one before"
        }
    }
}
