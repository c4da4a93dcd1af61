import AppKernel
import Foundation
import GRDB
import Services
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
