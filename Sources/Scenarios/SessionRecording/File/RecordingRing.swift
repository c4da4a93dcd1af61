import Foundation
import GRDB
import Synchronization

/// Keeps the last minutes of a recording that grows, and drops what is older.
///
/// Rows are dropped in the transaction of a batch, each time a tenth of the length has gathered: the file has always what it is to keep,
/// and SQLite writes new rows where the old ones were. Kept whatever their age are the heads of connections that are open or
/// have something newer, an exchange that such a connection began less than the length before, and the newest state of each screen.
/// The seals of dropped rows go with them, so that every seal has its row as in a whole recording.
final class RecordingRing: Sendable {
    private struct Connection {
        var isExchange: Bool
        var isOpen = true
    }

    private struct State {
        /// The newest moment of a row.
        var newest: Int64 = 0
        /// What is older was dropped.
        var start: Int64 = 0
        var hasDropped = false
        /// The last number of each table's rows: the numbers of dropped ones are not given again.
        var numbers: [SealedRow.Table: Int64] = [:]
        /// The connections that the file has.
        var connections: [Int64: Connection] = [:]
    }

    /// How long, in nanoseconds.
    private let length: Int64
    private let pictures: KnownPictures
    private let state = Mutex(State())

    /// Which part of the length gathers before something is dropped.
    private static let part: Int64 = 10

    /// - Parameters:
    ///   - length: How long before its newest moment the recording begins.
    ///   - pictures: Forgets those that are dropped.
    init(_ length: Duration, _ pictures: KnownPictures) {
        self.length = Int64(length / .nanoseconds(1))
        self.pictures = pictures
    }

    // MARK: What comes

    /// Takes note of a row that comes next, and returns its number; `nil` for one whose connection was dropped.
    func number(of row: SealedRow) -> Int64? {
        state.withLock { state in
            switch row.table {
            case .connection:
                guard let number = row.integer("id"), let kind = row.text("kind") else { return nil }
                state.connections[number] = Connection(
                    isExchange: kind != "websocket" && kind != SessionFormat.datagramKind
                )
                return number
            case .picture: return row.integer("hash")
            case .message:
                // A chunk that waited for its neighbour may come after everything of its connection is gone.
                guard let connection = row.integer("connection"), state.connections[connection] != nil else {
                    return nil
                }
            case .look, .event, .screen: break
            }
            state.newest = max(state.newest, row.integer("nanoseconds") ?? 0)
            let number = state.numbers[row.table, default: 0] + 1
            state.numbers[row.table] = number
            return number
        }
    }

    /// Takes note that nothing crosses a connection any more.
    func close(_ connection: Int64) { state.withLock { $0.connections[connection]?.isOpen = false } }

    // MARK: What goes

    /// Drops what is too old, where enough of it has gathered.
    ///
    /// - Parameter isEnd: Whether nothing comes any more: what is too old is dropped then, however little it is.
    func drop(_ db: Database, isEnd: Bool) throws {
        try state.withLock { state in
            let start = state.newest - length
            guard start > state.start, isEnd || start - state.start >= length / Self.part else { return }
            state.start = start
            var old = try Self.rows(db, before: start)
            let messages = try oldMessages(db, &state)
            (old[.message], old[.connection]) = (messages.rows, messages.connections)
            old[.picture] = Set(pictures.forget(before: start).map { Int64(bitPattern: $0) })
            for (table, rows) in old where !rows.isEmpty {
                let deletion = try db.cachedStatement(
                    sql: "DELETE FROM \(table.rawValue) WHERE \(table.key) = ?"
                )
                for row in rows { try deletion.execute(arguments: [row]) }
                try Self.unseal(rows, of: table, db)
                state.hasDropped = true
            }
            guard state.hasDropped else { return }
            try db.execute(
                sql: "INSERT OR REPLACE INTO fact VALUES (?, ?)",
                arguments: [SessionFormat.keptFrom, "\(start)"]
            )
        }
    }

    /// Old rows that nothing newer needs, of the tables whose rows stand alone.
    private static func rows(
        _ db: Database,
        before start: Int64
    ) throws -> [SealedRow.Table: Set<Int64>] {
        var rows: [SealedRow.Table: Set<Int64>] = [:]
        for table in [SealedRow.Table.look, .event] {
            rows[table] = try Int64.fetchSet(
                db,
                sql: "SELECT id FROM \(table.rawValue) WHERE nanoseconds < ?",
                arguments: [start]
            )
        }
        rows[.screen] = try Int64.fetchSet(
            db,
            sql: """
                SELECT id FROM screen WHERE nanoseconds < ? AND id NOT IN
                (SELECT max(id) FROM screen WHERE nanoseconds < ? AND kind = 'state' GROUP BY name)
                """,
            arguments: [start, start]
        )
        return rows
    }

    /// Old messages that nothing newer needs, and connections of which nothing is left.
    private func oldMessages(
        _ db: Database,
        _ state: inout State
    ) throws -> (rows: Set<Int64>, connections: Set<Int64>) {
        var needed = try Int64.fetchSet(
            db,
            sql: "SELECT DISTINCT connection FROM message WHERE nanoseconds >= ?",
            arguments: [state.start]
        )
        for (number, connection) in state.connections where connection.isOpen { needed.insert(number) }
        var rows: Set<Int64> = []
        let messages = try Row.fetchCursor(
            db,
            sql: "SELECT id, connection, kind, nanoseconds FROM message WHERE nanoseconds < ?",
            arguments: [state.start]
        )
        while let message = try messages.next() {
            let connection: Int64 = message["connection"]
            let isHead = message["kind"] == RecordedMessage.Kind.head.rawValue
            let isOfExchange =
                state.connections[connection]?.isExchange == true
                && message["nanoseconds"] >= state.start - length
            if needed.contains(connection), isHead || isOfExchange { continue }
            rows.insert(message["id"])
        }
        let connections = Set(state.connections.keys).subtracting(needed)
        for connection in connections { state.connections[connection] = nil }
        return (rows, connections)
    }

    /// Removes the seals of dropped rows, and no others.
    private static func unseal(_ rows: Set<Int64>, of table: SealedRow.Table, _ db: Database) throws {
        var changed: [(id: Int64, hashes: Data)] = []
        let stored = try Row.fetchCursor(
            db,
            sql: "SELECT id, hashes FROM seal WHERE kind = ?",
            arguments: [table.rawValue]
        )
        while let row = try stored.next() {
            let seals = Seal.stored(in: try row.bytes("hashes"))
            let kept = seals.filter { !rows.contains($0.row) }
            guard kept.count < seals.count else { continue }
            changed.append((row["id"], kept.reduce(into: Data()) { $1.store(in: &$0) }))
        }
        for (id, hashes) in changed {
            if hashes.isEmpty {
                try db.execute(sql: "DELETE FROM seal WHERE id = ?", arguments: [id])
            } else {
                try db.execute(sql: "UPDATE seal SET hashes = ? WHERE id = ?", arguments: [hashes, id])
            }
        }
    }
}
