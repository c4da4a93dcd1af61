import AppKernel
import Foundation
import GRDB
import Services
import TestSupport
import Testing

@Suite("App database")
struct AppDatabaseTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("every commit is synced, journal included")
    func pragmas() throws {
        let database = try AppDatabase(path: folder.file("app.sqlite"))
        let (journal, synchronous) = try database.read("ask") { database in
            (
                try String.fetchOne(database, sql: "PRAGMA journal_mode"),
                try Int.fetchOne(database, sql: "PRAGMA synchronous")
            )
        }
        #expect(journal == "truncate")
        // 2 is FULL: sqlite.org/pragma.html#pragma_synchronous.
        #expect(synchronous == 2)
    }

    @Test("a missing folder is an error that says what to do")
    func missingFolder() {
        let failure = #expect(throws: DatabaseFailure.self) {
            try AppDatabase(path: folder.file("absent/app.sqlite"))
        }
        #expect(failure?.code == .cannotOpen)
        #expect(failure?.description.contains("Check that the folder exists") == true)
    }

    @Test("a file that is no database is an error that says so, and stays as it is")
    func damaged() throws {
        let bytes = Data(repeating: 0x41, count: 8_192)
        let path = folder.file("app.sqlite")
        #expect(FileManager.default.createFile(atPath: path, contents: bytes))
        let failure = #expect(throws: DatabaseFailure.self) { try AppDatabase(path: path) }
        #expect(failure?.code == .damaged)
        #expect(FileManager.default.contents(atPath: path) == bytes)
    }

    @Test("a schema step is made once, and all steps of a call or none")
    func steps() throws {
        let database = try AppDatabase(path: folder.file("app.sqlite"))
        let good = SchemaStep("a", sql: "CREATE TABLE a (x)")
        #expect(throws: DatabaseFailure.self) {
            try database.apply([good, SchemaStep("b", sql: "CREATE TABLE nonsense")])
        }
        try database.apply([good])
        try database.apply([good])
    }
}

@Suite("Images of databases")
struct DatabaseImageTests {
    private let kept = SchemaStep("kept", sql: "CREATE TABLE kept (x); INSERT INTO kept VALUES (7)")

    private func numbers(_ database: AppDatabase) throws -> [Int] {
        try database.read("ask") { try Int.fetchAll($0, sql: "SELECT x FROM kept ORDER BY x") }
    }

    @Test("databases that begin as an image have what it holds, and each its own changes")
    func copies() throws {
        let original = try AppDatabase(path: ":memory:")
        try original.apply([kept])
        let image = try original.image()
        try original.write("add") { try $0.execute(sql: "INSERT INTO kept VALUES (8)") }
        let (first, second) = (
            try AppDatabase(beginningAs: image), try AppDatabase(beginningAs: image)
        )
        try first.write("add") { try $0.execute(sql: "INSERT INTO kept VALUES (9)") }
        // Far more than the image has room for.
        try second.write("add") { database in
            for _ in 0..<1_000 {
                try database.execute(sql: "INSERT INTO kept VALUES (zeroblob(1000))")
            }
            try database.execute(sql: "DELETE FROM kept WHERE typeof(x) = 'blob'")
        }
        try first.close()
        #expect(try numbers(original) == [7, 8])
        #expect(try numbers(second) == [7])
        #expect(try numbers(AppDatabase(beginningAs: image)) == [7])
    }

    @Test("a step that the image holds is not made again, and one that it lacks is")
    func steps() throws {
        let original = try AppDatabase(path: ":memory:")
        try original.apply([kept])
        let copy = try AppDatabase(beginningAs: original.image())
        try copy.apply([kept, SchemaStep("more", sql: "INSERT INTO kept VALUES (8)")])
        try copy.apply([kept, SchemaStep("more", sql: "INSERT INTO kept VALUES (8)")])
        #expect(try numbers(copy) == [7, 8])
    }

    @Test("a change that fails is undone in a database that began as an image too")
    func rollback() throws {
        let original = try AppDatabase(path: ":memory:")
        try original.apply([kept])
        let copy = try AppDatabase(beginningAs: original.image())
        #expect(throws: DatabaseFailure.self) {
            try copy.write("fail") { database in
                try database.execute(sql: "INSERT INTO kept VALUES (8)")
                try database.execute(sql: "nonsense")
            }
        }
        #expect(try numbers(copy) == [7])
    }
}

@Suite("Preferences in SQLite")
struct SQLitePreferenceStoreTests {
    @Test("values are kept over a relaunch, replaced and deleted")
    func keeps() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("app.sqlite")
        let store = try SQLitePreferenceStore(AppDatabase(path: path))
        #expect(try store.value(for: "rate") == nil)
        try store.set("5", for: "rate")
        try store.set("10", for: "rate")
        try store.set("x", for: "other")
        try store.set(nil, for: "other")
        let reopened = try SQLitePreferenceStore(AppDatabase(path: path))
        #expect(try reopened.value(for: "rate") == "10")
        #expect(try reopened.value(for: "other") == nil)
    }
}

@Suite("Preferences that are set together")
struct PreferenceTransactionTests {
    @Test("values are set together, or none of them is")
    func together() throws {
        let database = try AppDatabase(path: ":memory:")
        let store = try SQLitePreferenceStore(database)
        try store.set(["a": "1", "b": "2", "c": "3"])
        try store.set(["a": nil, "b": "two"])
        #expect(try ["a", "b", "c"].map { try store.value(for: $0) } == [nil, "two", "3"])
        try database.write("forbid a value") {
            try $0.execute(
                sql: """
                    CREATE TRIGGER forbidden BEFORE INSERT ON preference WHEN NEW.name = 'z'
                    BEGIN SELECT RAISE(ABORT, 'no z here'); END
                    """
            )
        }
        let error = #expect(throws: PreferenceStoreError.self) {
            try store.set(["a": "new", "b": nil, "z": "26"])
        }
        #expect(error?.description.contains("a, b, z") == true)
        #expect(try ["a", "b", "c", "z"].map { try store.value(for: $0) } == [nil, "two", "3", nil])
    }
}

@Suite("Secrets in the environment")
struct EnvironmentSecretStoreTests {
    @Test("secrets are found by name, an empty variable is none, and nothing can be changed")
    func reads() throws {
        let store = EnvironmentSecretStore(
            variables: ["key": "THE_KEY", "empty": "EMPTY", "absent": "ABSENT"],
            environment: ["THE_KEY": "s3cret", "EMPTY": ""]
        )
        #expect(try store.secret(named: "key")?.reveal() == "s3cret")
        #expect(try store.secret(named: "empty") == nil)
        #expect(try store.secret(named: "absent") == nil)
        #expect(throws: SecretStoreError.self) { try store.set(nil, named: "key") }
    }
}
