import BugZoo
import Exploration
import Simulation
import Synchronization
import Testing

@Suite("Memory of runs")
struct MemoryTests {
    /// Sees the simulation of a run, and does not hold it.
    private final class Watcher: Sendable {
        private struct Seen: Sendable { weak var simulation: Simulation? }
        private let seen = Mutex<Seen?>(nil)

        func look() { seen.withLock { $0 = Seen(simulation: Simulation.current) } }
        var hasSeen: Bool { seen.withLock { $0 != nil } }
        var isLeft: Bool { seen.withLock { $0?.simulation != nil } }
    }

    @Test(arguments: Zoo.all.filter { [.network, .disk, .time].contains($0.kind) })
    func `a run leaves nothing in memory, with its networks, disks and nodes`(_ program: ZooProgram) {
        var seen = 0
        for seed in UInt64(1)...40 {
            let watcher = Watcher()
            let result = program.fixed.run(Recipe(seed: seed)) { configuration in
                configuration.onEvent = { _ in watcher.look() }
            }
            #expect(result.failure == nil)
            #expect(!watcher.isLeft, "seed \(seed)")
            // A run without any event is not seen.
            if watcher.hasSeen { seen += 1 }
        }
        #expect(seen > 0)
    }
}
