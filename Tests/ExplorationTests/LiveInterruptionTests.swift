import Exploration
import Foundation
import Simulation
import Testing

@Suite(
    "Searching among interruptions",
    .enabled(if: Interrupted.areSimulated, "this machine lets no program change its thread pointer"),
    .timeLimit(.minutes(5))
)
struct LiveInterruptionTests {
    @Test
    func `a deadlock of two locked sections shrinks to the interruption that matters, and is the same again`()
        async
    {
        await #expect(processExitsWith: .success) {
            let found = try Sweep(Interrupted.deadlock, seeds: 1...500, jobs: 1).run()
            let run = try #require(found.failures.values.first?.runs.first)
            let shrunk = try Shrinker(Interrupted.deadlock).shrink(run.recipe)
            #expect(shrunk.isMinimal)
            let firings = try #require(shrunk.shrunk.firings)
            #expect(
                firings.count == 1 && firings.allSatisfy { $0.source == "interruption" },
                "\(shrunk.shrunk)"
            )
            let pasted = try #require(Recipe("\(shrunk.shrunk)"))
            #expect(Interrupted.deadlock.run(pasted).failure?.fingerprint == shrunk.failure.fingerprint)
            #expect(Interrupted.deadlock.divergence(pasted) == nil)
        }
    }

    @Test func `one order of locks has no deadlock`() async throws {
        await #expect(processExitsWith: .success) {
            let found = try Sweep(Interrupted.sound, seeds: 1...500, jobs: 1, keepsGoing: true).run()
            #expect(found.failures.isEmpty && found.runs == 500, "\(found.failures)")
        }
    }

    @Test func `decisions repeat a run of threads`() async throws {
        await #expect(processExitsWith: .success) {
            for seed in 1...30 as ClosedRange<UInt64> {
                let first = Interrupted.counter.run(Recipe(seed: seed), recording: .decisions)
                let again = Interrupted.counter.run(first.recipe)
                #expect(first.failure?.fingerprint == again.failure?.fingerprint)
                #expect(Interrupted.counter.divergence(first.recipe) == nil)
            }
        }
    }
}

/// Programs with simulated threads.
enum Interrupted {
    static let areSimulated: Bool = {
        var configuration = Simulation.Configuration()
        configuration.threads = .simulated
        return Simulation(seed: 1, configuration: configuration).simulatesThreads
    }()

    private static func program(_ name: String, _ body: @escaping @Sendable () async throws -> Void)
        -> Program
    {
        var program = Program(name: name, summary: name, body: body)
        var configuration = Simulation.Configuration()
        configuration.threads = .simulated
        program.configuration = configuration
        return program
    }

    private static func lock(_ orders: [[Int]]) async {
        let locks = [NSLock(), NSLock()]
        await withTaskGroup(of: Void.self) { group in
            for order in orders {
                group.addTask { locks[order[0]].withLock { locks[order[1]].withLock {} } }
            }
        }
    }

    static let deadlock = program("deadlock") { await lock([[0, 1], [1, 0]]) }
    static let sound = program("sound") { await lock([[0, 1], [0, 1]]) }

    /// Loses updates now and then.
    static let counter = program("counter") {
        let lock = NSLock()
        let count = Numbers()
        let threads = (1...3).map { _ in
            Thread {
                let seen = lock.withLock { count.value }
                lock.withLock { count.value = seen + 1 }
                count.ended.signal()
            }
        }
        for thread in threads { thread.start() }
        for _ in threads { count.wait() }
        if count.value < 3 { throw Programs.Wrong(what: "lost") }
    }
}

@safe private final class Numbers: @unchecked Sendable {
    // Invariant that makes this Sendable: simulated threads run one at a time.
    var value = 0
    let ended = DispatchSemaphore(value: 0)

    func wait() { ended.wait() }
}
