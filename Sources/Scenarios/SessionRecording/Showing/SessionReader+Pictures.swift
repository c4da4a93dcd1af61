import Foundation
import GRDB
import Services

/// Pictures that are part of what crossed the boundary of the program, found one at a time.
extension SessionReader {
    /// The most messages that are looked at for one that has a picture.
    private static let lookback: Int64 = 4096
    /// How the text of a JPEG file in base64 begins.
    private static let beginning = Data("\"/9j/".utf8)
    /// How far from the beginning of a message a picture begins.
    private static let preamble = 256
    /// The largest picture.
    private static let pictureLimit = 64 << 20

    /// The number of the newest message that was sent until a time with a picture in it; `nil` where there is none near.
    ///
    /// - Throws: `damaged`.
    public func sentPicture(at nanoseconds: Int64) throws(SessionError) -> Int64? {
        try read { db in
            guard let last = try Self.lastRow(of: "message", at: nanoseconds, db) else { return nil }
            return try Int64.fetchOne(
                db,
                sql: """
                    SELECT id FROM message WHERE id <= ? AND id > ? AND direction = 'out' AND kind = 'text'
                    AND typeof(bytes) = 'blob' AND instr(substr(bytes, 1, ?), ?) > 0 ORDER BY id DESC LIMIT 1
                    """,
                arguments: [last, max(last, Self.lookback) - Self.lookback, Self.preamble, Self.beginning]
            )
        }
    }

    /// All messages that were sent with a picture in them, with the times at which they were, in order.
    ///
    /// - Throws: `damaged`.
    public func sentPictures() throws(SessionError) -> [(message: Int64, nanoseconds: Int64)] {
        try read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT id, nanoseconds FROM message WHERE direction = 'out' AND kind = 'text'
                    AND typeof(bytes) = 'blob' AND instr(substr(bytes, 1, ?), ?) > 0 ORDER BY id
                    """,
                arguments: [Self.preamble, Self.beginning]
            ).map { row in
                (
                    try row.integer("id", in: SessionFormat.counts),
                    try row.integer("nanoseconds", in: SessionFormat.times)
                )
            }
        }
    }

    /// The JPEG file in a message that was sent; `nil` where there is none.
    ///
    /// - Throws: `damaged`.
    public func picture(inMessage id: Int64) throws(SessionError) -> [UInt8]? {
        let bytes = try read { db in
            try Row.fetchOne(
                db,
                sql: "SELECT bytes FROM message WHERE id = ? AND direction = 'out' AND kind = 'text'",
                arguments: [id]
            )?.bytes("bytes")
        }
        guard let bytes, let start = bytes.prefix(Self.preamble).firstRange(of: Self.beginning) else {
            return nil
        }
        let text = bytes[(start.lowerBound + 1)...].prefix { $0 != UInt8(ascii: "\"") }
        return Data(base64Encoded: Data(text)).map { Array($0) }
    }

    /// A JPEG file by the end of its name: one that the program found at its start, or sent to a service; `nil` where there is
    /// none.
    ///
    /// - Throws: `damaged`.
    public func picture(endingWith name: String) throws(SessionError) -> [UInt8]? {
        try read { db in
            let found = try Row.fetchOne(
                db,
                sql: "SELECT bytes FROM file WHERE substr(path, -length(?)) = ? ORDER BY path LIMIT 1",
                arguments: [name, name]
            )?.bytes("bytes")
            if let found, Self.isJPEG(found) { return found }
            let request = try Int64.fetchOne(
                db,
                sql: """
                    SELECT connection FROM message WHERE direction = 'out' AND kind = 'head'
                    AND typeof(bytes) = 'blob' AND instr(bytes, ?) > 0 ORDER BY id LIMIT 1
                    """,
                arguments: [Data(name.utf8)]
            )
            guard let request else { return nil }
            let body = try Self.body(db, "out", of: request)
            return body.map(Self.isJPEG) == true ? body : nil
        }
    }

    /// The body that went one way on a connection; `nil` for one that is larger than any picture.
    ///
    /// - Parameter messages: The rows among which those of the connection are.
    static func body(
        _ db: Database,
        _ direction: String,
        of connection: Int64,
        in messages: ClosedRange<Int64> = .min ... .max
    ) throws -> [UInt8]? {
        var body: [UInt8] = []
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT bytes FROM message WHERE id BETWEEN ? AND ? AND connection = ? AND direction = ? AND kind = 'body'
                ORDER BY id
                """,
            arguments: [messages.lowerBound, messages.upperBound, connection, direction]
        )
        while let row = try rows.next() {
            body += try row.bytes("bytes")
            guard body.count <= pictureLimit else { return nil }
        }
        return body
    }

    private static func isJPEG(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0xff, 0xd8, 0xff]) }

    /// The number of the last row of a table that is not later than a time, as if rows were ordered by time, which they nearly are.
    static func lastRow(of table: String, at nanoseconds: Int64, _ db: Database) throws -> Int64? {
        let ends = try Row.fetchOne(db, sql: "SELECT min(id) AS low, max(id) AS high FROM \(table)")
        guard let ends, var low = try ends.optionalInteger("low", in: 0...(1 << 53)),
            var high = try ends.optionalInteger("high", in: 0...(1 << 53))
        else { return nil }
        var found: Int64?
        while low <= high {
            let middle = (low + high) / 2
            let row = try Row.fetchOne(
                db,
                sql: "SELECT id, nanoseconds FROM \(table) WHERE id >= ? ORDER BY id LIMIT 1",
                arguments: [middle]
            )
            guard let row else { return found }
            if try row.integer("nanoseconds", in: SessionFormat.times) <= nanoseconds {
                let id = try row.integer("id", in: middle...high)
                found = id
                low = id + 1
            } else {
                high = middle - 1
            }
        }
        return found
    }
}
