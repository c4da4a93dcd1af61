import Dispatch
import Foundation
import Simulation

/// What blocks and threads cost in a simulation, beside the steps of tasks; in processor time.
enum ThreadSteps {
    static let benchmark = Benchmark(
        name: "threads",
        summary:
            "a block of a serial queue, and a step of a thread with its switch, beside a task that is made and awaited"
    ) { options in
        let rounds = options.rounds ?? 7
        var (tasks, blocks, ratios, switches, locks) = (Samples(), Samples(), Samples(), Samples(), Samples())
        for round in 0...rounds {
            let task = try nanoseconds(.refused) { await makeTasks() }
            let block = try nanoseconds(.refused) { await runBlocks() }
            let step = try nanoseconds(.simulated) { takeTurns() }
            let lock = try nanoseconds(.simulated) { takeLocks() }
            guard round > 0 else { continue }
            tasks.add(task)
            blocks.add(block)
            ratios.add(block / task)
            switches.add(step)
            locks.add(lock)
        }
        return [
            Finding("threads.task", "ns", tasks), Finding("threads.block", "ns", blocks),
            Finding("threads.block.ratio", "times a task", ratios),
            Finding("threads.switch", "ns", switches), Finding("threads.lock", "ns", locks),
        ]
    }

    private static let count = 200_000

    private static func nanoseconds(
        _ threads: Simulation.Configuration.Threads,
        _ body: @escaping @Sendable () async -> Void
    ) throws -> Double {
        var configuration = Simulation.Configuration()
        configuration.dispatch = .simulated
        configuration.threads = threads
        let simulation = Simulation(seed: 1, configuration: configuration)
        guard simulation.simulatesThreads == (threads == .simulated) else { throw Unavailable() }
        let (_, elapsed) = try Elapsed.of { try simulation.run(body) }
        return elapsed.thread / Double(count) * 1e9
    }

    private struct Unavailable: Error, CustomStringConvertible {
        var description: String { "this machine lets no program change its thread pointer" }
    }

    private static func makeTasks() async { for _ in 0..<count { await Task {}.value } }

    private static func runBlocks() async {
        let queue = DispatchQueue(label: "serial")
        await withCheckedContinuation { done in
            for _ in 1..<count { queue.async {} }
            queue.async { done.resume() }
        }
    }

    /// Two threads that let each other go first: each turn is a step and a switch.
    private static func takeTurns() {
        let ended = DispatchSemaphore(value: 0)
        for _ in 0..<2 {
            Thread {
                for _ in 0..<count / 2 { sched_yield() }
                ended.signal()
            }.start()
        }
        for _ in 0..<2 { ended.wait() }
    }

    /// A lock that is free.
    private static func takeLocks() {
        let lock = NSLock()
        for _ in 0..<count { lock.withLock {} }
    }
}
