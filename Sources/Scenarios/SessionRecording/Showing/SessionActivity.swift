internal import Foundation
internal import GRDB

/// The number of entries of a recording for each place and part of its time.
public struct SessionActivity: Sendable, Hashable, Encodable {
    /// One place: a peer, the camera, the screens, or a node of a simulated world.
    public struct Lane: Sendable, Hashable, Encodable {
        /// Its name, such as `127.0.0.1:8080`, `actions` or `world`.
        public var name: String
        /// What it has: `http`, `websocket` and the other kinds of connections, `captures`, `screens` or `events`.
        public var kind: String
        /// The number of entries in each part of the time.
        public var counts: [Int]
        /// How many of them say that something went wrong.
        public var failures: [Int]
    }

    /// How many parts the time has.
    public static let parts = 240
    /// The most peers and nodes that have a lane of their own; all others of a kind share one.
    public static let mostLanes = 12

    /// The first moment, in nanoseconds since the start.
    public var start: Int64
    /// The last moment, likewise.
    public var end: Int64
    /// Actions and states first, then peers by their first message, then the rest.
    public var lanes: [Lane]
}

extension SessionReader {
    /// Looks through the whole recording.
    ///
    /// - Throws: `damaged`.
    public func activity() throws(SessionError) -> SessionActivity {
        let span = try span()
        let (start, end) = (span.lowerBound, span.upperBound)
        let version = version
        return try read { db in
            var survey = ActivitySurvey(db, version: version, from: start, until: end)
            if version >= 2 {
                for (kind, lane) in [("action", "actions"), ("state", "states")] {
                    try survey.add(
                        "SELECT 0 AS lane, nanoseconds, 0 AS isFailure FROM screen WHERE kind = '\(kind)'"
                    ) { _ in (lane, "screens") }
                }
            }
            try survey.addMessages()
            try survey.add("SELECT 0 AS lane, nanoseconds, 0 AS isFailure FROM look") { _ in
                ("camera", "captures")
            }
            try survey.add("SELECT node AS lane, nanoseconds, 0 AS isFailure FROM event") { row in
                let node = try row.text("lane")
                return (node.isEmpty ? "world" : node, "events")
            }
            return SessionActivity(start: start, end: end, lanes: survey.lanes)
        }
    }

    /// The names of the screens with which a recording begins; none for one without screens.
    ///
    /// - Throws: `damaged`.
    public func screenNames() throws(SessionError) -> Set<String> {
        guard version >= 2 else { return [] }
        return try read { db in
            // A program notes the states of all its screens at its start.
            let sql = "SELECT name FROM screen ORDER BY id LIMIT 1024"
            return Set(try Row.fetchAll(db, sql: sql).map { try $0.text("name") })
        }
    }

    /// What a screen showed before an entry, as JSON; `nil` for its first state, and empty for one of more than `limit` characters.
    ///
    /// - Throws: `damaged`.
    public func state(
        of screen: String,
        before id: SessionEntry.ID,
        upTo limit: Int
    ) throws(SessionError) -> String? {
        guard id.table == .screen else { return nil }
        return try read { db in
            try Row.fetchOne(
                db,
                sql: """
                    SELECT iif(length(json) <= ?, json, '') AS json FROM screen
                    WHERE id < ? AND name = ? AND kind = 'state' ORDER BY id DESC LIMIT 1
                    """,
                arguments: [limit, id.row, screen]
            )?.text("json")
        }
    }
}

/// Counts entries by place and time.
private struct ActivitySurvey {
    private let db: Database
    private let version: Int
    private let start: Int64
    private let length: Int64
    private var indexes: [String: Int] = [:]
    private(set) var lanes: [SessionActivity.Lane] = []

    init(_ db: Database, version: Int, from start: Int64, until end: Int64) {
        (self.db, self.version, self.start, length) = (db, version, start, max(1, end - start))
    }

    /// Counts the rows of a query with a `lane`, its `nanoseconds`, and `isFailure`.
    mutating func add(_ sql: String, _ place: (Row) throws -> (name: String, kind: String)) throws {
        let parts = SessionActivity.parts
        let rows = try Row.fetchCursor(
            db,
            // Materialized, so that what is sorted for the groups has no bytes of messages.
            sql: """
                WITH entry AS MATERIALIZED (\(sql))
                SELECT lane, min(max((nanoseconds - ?) * \(parts) / ?, 0), \(parts - 1)) AS part,
                    count(*) AS entries, total(isFailure) AS failures
                FROM entry GROUP BY 1, 2 ORDER BY min(nanoseconds), 1
                """,
            arguments: [start, length]
        )
        while let row = try rows.next() {
            let (name, kind) = try place(row)
            let part = Int(try row.integer("part", in: 0...Int64(parts - 1)))
            let index = lane(name, kind)
            lanes[index].counts[part] += Int(try row.integer("entries", in: SessionFormat.counts))
            lanes[index].failures[part] += row["failures"] as Int? ?? 0
        }
    }

    /// Messages belong to the peers of their connections.
    mutating func addMessages() throws {
        var peers: [Int64: (name: String, kind: String)] = [:]
        let kinds = SessionFormat.connectionKinds(of: version)
        let connections = try Row.fetchCursor(db, sql: "SELECT id, kind FROM connection")
        while let row = try connections.next() {
            let kind = try row.text("kind")
            guard kinds.contains(kind) else {
                throw UnusableValue(column: "kind", wanted: "a kind of connection")
            }
            peers[try row.integer("id", in: SessionFormat.counts)] = (kind, kind)
        }
        // Of the columns beside `min`, SQLite takes the row that has it.
        let heads = try Row.fetchCursor(
            db,
            sql: """
                SELECT connection, min(id), substr(bytes, 1, 400) AS head FROM message
                WHERE direction = 'out' AND kind = 'head' GROUP BY connection
                """
        )
        while let row = try heads.next() {
            let id = try row.integer("connection", in: SessionFormat.counts)
            guard let kind = peers[id]?.kind else { continue }
            let head = String(decoding: try row.bytes("head"), as: UTF8.self)
            peers[id] = (Self.peer(head, kind), kind)
        }
        try add(
            """
            SELECT connection AS lane, nanoseconds, \(SessionEntry.failureCondition) AS isFailure FROM message
            """
        ) { row in
            guard let peer = peers[row["lane"] as Int64? ?? -1] else {
                throw UnusableValue(column: "connection", wanted: "the number of a connection")
            }
            return peer
        }
    }

    /// Host and port of the address in a head; the kind for what has none.
    private static func peer(_ head: String, _ kind: String) -> String {
        guard let start = head.firstRange(of: "://")?.upperBound else { return kind }
        let authority = head[start...].prefix { !"/?#\n \r".contains($0) }
        return authority.isEmpty ? kind : String(authority)
    }

    /// The lane of a place; that of all others of its kind where there are too many.
    private mutating func lane(_ name: String, _ kind: String) -> Int {
        if let known = indexes["\(kind) \(name)"] { return known }
        let isOneMore = lanes.count { $0.kind == kind } < SessionActivity.mostLanes
        guard isOneMore else { return lane("others", kind, always: true) }
        return lane(name, kind, always: true)
    }

    private mutating func lane(_ name: String, _ kind: String, always: Bool) -> Int {
        if let known = indexes["\(kind) \(name)"] { return known }
        let none = Array(repeating: 0, count: SessionActivity.parts)
        lanes.append(SessionActivity.Lane(name: name, kind: kind, counts: none, failures: none))
        indexes["\(kind) \(name)"] = lanes.count - 1
        return lanes.count - 1
    }
}
