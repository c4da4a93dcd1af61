import GRDB
import Services
import Simulation

/// Goes through a recording by time, also while it is written.
///
/// Memory has some dozens of entries. Entries of one kind come as they were written; those of several are ordered by time.
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

    /// The next entry; `nil` where there is none, or none yet.
    ///
    /// - Throws: `damaged`.
    public mutating func next() throws(SessionError) -> SessionEntry? {
        var earliest: (lane: Int, entry: SessionEntry)?
        for index in lanes.indices {
            if lanes[index].isEmpty { try lanes[index].read(session, excerpt) }
            guard let entry = lanes[index].first else { continue }
            if earliest.map({ entry.nanoseconds < $0.entry.nanoseconds }) ?? true {
                earliest = (index, entry)
            }
        }
        guard let earliest else { return nil }
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

/// The entries of one table.
private struct Lane {
    /// How many rows are read at once: of whole bytes, which may be pictures, and of excerpts.
    private static let (whole, short) = (16, 512)

    /// The same as ``SessionEntry/isFailure``.
    private static let failed = """
        (kind = 'failure' AND instr(bytes, CAST('"code":"cancelled"' AS BLOB)) = 0
        OR kind = 'head' AND direction = 'in' AND substr(bytes, 1, 1) IN (x'34', x'35')
        OR kind = 'close' AND length(bytes) > 0
            AND CAST(substr(bytes, 1, 5) AS TEXT) NOT IN ('1000', '1000 ', '1001', '1001 '))
        """

    private let table: SessionEntry.ID.Table
    private let condition: String
    private let arguments: StatementArguments
    private var last: Int64 = -1
    /// What was read and not yet returned, the newest first.
    private var read: [SessionEntry] = []

    /// `nil` where nothing of the table is wanted, or the recording has no such table.
    init?(_ table: SessionEntry.ID.Table, _ filter: SessionFilter, version: Int) {
        self.table = table
        let kinds = filter.kinds
        guard table == .message || (filter.connection == nil && !filter.onlyFailures) else { return nil }
        guard table == .screen || filter.screen == nil else { return nil }
        var conditions = ["nanoseconds BETWEEN ? AND ?"]
        var arguments: StatementArguments = [filter.times.lowerBound, filter.times.upperBound]
        switch table {
        case .message:
            let wanted = SessionFormat.connectionKinds(of: version).filter {
                SessionFilter.Kind(rawValue: $0).map(kinds.contains) ?? false
            }
            guard !wanted.isEmpty else { return nil }
            let names = wanted.map { "'\($0)'" }.joined(separator: ", ")
            conditions.append("connection IN (SELECT id FROM connection WHERE kind IN (\(names)))")
            if let connection = filter.connection {
                conditions.append("connection = ?")
                arguments += [connection]
            }
            if filter.onlyFailures { conditions.append(Self.failed) }
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
        condition = conditions.joined(separator: " AND ")
        self.arguments = arguments
    }

    var isEmpty: Bool { read.isEmpty }
    var first: SessionEntry? { read.last }
    mutating func removeFirst() { read.removeLast() }

    mutating func read(_ session: SessionReader, _ excerpt: Int?) throws(SessionError) {
        let rows = try session.read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT \(table.columns(excerpt)) FROM \(table.name) WHERE id > ? AND \(condition) ORDER BY id
                    LIMIT \(excerpt == nil ? Self.whole : Self.short)
                    """,
                arguments: [last] + arguments
            )
            .map { try table.entry($0, version: session.version) }
        }
        if let newest = rows.last { last = newest.id.row }
        read = rows.reversed()
    }
}

extension Lane {
    func left(_ session: SessionReader) throws(SessionError) -> Int {
        try session.read { db in
            let sql = "SELECT count(*) FROM \(table.name) WHERE id > ? AND \(condition)"
            return try Int.fetchOne(db, sql: sql, arguments: [last] + arguments) ?? 0
        } + read.count
    }
}

extension SessionReader {
    /// The entry of that name, with all its bytes; `nil` where there is none.
    ///
    /// - Throws: `damaged`.
    public func entry(_ id: SessionEntry.ID) throws(SessionError) -> SessionEntry? {
        guard id.table != .screen || version >= 2 else { return nil }
        return try read { db in
            let sql = "SELECT \(id.table.columns(nil)) FROM \(id.table.name) WHERE id = ?"
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
        return "\(fixed), \(shown), length(\(counted)) AS byteCount"
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
            byteCount: self.content == nil ? 0 : Int(try row.integer("byteCount", in: SessionFormat.counts))
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
