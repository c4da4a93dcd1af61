import Foundation
import Simulation
import SimulationTesting
import Testing

@Suite("Searches of the simulated trait")
struct SearchingTraitTests {
    @Test func `several seeds run at once, on threads of their own`() async throws {
        let (running, most) = (Shared(0), Shared(0))
        var trait = SimulatedTrait.simulated(seeds: 1...60)
        trait.jobs = 3
        let failures = try await failures(of: trait) {
            let now = running.withLock { count in
                count += 1
                return count
            }
            most.withLock { $0 = max($0, now) }
            // Real time, so that others begin.
            for number in 0..<200_000 where number == -1 { return }
            await Task.yield()
            running.withLock { $0 -= 1 }
        }
        #expect(failures.isEmpty)
        #expect((2...3).contains(most.withLock { $0 }))
    }

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

    @Test func `a run that blocks its thread forever is one failure, and later seeds have another thread`()
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

    @Test func `where runs disturb each other they are run one by one, and the real failure is found`()
        async throws
    {
        let running = Shared(0)
        var trait = SimulatedTrait.simulated(seeds: 1...40)
        trait.jobs = 2
        trait.shrinks = false
        let failures = try await failures(of: trait) {
            let seed = try #require(Simulation.current?.seed)
            let now = running.withLock { count in
                count += 1
                return count
            }
            for _ in 0..<200 { await Task.yield() }
            let isAlone = running.withLock { count in
                count -= 1
                return now == 1
            }
            #expect(isAlone && seed != 38)
        }
        #expect(failures.count == 1)
        #expect(failures.first?.contains("seed 38 · ") == true, "\(failures)")
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
