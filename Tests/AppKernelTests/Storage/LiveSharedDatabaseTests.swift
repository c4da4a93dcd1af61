import AppKernel
import Concurrency
import Foundation
import GRDB
import TestSupport
import Testing

/// Another connection, such as that of a backup, reads the app's file meanwhile.
@Suite("A database that another program reads", .timeLimit(.minutes(5)))
struct LiveSharedDatabaseTests {
    @Test func `a write waits for a reader of another program, and succeeds when that is done`() async throws
    {
        let folder = try TemporaryFolder()
        let path = folder.file("app.sqlite")
        let database = try AppDatabase(path: path)
        try database.apply([SchemaStep("numbers", sql: "CREATE TABLE number (value INTEGER)")])

        try await Self.write(to: database, whileReading: path).value
        let count = try database.read("count") { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM number") }
        #expect(count == 1)
    }

    @Test func `a file that one opens alone is refused to the next who asks, and not to those who do not`()
        async throws
    {
        let folder = try TemporaryFolder()
        let path = folder.file("app.sqlite")
        let database = try await AppDatabase.alone(path: path, waitingAtMost: .zero)
        try database.apply([SchemaStep("numbers", sql: "CREATE TABLE number (value INTEGER)")])
        let refusal = await #expect(throws: DatabaseFailure.self) {
            try await AppDatabase.alone(path: path, waitingAtMost: .milliseconds(20))
        }
        #expect(refusal?.code == .busy)
        try Self.add(to: AppDatabase(path: path))
        let waiting = Task { try await AppDatabase.alone(path: path, waitingAtMost: nil) }
        try database.close()
        try await Self.add(to: waiting.value)
    }

    @Test func `a file that a process had alone is free when the process was killed`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("app.sqlite")
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let database = try await AppDatabase.alone(path: path, waitingAtMost: .zero)
            try withExtendedLifetime(database) {
                try database.apply([SchemaStep("numbers", sql: "CREATE TABLE number (value INTEGER)")])
                kill(getpid(), SIGKILL)
            }
        }
        let database = try await AppDatabase.alone(path: path, waitingAtMost: .zero)
        try Self.add(to: database)
    }

    /// Reads in a transaction until a write of the app has begun and waits, or has failed; returns the write.
    private static func write(
        to database: AppDatabase,
        whileReading path: String
    ) throws -> Task<Void, any Error> {
        let hasEnded = CurrentValue(false)
        return try DatabaseQueue(path: path).unsafeRead { connection in
            try connection.execute(sql: "BEGIN")
            _ = try Int.fetchOne(connection, sql: "SELECT COUNT(*) FROM number")
            let writing = Task.detached {
                defer { hasEnded.set(true) }
                try add(to: database)
            }
            // A journal with content is a write that has begun, and cannot end before the reader does.
            while !hasEnded.value, size(of: path + "-journal") == 0 { sched_yield() }
            try connection.execute(sql: "COMMIT")
            return writing
        }
    }

    private static func add(to database: AppDatabase) throws {
        try database.write("add") { try $0.execute(sql: "INSERT INTO number VALUES (1)") }
    }

    private static func size(of path: String) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return attributes?[.size] as? Int ?? 0
    }
}
