import JPEG
import Synchronization

/// What the camera of a recording saw, in small pictures at even distances over its time.
public final class RecordedFilm: Sendable {
    /// How many pictures there are at most, one for each part of the time.
    public static let count = 12
    /// The longer side of a picture, in pixels.
    private static let side = 160
    /// How many entries on each side of a time may be without a picture beside those that have one.
    private static let near = 32
    /// How many rows are looked through for one picture, on each side of its time.
    private static let reach: Int64 = 2_000

    private struct Tools {
        var pictures: SessionPictures
        var shrinker: JPEGShrinker
    }

    private let session: SessionReader
    private let tools: Mutex<Tools?>

    /// Nothing is read before a picture is asked for.
    public init(_ session: SessionReader) {
        self.session = session
        tools = Mutex(nil)
    }

    /// The picture nearest to the middle of a part of the time, as a JPEG file.
    ///
    /// - Parameter number: The part, from 0.
    /// - Returns: `nil` where nothing was seen in it, and for a number that no part has.
    /// - Throws: `damaged`.
    public func picture(_ number: Int) throws(SessionError) -> [UInt8]? {
        guard (0..<Self.count).contains(number) else { return nil }
        let span = try session.span()
        let part = (span.upperBound - span.lowerBound) / Int64(Self.count)
        let first = span.lowerBound + part * Int64(number)
        let middle = first + part / 2
        do {
            return try tools.withLock { tools in
                if tools == nil {
                    tools = Tools(
                        pictures: try SessionPictures(session),
                        shrinker: try JPEGShrinker(side: Self.side)
                    )
                }
                guard let (pictures, shrinker) = tools.map({ ($0.pictures, $0.shrinker) }) else { return nil }
                let found = try session.entries(
                    around: middle,
                    pictures.filter,
                    count: Self.near,
                    reach: Self.reach,
                    excerpt: SessionPictures.excerpt
                )
                let near = (found.before + found.after)
                    .filter { (first...first + part).contains($0.nanoseconds) && pictures.mayHaveFrame($0) }
                    .min { abs($0.nanoseconds - middle) < abs($1.nanoseconds - middle) }
                guard let near, let whole = try session.entry(near.id),
                    let file = try pictures.jpeg(of: whole)
                else { return nil }
                return try? shrinker.shrink(file)
            }
        } catch let error as SessionError {
            throw error
        } catch {
            // Without the libraries that make pictures small there is none.
            return nil
        }
    }
}
