import GRDB
import Services
import Simulation

/// Goes through a recording, also while it is written: entries of one table come as they were written, and tables are merged by time.
///
/// Memory has at most 512 entries of each table, or 16 whole ones. The recorder is kept from writing for 4,096 rows at a time at most.
public struct SessionEntries {
    /// The recording.
    public let session: SessionReader
    private let filter: SessionFilter
    private let excerpt: Int?
    private var lanes: [Lane]

    /// Begins before the first entry.
    ///
    /// - Parameters:
    ///   - session: The recording.
    ///   - filter: Which entries are wanted.
    ///   - excerpt: How many bytes of each are read, at least 1, but of the reason of a failure all; `nil` for all.
    public init(_ session: SessionReader, _ filter: SessionFilter = SessionFilter(), excerpt: Int? = nil) {
        self.session = session
        self.filter = filter
        self.excerpt = excerpt
        lanes = SessionEntry.ID.Table.allCases.compactMap { Lane($0, filter, version: session.version) }
    }

    /// The next entry; `nil` where there is none, or none yet: the call after that looks for what was added.
    ///
    /// - Throws: `damaged`.
    public mutating func next() throws(SessionError) -> SessionEntry? {
        var earliest: (lane: Int, entry: SessionEntry)?
        for index in lanes.indices {
            try lanes[index].fill(from: session, excerpt)
            guard let entry = lanes[index].first else { continue }
            if earliest.map({ entry.nanoseconds < $0.entry.nanoseconds }) ?? true {
                earliest = (index, entry)
            }
        }
        guard let earliest else {
            for index in lanes.indices { lanes[index].end = nil }
            return nil
        }
        lanes[earliest.lane].removeFirst()
        return earliest.entry
    }

    /// How many entries there are that it has not returned yet.
    ///
    /// - Throws: `damaged`.
    public func left() throws(SessionError) -> Int {
        var count = 0
        for lane in lanes { count += try lane.left(session) }
        return count
    }
}

extension SessionReader {
    /// The entries before and behind a time, of the rows that are near it.
    ///
    /// - Parameters:
    ///   - nanoseconds: The time, since the session's start; entries of that time are before it.
    ///   - filter: Which are wanted; its times do not count.
    ///   - count: How many are looked for on each side.
    ///   - reach: How many rows of each table are looked through on each side.
    ///   - excerpt: How many bytes of each are read.
    /// - Returns: Those that were found, in order, and whether there may be more on each side.
    /// - Throws: `damaged`.
    public func entries(
        around nanoseconds: Int64,
        _ filter: SessionFilter,
        count: Int,
        reach: Int64,
        excerpt: Int
    ) throws(SessionError) -> (
        before: [SessionEntry], after: [SessionEntry], hasEarlier: Bool, hasLater: Bool
    ) {
        var found: (before: [SessionEntry], after: [SessionEntry], hasEarlier: Bool, hasLater: Bool)
        found = ([], [], false, false)
        for table in SessionEntry.ID.Table.allCases {
            var (earlier, later) = (filter, filter)
            earlier.times = 0...nanoseconds
            later.times = (nanoseconds + 1) ... .max
            guard let before = Lane(table, earlier, version: version),
                let after = Lane(table, later, version: version)
            else { continue }
            let near = try before.near(nanoseconds, of: self, count, reach, excerpt, isBefore: true)
            found.before += near.entries
            found.hasEarlier = found.hasEarlier || near.hasMore
            let next = try after.near(nanoseconds, of: self, count, reach, excerpt, isBefore: false)
            found.after += next.entries
            found.hasLater = found.hasLater || next.hasMore
        }
        // Of one time, entries stay in the order of the tables and of their rows.
        let ordered = { (entries: [SessionEntry]) in
            entries.enumerated().sorted { one, other in
                (one.element.nanoseconds, one.offset) < (other.element.nanoseconds, other.offset)
            }.map(\.element)
        }
        (found.before, found.after) = (ordered(found.before), ordered(found.after))
        found.hasEarlier = found.hasEarlier || found.before.count > count
        found.hasLater = found.hasLater || found.after.count > count
        found.before.removeFirst(max(0, found.before.count - count))
        found.after.removeLast(max(0, found.after.count - count))
        return found
    }
}

/// The entries of one table.
private struct Lane {
    /// How many rows are read at once: of whole bytes, which may be pictures, and of excerpts.
    private static let (whole, short) = (16, 512)
    /// How many rows are looked through in one transaction.
    private static let stretch = 4096

    private let table: SessionEntry.ID.Table
    private let condition: String
    private let arguments: StatementArguments
    /// The last row that was looked at; `nil` before the first.
    private var last: Int64?
    /// The last row of this pass; `nil` where none is under way.
    var end: Int64?
    /// What was read and not yet returned, the newest first.
    private var read: [SessionEntry] = []

