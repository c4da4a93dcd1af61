internal import Foundation
internal import GRDB
public import Services

/// Settings in the app's database.
public final class SQLitePreferenceStore: PreferenceStore {
    private let database: AppDatabase

    /// Opens the settings of `database`.
    public init(_ database: AppDatabase) throws(DatabaseFailure) {
        self.database = database
        try database.apply([
            SchemaStep(
                "preference-1",
                sql: "CREATE TABLE preference (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL)"
            )
        ])
    }

    /// Returns the value of that name, or `nil`.
    public func value(for name: String) throws(PreferenceStoreError) -> String? {
        do throws(DatabaseFailure) {
            return try database.read("read the setting “\(name)”") {
                try Data.fetchOne(
                    $0.cachedStatement(
                        sql: "SELECT CAST(value AS BLOB) FROM preference WHERE name = CAST(? AS TEXT)"
                    ),
                    arguments: [Self.bytes(name)]
                ).map { String(decoding: $0, as: UTF8.self) }
            }
        } catch {
            throw PreferenceStoreError(detail: error.description)
        }
    }

    /// Stores values durably before it returns, all or none; `nil` deletes one.
    public func set(_ values: [String: String?]) throws(PreferenceStoreError) {
        do throws(DatabaseFailure) {
            try database.write("store the settings \(values.keys.sorted().joined(separator: ", "))") {
                database in
                for (name, value) in values.sorted(by: { $0.key < $1.key }) {
                    guard let value else {
                        try database.cachedStatement(
                            sql: "DELETE FROM preference WHERE name = CAST(? AS TEXT)"
                        ).execute(arguments: [Self.bytes(name)])
                        continue
                    }
                    try database.cachedStatement(
                        sql: """
                            INSERT INTO preference (name, value) VALUES (CAST(? AS TEXT), CAST(? AS TEXT))
                            ON CONFLICT (name) DO UPDATE SET value = excluded.value
                            """
                    ).execute(arguments: [Self.bytes(name), Self.bytes(value)])
                }
            }
        } catch {
            throw PreferenceStoreError(detail: error.description)
        }
    }

    /// A text as SQLite gets it: by its bytes, since strings of GRDB end at their first zero.
    private static func bytes(_ text: String) -> Data { Data(text.utf8) }
}
