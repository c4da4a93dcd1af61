import GRDB

/// What became of a recording's rows after it was recorded.
public struct SessionAlterations: Sendable, Hashable {
    /// A row that is not as it was recorded.
    public struct Alteration: Sendable, Hashable, CustomStringConvertible {
        /// What became of it.
        public enum Kind: String, Sendable, Hashable {
            /// It has other contents.
            case changed
            /// It is not there any more.
            case missing
            /// It was not recorded.
            case added
        }

        /// Its table, such as `message`.
        public var table: String
        /// Its number there, as `lenssim inspect --json` names it.
        public var row: Int64
        /// What became of it.
        public var kind: Kind

        /// One clause.
        public var description: String {
            switch kind {
            case .changed: "\(table) \(row) was changed"
            case .missing: "\(table) \(row) is missing"
            case .added: "\(table) \(row) was added"
            }
        }
    }

    /// How many rows are not as they were recorded.
    public fileprivate(set) var count = 0
    /// The first of them, at most ``mostNamed``, by table and number.
    public fileprivate(set) var first: [Alteration] = []

    /// The most rows that are named.
    public static let mostNamed = 20

    fileprivate mutating func add(_ kind: Alteration.Kind, _ row: Int64, of table: SealedRow.Table) {
        count += 1
        guard first.count < Self.mostNamed else { return }
        first.append(Alteration(table: table.rawValue, row: row, kind: kind))
    }
}

extension SessionReader {
    /// Compares all messages, pictures, states, actions and events with the seals that were made of them when they were recorded.
    ///
    /// Reads the whole file. A recording of a version without seals has no alterations. What was run and the files that the program
    /// found at its start have no seals.
    ///
    /// - Throws: `damaged` where SQLite cannot read it.
    public func alterations() throws(SessionError) -> SessionAlterations {
        guard version >= SessionFormat.sealedVersion else { return SessionAlterations() }
        let contentHash = ContentHash.ofRecordings(version: version)
        return try read { db in
            var found = SessionAlterations()
            for table in SealedRow.Table.allCases { try Self.compare(table, contentHash, db, &found) }
            return found
        }
    }

    /// Goes through rows and seals of a table side by side, both in the order of their numbers.
    private static func compare(
        _ table: SealedRow.Table,
        _ contentHash: ContentHash,
        _ db: Database,
        _ found: inout SessionAlterations
    ) throws {
        var seals = try seals(of: table, db)[...]
        let columns = ([table.key + " AS \"row\""] + table.columns).joined(separator: ", ")
        let rows = try Row.fetchCursor(
            db,
            sql: "SELECT \(columns) FROM \(table.rawValue) ORDER BY \(table.key)"
        )
        while let row = try rows.next() {
            let number = try row.integer("row", in: .min ... .max)
            while let seal = seals.first, seal.row < number {
                found.add(.missing, seal.row, of: table)
                seals.removeFirst()
            }
            guard let seal = seals.first, seal.row == number else {
                found.add(.added, number, of: table)
                continue
            }
            if Seal.hash(of: row.databaseValues.dropFirst(), contentHash) != seal.hash {
                found.add(.changed, number, of: table)
            }
            seals.removeFirst()
        }
        for seal in seals { found.add(.missing, seal.row, of: table) }
    }

    /// The seals of a table, by number.
    private static func seals(of table: SealedRow.Table, _ db: Database) throws -> [Seal] {
        let stored = try Row.fetchCursor(
            db,
            sql: "SELECT hashes FROM seal WHERE kind = ? ORDER BY id",
            arguments: [table.rawValue]
        )
        var seals: [Seal] = []
        while let row = try stored.next() { seals += Seal.stored(in: try row.bytes("hashes")) }
        // They are in order already, but for pictures, whose numbers are hashes.
        seals.sort { $0.row < $1.row }
        return seals
    }
}
