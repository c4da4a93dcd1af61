import GRDB

/// How much of what is in a recording.
public struct SessionSummary: Sendable, Hashable {
    /// How many connections there were, by kind: `http`, `websocket`, `udp`, `interfaces`, `lookup`.
    public var connections: [String: Int]
    /// How many messages crossed them.
    public var messages: Int
    /// How often the camera was asked for a frame.
    public var captures: Int
    /// How many different frames are kept whole.
    public var pictures: Int
    /// How many states the screens showed.
    public var states: Int
    /// How many actions were done on them.
    public var actions: Int
    /// How many events of the simulated world there are.
    public var events: Int
    /// How many files the program found at its start.
    public var files: Int
}

extension SessionReader {
    /// Counts what is in it.
    ///
    /// - Throws: `damaged`.
    public func summary() throws(SessionError) -> SessionSummary {
        try read { db in
            func count(_ table: String, _ condition: String = "true") throws -> Int {
                try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table) WHERE \(condition)") ?? 0
            }
            let rows = try Row.fetchAll(
                db,
                sql: "SELECT kind, count(*) AS number FROM connection GROUP BY kind"
            )
            return SessionSummary(
                connections: try rows.reduce(into: [:]) {
                    $0[try $1.text("kind")] = Int(try $1.integer("number", in: SessionFormat.counts))
                },
                messages: try count("message"),
                captures: try count("look"),
                pictures: try count("picture"),
                states: version >= 2 ? try count("screen", "kind = 'state'") : 0,
                actions: version >= 2 ? try count("screen", "kind = 'action'") : 0,
                events: try count("event"),
                files: try count("file")
            )
        }
    }

    /// Whether any frame of the camera is kept.
    ///
    /// - Throws: `damaged`.
    func keepsPictures() throws(SessionError) -> Bool {
        try read { try Bool.fetchOne($0, sql: "SELECT EXISTS (SELECT 1 FROM picture)") ?? false }
    }

    /// The sizes of the files that the program found at its start, in bytes, by path.
    ///
    /// - Throws: `damaged`.
    public func fileSizes() throws(SessionError) -> [String: Int] {
        try read { db in
            try Row.fetchAll(db, sql: "SELECT path, length(bytes) AS size FROM file").reduce(into: [:]) {
                $0[try $1.text("path")] = Int(try $1.integer("size", in: SessionFormat.counts))
            }
        }
    }

    /// A file that the program found at its start; `nil` where it found none of that path.
    ///
    /// - Throws: `damaged`.
    public func contents(ofFile path: String) throws(SessionError) -> [UInt8]? {
        try read { db in
            try Row.fetchOne(db, sql: "SELECT bytes FROM file WHERE path = ?", arguments: [path])?.bytes(
                "bytes"
            )
        }
    }

    /// When the last was sent, received, shown, seen or done that it has, in nanoseconds since the start.
    ///
    /// - Throws: `damaged`.
    public func lastMoment() throws(SessionError) -> Int64 {
        try read { db in
            try (["message", "look", "event"] + (version >= 2 ? ["screen"] : [])).reduce(0) { last, table in
                // Rows are ordered by time but for those that several threads have added together.
                let row = try Row.fetchOne(
                    db,
                    sql: """
                        SELECT max(nanoseconds) AS last
                        FROM (SELECT nanoseconds FROM \(table) ORDER BY id DESC LIMIT \(Self.together))
                        """
                )
                return max(last, try row?.optionalInteger("last", in: SessionFormat.times) ?? 0)
            }
        }
    }

    /// From when on it is kept until its last moment, in nanoseconds since the start.
    ///
    /// - Throws: `damaged`.
    func span() throws(SessionError) -> ClosedRange<Int64> {
        let end = max(try lastMoment(), outcome?.nanoseconds ?? 0)
        return min(keptFrom ?? 0, end)...end
    }

    /// More rows than threads add together.
    static let together = 4096
}
