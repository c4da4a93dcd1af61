import AppKernel
import COutboxLoop
import Foundation

/// Entries that are added to a queue, beside a loop in C over SQLite with the same tables, journal and transactions.
enum OutboxAdding {
    private static let count = 20_000

    private struct Failed: Error { var text: String }

    static let benchmark = Benchmark(
        name: "outbox.add",
        summary:
            "entries added with synchronous=NORMAL, one in a transaction and 100, beside a loop in C over SQLite"
    ) { options in
        var findings: [Finding] = []
        for (name, batch) in [("single", 1), ("batch", 100)] {
            findings += try await measure(name, batch, rounds: options.rounds ?? 7)
        }
        return findings
    }

    private static func measure(_ name: String, _ batch: Int, rounds: Int) async throws -> [Finding] {
        var walls = Samples()
        let (ours, theirs) = try await alternate(rounds: rounds) {
            let queue = try BenchmarkedOutbox()
            let (_, elapsed) = try Elapsed.of { try queue.add(0..<count, batch: batch) }
            walls.add(Double(count) / elapsed.wall)
            return Double(count) / elapsed.thread
        } _: {
            // It makes the tables, and is closed before the loop begins.
            let queue = try BenchmarkedOutbox()
            try queue.database.close()
            guard let loop = unsafe outbox_loop_open(queue.folder + "/app.sqlite", 4_000) else {
                throw Failed(text: "the loop in C cannot open the database")
            }
            defer { unsafe outbox_loop_close(loop) }
            let (status, elapsed) = Elapsed.of {
                unsafe outbox_loop_add(loop, 0, Int64(count), Int64(batch))
            }
            guard status == 0 else { throw Failed(text: "the loop in C has failed with \(status)") }
            return Double(count) / elapsed.thread
        }
        let id = "outbox.add.\(name)"
        return [
            Finding("\(id).ours", "entries/core s", ours),
            Finding("\(id).wall", "entries/s", walls),
            Finding("\(id).c", "entries/core s", theirs),
            Finding("\(id).ratio", "×", ours.divided(by: theirs)),
        ]
    }
}
