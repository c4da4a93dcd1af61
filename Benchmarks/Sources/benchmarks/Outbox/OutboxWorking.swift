import AppKernel
import Concurrency
import Foundation
import GRDB

/// What a worker needs for an entry, from taking it to its end, where 1,000 wait and where a million do.
enum OutboxWorking {
    private static let entries = 500

    static let benchmark = Benchmark(
        name: "outbox.work",
        summary: "entries that a worker takes and finishes, with 1,000 and with 1,000,000 that wait"
    ) { options in
        let (few, many) = (try BenchmarkedOutbox(), try BenchmarkedOutbox())
        try few.add(0..<1_000, batch: 1_000)
        try many.add(0..<1_000_000, batch: 10_000)
        var next = 1_000_000
        func round(_ queue: BenchmarkedOutbox) async throws -> Double {
            let (done, seconds) = await work(queue.outbox)
            // So that as many wait in the next round.
            try queue.add(next..<next + done, batch: done)
            next += done
            return Double(done) / seconds
        }
        let (fast, slow) = try await alternate(rounds: options.rounds ?? 15) {
            try await round(few)
        } _: {
            try await round(many)
        }
        return [
            Finding("outbox.work.thousand", "entries/core s", fast),
            Finding("outbox.work.million", "entries/core s", slow),
            Finding("outbox.work.slowdown", "×", fast.divided(by: slow)),
        ]
    }

    /// Lets a worker work until it has done at least so many, and says how many it has, in how many core seconds.
    private static func work(_ outbox: Outbox<Upload>) async -> (done: Int, seconds: Double) {
        let effect = CountingEffect()
        let worker = OutboxWorker(outbox: outbox, effect: effect)
        let start = Elapsed.now(CLOCK_PROCESS_CPUTIME_ID)
        let running = Task { await worker.run() }
        for await done in effect.done.values() where done >= entries { break }
        running.cancel()
        await running.value
        return (effect.done.value, Elapsed.now(CLOCK_PROCESS_CPUTIME_ID) - start)
    }

    private final class CountingEffect: OutboxEffect {
        let done = CurrentValue(0)

        func perform(_ attempt: OutboxAttempt<Upload>) async -> OutboxOutcome<Upload> { .done("stored") }

        func record(_ receipt: String, of entry: OutboxEntry<Upload>, in database: Database) {
            done.update { $0 += 1 }
        }
    }
}
