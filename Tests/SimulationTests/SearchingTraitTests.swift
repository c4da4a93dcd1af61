import Foundation
import Simulation
import SimulationTesting
import Synchronization
import Testing

@Suite("Searches of the simulated trait")
struct SearchingTraitTests {
    @Test func `without a number of seeds a test is searched for a second at most`() async throws {
        let quick = Shared(0)
        var start = ContinuousClock.now
        #expect(try await failures(of: .simulated) { quick.withLock { $0 += 1 } }.isEmpty)
        // A machine that has no time for it comes to the end of the second.
        #expect(quick.withLock { $0 } == 1000 || ContinuousClock.now - start >= .seconds(1))
        let slow = Shared(0)
        start = ContinuousClock.now
        let failures = try await failures(of: .simulated) {
            slow.withLock { $0 += 1 }
            for _ in 0..<20_000 { await Task.yield() }
        }
        #expect(failures.isEmpty)
        #expect((1..<1000).contains(slow.withLock { $0 }))
        #expect(ContinuousClock.now - start >= .seconds(1))
    }

    @Test func `a run that blocks its thread forever is one failure`()
        async throws
    {
        var trait = SimulatedTrait.simulated(seeds: 1...30)
        trait.jobs = 2
        trait.shrinks = false
        let failures = try await failures(of: trait) {
            try await Task.sleep(for: .milliseconds(3))
            if let seed = Simulation.current?.seed, seed >= 20 { DispatchSemaphore(value: 0).wait() }
        }
        #expect(failures.count == 1)
        #expect(failures.first?.contains("seed 20 · ") == true, "\(failures)")
    }

    @Test func `task-local values of the test are seen in each run`() async throws {
        let seen = Shared(0)
        try await Locale.$name.withValue("de") {
            var trait = SimulatedTrait.simulated(seeds: 1...20)
            trait.jobs = 2
            let failures = try await failures(of: trait) {
                if Locale.name == "de" { seen.withLock { $0 += 1 } }
            }
            #expect(failures.isEmpty)
        }
        #expect(seen.withLock { $0 } == 20)
    }

    private enum Locale {
        @TaskLocal static var name = "en"
    }
}

/// What one seed leaves in the process is there for those that come later in the same worker, and for no other test.
@Suite("Statics of simulated tests", .simulated(seeds: 1...400))
struct StaticsTests {
    @MainActor private final class Singletons {
        static let shared = Singletons()
        var items: [String] = []
        func add(_ item: String) { items.append(item) }
    }

    @globalActor private actor LogActor {
        static let shared = LogActor()
        static let lock = NSLock()
        static func log() {
            lock.lock()
            defer { lock.unlock() }
            Task { @LogActor in _ = 1 }
        }
    }

    @LogActor private final class Closer {
        nonisolated init() {}
        isolated deinit {}
    }

    @Test func `statics of the main actor are used by one seed at a time`() async throws {
        for number in 0..<20 {
            await Singletons.shared.add("\(number)")
            await Task.yield()
        }
    }

    @Test func `a task for a global actor may be made under a lock`() async throws {
        for _ in 0..<10 {
            LogActor.log()
            await Task.yield()
        }
    }

    @Test func `isolated deinitialisers run on the actor of the process`() async throws {
        for _ in 0..<5 {
            _ = Closer()
            await Task.yield()
        }
    }

    @Test func `the process that forks workers has one thread`() async throws {
        let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(getppid())/task")
        #expect(threads.count == 1)
    }

    private static let runs = Mutex(0)

    @Test func `seeds come one after the other in a worker, which begins with fresh statics`() async throws {
        let run = Self.runs.withLock { runs in
            runs += 1
            return runs
        }
        let seed = try #require(Simulation.current?.seed)
        #expect(run <= Int(seed))
    }
}

/// Tests that come one after the other: those before the one that a process is for are over there at once.
@Suite("Serialized simulated tests", .serialized, .simulated(seeds: 1...2))
struct SerializedTests {
    @Test(arguments: 1...3) func `each case of one runs in its turn`(_ number: Int) async throws {
        try await Task.sleep(for: .seconds(number))
        #expect(try #require(Simulation.current).now >= .seconds(number))
    }

    @Test func `the last one runs too`() { #expect(Simulation.current != nil) }
}

@Suite("Traits of suites and of their tests", .simulated(seeds: 1...3))
struct NestedTraitTests {
    @Test(.simulated(seeds: 11...12)) func `a test's own trait stands above that of its suite`() throws {
        let seed = try #require(Simulation.current?.seed)
        #expect((11...12).contains(seed))
    }

    @Test func `others have the suite's`() throws {
        let seed = try #require(Simulation.current?.seed)
        #expect((1...3).contains(seed))
    }
}
