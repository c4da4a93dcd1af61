internal import Foundation
internal import GRDB
internal import Synchronization

/// The bodies that a recording has of answers to `GET`, found by their paths.
///
/// The recording is looked through once, at the first question.
public final class RecordedBodies: Sendable {
    private struct Place {
        var connection: Int64
        var messages: ClosedRange<Int64>
    }

    private let session: SessionReader
    private let places = Mutex<[String: Place]?>(nil)

    /// Nothing is read before something is asked for.
    public init(_ session: SessionReader) { self.session = session }

    /// The newest body from a path, whatever host and query it was asked for with, of an answer with a status below 300.
    ///
    /// - Returns: `nil` where there is none, and for one that is larger than any picture.
    /// - Throws: `damaged`.
    public func body(from path: String) throws(SessionError) -> [UInt8]? {
        let place: Place?
        if let known = places.withLock(\.self) {
            place = known[path]
        } else {
            let found = try survey()
            places.withLock { $0 = found }
            place = found[path]
        }
        guard let place else { return nil }
        return try session.read { db in
            try SessionReader.body(db, "in", of: place.connection, in: place.messages)
        }
    }

    private func survey() throws(SessionError) -> [String: Place] {
        try session.read { db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT connection, min(id) AS first, max(id) AS last,
                        max(CASE WHEN direction = 'out' AND kind = 'head' THEN substr(bytes, 1, 4096) END) AS head,
                        max(direction = 'in' AND kind = 'head' AND substr(bytes, 1, 1) = x'32') AS isGood
                    FROM message GROUP BY connection ORDER BY connection
                    """
            )
            var places: [String: Place] = [:]
            while let row = try rows.next() {
                guard try row.integer("isGood", in: 0...1) == 1, let head = row["head"] as Data?,
                    let path = Self.path(String(decoding: head, as: UTF8.self))
                else { continue }
                let first = try row.integer("first", in: .min ... .max)
                places[path] = Place(
                    connection: try row.integer("connection", in: SessionFormat.counts),
                    messages: first...(try row.integer("last", in: first ... .max))
                )
            }
            return places
        }
    }

    /// The path of a `GET`, without its query.
    private static func path(_ head: String) -> String? {
        let line = head.prefix { $0 != "\n" }
        guard line.hasPrefix("GET "), let start = line.firstRange(of: "://")?.upperBound,
            let slash = line[start...].firstIndex(of: "/")
        else { return nil }
        return String(line[slash...].prefix { $0 != "?" })
    }
}
