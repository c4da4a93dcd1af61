import Foundation
import GRDB

/// A row of a recording whose contents a seal keeps, so that a change of the file is noticed later.
struct SealedRow: Sendable {
    /// A table whose rows are sealed.
    ///
    /// Not sealed are `fact`, some of whose values are replaced while it is recorded, and `file`, the contents of a folder.
    enum Table: String, CaseIterable, Sendable {
        case connection
        case message
        case look
        case picture
        case event
        case screen

        /// The number of a row, which is its key.
        var key: String { self == .picture ? "hash" : "id" }

        /// The other columns, in the order of the table; those of a picture have its key among them.
        var columns: [String] {
            switch self {
            case .connection: ["id", "kind"]
            case .message: ["connection", "direction", "kind", "nanoseconds", "bytes"]
            case .look: ["nanoseconds", "sequence", "timestamp", "hash"]
            case .picture: ["hash", "width", "height", "layout", "bytes"]
            case .event: ["step", "nanoseconds", "node", "kind", "detail"]
            case .screen: ["nanoseconds", "name", "kind", "json"]
            }
        }

        /// What writes a row, whose texts are made once.
        fileprivate static let insertions = statements { $0.columns }
        /// What writes a row under a number.
        fileprivate static let numberedInsertions = statements { table in
            table.hasOwnNumber ? table.columns : table.columns + [table.key]
        }

        /// Whether the number is among the columns.
        fileprivate var hasOwnNumber: Bool { columns.contains(key) }

        private static func statements(_ columns: (Table) -> [String]) -> [Table: String] {
            var statements: [Table: String] = [:]
            for table in allCases {
                let columns = columns(table)
                let places = Array(repeating: "?", count: columns.count).joined(separator: ", ")
                statements[table] =
                    "INSERT INTO \(table.rawValue) (\(columns.joined(separator: ", "))) VALUES (\(places))"
            }
            return statements
        }
    }

    let table: Table
    let values: [DatabaseValue]

    /// Makes a row of the values of the table's columns, in their order.
    init(_ table: Table, _ values: [any DatabaseValueConvertible]) {
        self.table = table
        // Rows are many, and a key path costs more than the value.
        self.values = values.map { $0.databaseValue }
    }

    /// Writes it, and returns its seal.
    ///
    /// - Parameter number: Its number; `nil` for the next one.
    func insert(_ db: Database, number: Int64? = nil) throws -> Seal {
        var arguments = values
        if let number, !table.hasOwnNumber { arguments.append(number.databaseValue) }
        let insertions = number == nil ? Table.insertions : Table.numberedInsertions
        try db.cachedStatement(sql: insertions[table] ?? "").execute(
            arguments: StatementArguments(arguments)
        )
        return Seal(row: db.lastInsertedRowID, hash: Seal.hash(of: values))
    }

    /// The whole number in a column; `nil` where there is none.
    func integer(_ column: String) -> Int64? {
        table.columns.firstIndex(of: column).flatMap { Int64.fromDatabaseValue(values[$0]) }
    }

    /// The text in a column; `nil` where there is none.
    func text(_ column: String) -> String? {
        table.columns.firstIndex(of: column).flatMap { String.fromDatabaseValue(values[$0]) }
    }
}

/// The hash of a row's contents, with its number.
///
/// It finds what was changed by accident or by hand; it is no signature, and anyone can make another one.
struct Seal: Sendable, Hashable {
    var row: Int64
    var hash: UInt64

    /// Hashes what SQLite stores in the columns of a row: kinds, values and their order.
    ///
    /// - Parameter contentHash: That of the recording.
    static func hash(
        of values: some Sequence<DatabaseValue>,
        _ contentHash: ContentHash = .current
    ) -> UInt64 {
        values.reduce(0x5345_414c) { hash, value in
            switch value.storage {
            case .null: ContentHash.mix(hash ^ 0)
            case .int64(let number): ContentHash.mix(ContentHash.mix(hash ^ 1) ^ UInt64(bitPattern: number))
            case .double(let number): ContentHash.mix(ContentHash.mix(hash ^ 2) ^ number.bitPattern)
            case .string(let text): ContentHash.mix(ContentHash.mix(hash ^ 3) ^ contentHash(text))
            case .blob(let bytes):
                ContentHash.mix(
                    ContentHash.mix(hash ^ 4)
                        ^ (unsafe bytes.withUnsafeBytes { unsafe contentHash($0) })
                )
            }
        }
    }

    /// Bytes of a stored seal: the number of the row and its hash, each as 8 bytes, the lowest first.
    static let size = 16

    /// Adds it to what is stored.
    func store(in bytes: inout Data) {
        for word in [UInt64(bitPattern: row), hash] {
            for shift in stride(from: 0, to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
            }
        }
    }

    /// Reads what ``store(in:)`` wrote; bytes that are no whole seal are passed over.
    static func stored(in bytes: [UInt8]) -> [Seal] {
        func word(at offset: Int) -> UInt64 {
            (0..<8).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
        }
        return (0..<bytes.count / size).map { number in
            Seal(row: Int64(bitPattern: word(at: number * size)), hash: word(at: number * size + 8))
        }
    }
}