    /// `nil` where nothing of the table is wanted, or the recording has no such table.
    init?(_ table: SessionEntry.ID.Table, _ filter: SessionFilter, version: Int) {
        self.table = table
        let kinds = filter.kinds
        guard table == .message || (filter.connection == nil && !filter.onlyFailures) else { return nil }
        guard table == .screen || filter.screen == nil else { return nil }
        var conditions: [String] = []
        var arguments: StatementArguments = []
        if let times = filter.times {
            conditions.append("nanoseconds BETWEEN ? AND ?")
            arguments += [times.lowerBound, times.upperBound]
        }
        switch table {
        case .message:
            let all = SessionFormat.connectionKinds(of: version)
            let wanted = all.filter { SessionFilter.Kind(rawValue: $0).map(kinds.contains) ?? false }
            guard !wanted.isEmpty else { return nil }
            // Where all are wanted, a message of no connection is found to be damage.
            if wanted.count < all.count {
                let names = wanted.map { "'\($0)'" }.joined(separator: ", ")
                conditions.append("connection IN (SELECT id FROM connection WHERE kind IN (\(names)))")
            }
            if let connection = filter.connection {
                conditions.append("connection = ?")
                arguments += [connection]
            }
            if filter.onlyFailures { conditions.append(SessionEntry.failureCondition) }
        case .capture:
            guard kinds.contains(.captures) else { return nil }
        case .screen:
            let wanted = ["state": SessionFilter.Kind.states, "action": .actions].filter {
                kinds.contains($0.value)
            }
            guard version >= 2, !wanted.isEmpty else { return nil }
            if wanted.count == 1, let kind = wanted.keys.first { conditions.append("kind = '\(kind)'") }
            if let screen = filter.screen {
                conditions.append("name = ?")
                arguments += [screen]
            }
        case .event:
            guard kinds.contains(.events) else { return nil }
        }
        if let text = filter.text {
            guard let column = table.content else { return nil }
            // A text is compared with bytes as its bytes.
            conditions.append("instr(CAST(\(column) AS BLOB), CAST(? AS BLOB)) > 0")
            arguments += [text]
        }
        condition = conditions.isEmpty ? "true" : conditions.joined(separator: " AND ")
        self.arguments = arguments
    }

    var first: SessionEntry? { read.last }
    mutating func removeFirst() { read.removeLast() }

    /// Reads on where nothing is left of what was read.
    mutating func fill(from session: SessionReader, _ excerpt: Int?) throws(SessionError) {
        if end == nil { end = try lastRow(of: session) }
        let limit = excerpt == nil ? Self.whole : Self.short
        while read.isEmpty, let stretch = try nextStretch(of: session, after: last) {
            let rows = try session.read { db in
                let sql = """
                    SELECT \(table.columns(excerpt)) FROM \(table.name)
                    WHERE id BETWEEN ? AND ? AND \(condition) ORDER BY id LIMIT \(limit)
                    """
                let bounds: StatementArguments = [stretch.lowerBound, stretch.upperBound]
                return try Row.fetchAll(db, sql: sql, arguments: bounds + arguments)
                    .map { try table.entry($0, version: session.version) }
            }
            last = rows.count < limit ? stretch.upperBound : rows.last?.id.row
            read = rows.reversed()
        }
    }

    /// The entries on one side of a time, in the order of their rows.
    func near(
        _ nanoseconds: Int64,
        of session: SessionReader,
        _ count: Int,
        _ reach: Int64,
        _ excerpt: Int,
        isBefore: Bool
    ) throws(SessionError) -> (entries: [SessionEntry], hasMore: Bool) {
        try session.read { db in
            let place = try SessionReader.lastRow(of: table.name, at: nanoseconds, db) ?? 0
            // Rows that threads have added together may be out of order.
            let slack = Int64(SessionReader.together)
            let rows = isBefore ? (place - reach)...(place + slack) : (place - slack)...(place + reach)
            let sql = """
                SELECT \(table.columns(excerpt)) FROM \(table.name)
                WHERE id BETWEEN ? AND ? AND \(condition) ORDER BY id \(isBefore ? "DESC" : "ASC") LIMIT \(count + 1)
                """
            let bounds: StatementArguments = [rows.lowerBound, rows.upperBound]
            let entries = try Row.fetchAll(db, sql: sql, arguments: bounds + arguments)
                .map { try table.entry($0, version: session.version) }
            let beyond = isBefore ? "id < \(rows.lowerBound)" : "id > \(rows.upperBound)"
            let hasBeyond = try Bool.fetchOne(
                db,
                sql: "SELECT EXISTS (SELECT 1 FROM \(table.name) WHERE \(beyond))"
            )
            let hasMore = entries.count > count || (entries.count < count && hasBeyond == true)
            return (isBefore ? entries.reversed() : entries, hasMore)
        }
    }

