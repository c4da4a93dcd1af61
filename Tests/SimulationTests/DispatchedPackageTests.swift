#if Everything
import Foundation
import GRDB
import NIOCore
import NIOEmbedded
import Simulation
import Testing

/// Packages that stand on Dispatch, as they are.
@Suite("Packages on Dispatch in a simulation", .timeLimit(.minutes(5)))
struct DispatchedPackageTests {
    @Test func `GRDB's asynchronous access runs as it is, in its queue and in its pool`() throws {
        @Sendable func use(_ database: any DatabaseWriter) async throws -> Int {
            try await database.write {
                try $0.execute(sql: "CREATE TABLE entry (id INTEGER PRIMARY KEY, value)")
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for value in 1...5 {
                    group.addTask {
                        try await database.write {
                            try $0.execute(sql: "INSERT INTO entry (value) VALUES (?)", arguments: [value])
                        }
                        _ = try await database.read {
                            try Int.fetchOne($0, sql: "SELECT count(*) FROM entry")
                        }
                    }
                }
                try await group.waitForAll()
            }
            let values = try await database.read {
                try Int.fetchAll($0, sql: "SELECT value FROM entry ORDER BY id")
            }
            try database.close()
            #expect(values.sorted() == [1, 2, 3, 4, 5])
            return values.reduce(0) { 10 * $0 + $1 }
        }
        let queue = try outcomesWithDispatch { try await use(DatabaseQueue()) }
        #expect(queue.count > 20)
        let pool = try outcomesWithDispatch(seeds: 1...50) {
            let path =
                FileManager.default.temporaryDirectory.path
                + "/\(ProcessInfo.processInfo.globallyUniqueString).sqlite"
            defer {
                for ending in ["", "-wal", "-shm"] {
                    try? FileManager.default.removeItem(atPath: path + ending)
                }
            }
            return try await use(DatabasePool(path: path))
        }
        #expect(pool.count > 20)
    }

    @Test func `NIO's channel for asynchronous tests runs as it is`() throws {
        let all = try outcomesWithDispatch {
            let channel = NIOAsyncTestingChannel()
            try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).get()
            async let written: Void = channel.writeAndFlush(ByteBuffer(string: "out")).get()
            try await channel.writeInbound(ByteBuffer(string: "in"))
            try await written
            let task = channel.testingEventLoop.scheduleTask(in: .seconds(10)) { 1 }
            await channel.testingEventLoop.advanceTime(by: .seconds(10))
            let sent = try await channel.readOutbound(as: ByteBuffer.self)
            let received = try await channel.readInbound(as: ByteBuffer.self)
            #expect(try await task.futureResult.get() == 1)
            _ = try await channel.finish()
            return [sent, received].map { $0.map { String(buffer: $0) } }
        }
        #expect(all == [["out", "in"]: 200])
    }
}
#endif
