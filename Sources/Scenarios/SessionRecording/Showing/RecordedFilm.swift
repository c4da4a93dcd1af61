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

    /// The parts of the time, from 0, in which something was seen.
    ///
    /// - Throws: `damaged`.
    public func parts() throws(SessionError) -> [Int] {
        let span = try session.span()
        return try using { tools in
            try (0..<Self.count).filter { try entry(in: $0, of: span, tools.pictures) != nil }
        } ?? []
    }

    /// The picture nearest to the middle of a part of the time, as a JPEG file.
    ///
    /// - Parameter number: The part, from 0.
    /// - Returns: `nil` where nothing was seen in it, and for a number that no part has.
    /// - Throws: `damaged`.
    public func picture(_ number: Int) throws(SessionError) -> [UInt8]? {
        guard (0..<Self.count).contains(number) else { return nil }
        let span = try session.span()
        let found = try using { tools -> [UInt8]? in
            guard let near = try entry(in: number, of: span, tools.pictures),
                let whole = try session.entry(near.id),
                let file = try tools.pictures.jpeg(of: whole)
            else { return nil }
            return try? tools.shrinker.shrink(file)
        }
        return found ?? nil
    }

    /// The entry with the picture nearest to the middle of a part.
    private func entry(
        in part: Int,
        of span: ClosedRange<Int64>,
        _ pictures: SessionPictures
    ) throws(SessionError) -> SessionEntry? {
        let length = (span.upperBound - span.lowerBound) / Int64(Self.count)
        let first = span.lowerBound + length * Int64(part)
        let middle = first + length / 2
        let found = try session.entries(
            around: middle,
            pictures.filter,
            count: Self.near,
            reach: Self.reach,
            excerpt: SessionPictures.excerpt
        )
        return (found.before + found.after)
            .filter { (first...first + length).contains($0.nanoseconds) && pictures.mayHaveFrame($0) }
            .min { abs($0.nanoseconds - middle) < abs($1.nanoseconds - middle) }
    }

    /// Calls `body` with what it needs; `nil` without the libraries that make pictures small.
    private func using<Value: Sendable>(_ body: (Tools) throws -> Value) throws(SessionError) -> Value? {
        do {
            return try tools.withLock { tools in
                let known =
                    try tools
                    ?? Tools(pictures: SessionPictures(session), shrinker: JPEGShrinker(side: Self.side))
                tools = known
                return try body(known)
            }
        } catch let error as SessionError { throw error } catch { return nil }
    }
}