    func left(_ session: SessionReader) throws(SessionError) -> Int {
        var lane = self
        var count = read.count
        lane.end = try lastRow(of: session)
        while let stretch = try lane.nextStretch(of: session, after: lane.last) {
            count += try session.read { db in
                let sql = "SELECT count(*) FROM \(table.name) WHERE id BETWEEN ? AND ? AND \(condition)"
                let bounds: StatementArguments = [stretch.lowerBound, stretch.upperBound]
                return try Int.fetchOne(db, sql: sql, arguments: bounds + arguments) ?? 0
            }
            lane.last = stretch.upperBound
        }
        return count
    }

    /// The next rows that are looked at together; `nil` where the pass is over.
    private func nextStretch(of session: SessionReader, after last: Int64?) throws(SessionError)
        -> ClosedRange<Int64>?
    {
        guard let end, last.map({ $0 < end }) ?? true else { return nil }
        let start = last.map { $0 + 1 } ?? .min
        return try session.read { db in
            let sql =
                "SELECT max(id) FROM (SELECT id FROM \(table.name) WHERE id BETWEEN ? AND ? ORDER BY id LIMIT \(Self.stretch))"
            return try Int64.fetchOne(db, sql: sql, arguments: [start, end])
        }.map { start...$0 }
    }

    private func lastRow(of session: SessionReader) throws(SessionError) -> Int64? {
        try session.read { try Int64.fetchOne($0, sql: "SELECT max(id) FROM \(table.name)") }
    }
}

extension SessionReader {
    /// The entry of that name; `nil` where there is none.
    ///
    /// - Parameters:
    ///   - id: Its name.
    ///   - excerpt: How many of its bytes are read; `nil` for all.
    /// - Throws: `damaged`.
    public func entry(_ id: SessionEntry.ID, excerpt: Int? = nil) throws(SessionError) -> SessionEntry? {
        guard id.table != .screen || version >= 2 else { return nil }
        return try read { db in
            let sql = "SELECT \(id.table.columns(excerpt)) FROM \(id.table.name) WHERE id = ?"
            return try Row.fetchOne(db, sql: sql, arguments: [id.row]).map {
                try id.table.entry($0, version: version)
            }
        }
    }
}

extension SessionEntry.ID.Table {
    fileprivate var name: String {
        switch self {
        case .message: "message"
        case .capture: "look"
        case .screen: "screen"
        case .event: "event"
        }
    }

    /// The column that may be long.
    fileprivate var content: String? {
        switch self {
        case .message: "bytes"
        case .capture: nil
        case .screen: "json"
        case .event: "detail"
        }
    }

    /// What is read of a row, and how long its content is.
    fileprivate func columns(_ excerpt: Int?) -> String {
        let fixed =
            switch self {
            case .message:
                """
                id, nanoseconds, connection, direction, kind,
                (SELECT kind FROM connection WHERE connection.id = message.connection) AS connectionKind
                """
            case .capture: "id, nanoseconds, sequence, timestamp, hash"
            case .screen: "id, nanoseconds, name, kind"
            case .event: "id, nanoseconds, step, node, kind"
            }
        guard let content else { return fixed }
        // Of a BLOB without bytes `substr` is NULL.
        let empty = self == .message ? "x''" : "''"
        // What a reason says is read with all of it.
        let isShort = self == .message ? "kind <> 'failure'" : "true"
        let shown =
            excerpt.map {
                "iif(\(isShort), ifnull(substr(\(content), 1, \($0)), \(empty)), \(content)) AS \(content)"
            } ?? content
        // The length of a text is that of its characters.
        let counted = self == .message ? content : "CAST(\(content) AS BLOB)"
        // Text behind a byte 0 would be no part of the text.
        let isJSON =
            excerpt == nil
            ? "iif(instr(\(content), \(self == .message ? "x'00'" : "char(0)")), 0, json_valid(CAST(\(content) AS TEXT)))"
            : "0"
        return "\(fixed), \(shown), length(\(counted)) AS byteCount, \(isJSON) AS isJSON"
    }

    fileprivate func entry(_ row: Row, version: Int) throws(UnusableValue) -> SessionEntry {
        let content: SessionEntry.Content =
            switch self {
            case .message: .message(try row.message(), on: try row.connectionKind(of: version))
            case .capture: .capture(try row.look())
            case .screen: .screen(try row.screen())
            case .event: .event(try row.event())
            }
        return SessionEntry(
            id: SessionEntry.ID(self, try row.integer("id", in: 0 ... .max)),
            content: content,
            byteCount: self.content == nil ? 0 : Int(try row.integer("byteCount", in: SessionFormat.counts)),
            isJSON: self.content == nil ? false : try row.integer("isJSON", in: 0...1) == 1
        )
    }
}

extension Row {
    fileprivate func connectionKind(of version: Int) throws(UnusableValue) -> String {
        guard let kind = try optionalText("connectionKind"),
            SessionFormat.connectionKinds(of: version).contains(kind)
        else { throw UnusableValue(column: "connection", wanted: "the number of a connection") }
        return kind
    }
}
