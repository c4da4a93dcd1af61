import Simulation
import Synchronization

/// 100,000 seeds of a program with a global actor and a node that crashes, in two sweeps at once: nothing may fail, and memory
/// stays flat.
enum SharedActors {
    @globalActor private actor Registry {
        static let shared = Registry()
        @Registry static var visits = 0
        @Registry static func visit() async {
            visits += 1
            await Task.yield()
        }
    }

    static let benchmark = Benchmark(
        name: "shared-actors",
        summary: "100,000 seeds with a global actor and crashes of nodes, in two sweeps at once"
    ) { options in
        let seeds = UInt64(50_000)
        let tally = Tally()
        await withTaskGroup(of: Void.self) { group in
            for sweep in 0..<UInt64(2) {
                group.addTask {
                    for seed in 1...seeds {
                        if !succeeds(seed: sweep << 32 | seed) { tally.fail() }
                        if sweep == 0, seed == seeds / 4 { tally.noteQuarter() }
                    }
                }
            }
        }
        let end = ProcessMemory.read()
        let growth = Double(end.resident) / Double(tally.quarter?.resident ?? 1)
        return [
            Finding("shared-actors.failures", "runs", Samples([Double(tally.failures)])),
            Finding("shared-actors.memory", "MiB", Samples([Double(end.resident) / 1_048_576])),
            Finding("shared-actors.growth", "×", Samples([growth])),
        ]
    }

    private final class Tally: Sendable {
        private let state = Mutex<(failures: Int, quarter: ProcessMemory?)>((0, nil))
        var failures: Int { state.withLock { $0.failures } }
        var quarter: ProcessMemory? { state.withLock { $0.quarter } }
        func fail() { state.withLock { $0.failures += 1 } }
        func noteQuarter() { state.withLock { $0.quarter = ProcessMemory.read() } }
    }

    private static func succeeds(seed: UInt64) -> Bool {
        // As sweeps and tests run it.
        let simulation = Simulation(
            seed: seed,
            configuration: Recipe(seed: seed, strategy: .portfolio).configuration
        )
        do {
            try simulation.run {
                guard let simulation = Simulation.current else { return }
                let node = simulation.node("server")
                node.start {
                    while !Task.isCancelled {
                        await Registry.visit()
                        try? await Task.sleep(for: .milliseconds(1))
                    }
                }
                for _ in 0..<Int.random(in: 0..<20) { await Task.yield() }
                node.crash()
                await Registry.visit()
                node.restart()
                try await Task.sleep(for: .milliseconds(3))
                await Registry.visit()
                node.crash()
            }
            return true
        } catch {
            progress("shared-actors: seed \(seed): \(error)")
            return false
        }
    }
}
