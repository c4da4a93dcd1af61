import Foundation
import Simulation
import SimulationTesting
import Testing

private actor Tank {
    private(set) var level = 0

    func fill() async {
        let before = level
        await Task.yield()
        level = before + 1
    }
}

@Suite("Failures that the simulated trait makes smaller")
struct ShrinkingTraitTests {
    @Sendable private static func fillTwice() async {
        let tank = Tank()
        await withTaskGroup { group in
            for _ in 0..<2 { group.addTask { await tank.fill() } }
            for _ in 0..<3 { group.addTask { await Task.yield() } }
        }
        #expect(await tank.level == 2)
    }

    private func value(of key: String, in failure: String) throws -> String {
        let line = try #require(failure.split(separator: "\n").first { $0.contains("  \(key): ") })
        return String(line.drop { $0 != ":" }.dropFirst(2))
    }

    @Test func `a failure is recorded once, with a small run, the race, a page and the lines to repeat it`()
        async throws
    {
        let failures = try await failures(of: .simulated(seeds: 1...200), Self.fillTwice)
        let failure = try #require(failures.first)
        #expect(failures.count == 1)
        #expect(failure.contains("race: ShrinkingTraitTests.swift:"))
        #expect(failure.contains("before another task of ShrinkingTraitTests.swift:21 goes on at"))
        #expect(try value(of: "shrunk", in: failure).hasPrefix("1 of "))
        let page = try value(of: "report", in: failure)
        let html = try String(contentsOfFile: page, encoding: .utf8)
        #expect(html.contains("level = before + 1"))
        #expect(try value(of: "reproduce", in: failure).hasPrefix("LENSSIM_RECIPE='seed="))
        #expect(try value(of: "keep", in: failure).hasPrefix("@Test(.replaying(\"seed="))
    }

    @Test func `where every seed fails, the report names the seed and no empty lists`() async throws {
        let failure = try #require(
            try await failures(of: .simulated(seeds: 1...200)) { #expect(Bool(false)) }.first
        )
        #expect(try value(of: "fails", in: failure).hasPrefix("in 1000 of 1000 seeds, so in every order"))
        #expect(try value(of: "keep", in: failure) == "@Test(.replaying(\"seed=1 strategy=portfolio\"))")
        for noise in ["race: ", "shrunk: ", "preemptions=", "faults="] {
            #expect(!failure.contains(noise), "\(failure)")
        }
    }

    @Test func `the recipe that is to be kept fails in the same way`() async throws {
        let failure = try #require(try await failures(of: .simulated(seeds: 1...200), Self.fillTwice).first)
        let recipe = try value(of: "keep", in: failure).split(separator: "\"")[1]
        let kept = try await failures(of: .replaying(String(recipe)), Self.fillTwice)
        #expect(kept.count == 1)
        #expect(kept.first?.contains("virtual") == true)
        let fixed = try await failures(of: .replaying(String(recipe))) { await Task.yield() }
        #expect(fixed.count == 1)
        #expect(
            fixed.first?.hasPrefix("warning: the recipe of this test does not fit the program any more")
                == true
        )
        let runs = Shared(0)
        let worse = try await failures(of: .replaying(String(recipe))) {
            let run = runs.withLock { count in
                count += 1
                return count
            }
            if run > 1 { await Self.fillTwice() }
        }
        #expect(worse.count == 2, "the usual seeds fail")
        #expect(worse.last?.contains("race: ShrinkingTraitTests.swift:") == true, "\(worse)")
    }

    @Test func `an error that is thrown, a deadlock and a violated property are made smaller as well`()
        async throws
    {
        struct Wrong: Error {}
        let thrown = try await failures(of: .simulated(seeds: 1...3)) { throw Wrong() }
        #expect(thrown.count == 1 && thrown[0].hasPrefix("Wrong()") && thrown[0].contains("  keep: "))
        let stuck = try await failures(of: .simulated(seeds: 1...3)) {
            await unsafe withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
        }
        #expect(stuck.count == 1 && stuck[0].hasPrefix("deadlock") && stuck[0].contains("  keep: "))
        let violated = try await failures(of: .simulated(seeds: 1...3)) {
            Simulation.current?.always("it holds") { false }
            await Task.yield()
        }
        #expect(violated.count == 1 && violated[0].contains("it holds") && violated[0].contains("  keep: "))
    }

    @Test func `in one process a run that passes when it is repeated is a failure that says so`() async throws
    {
        let runs = Shared(0)
        let failures = try await failures(of: .simulated(seeds: 7...9)) {
            let run = runs.withLock { count in
                count += 1
                return count
            }
            #expect(run != 2)
        }
        #expect(failures.count == 1)
        let message = "seed 8 failed, and did not when it was run again"
        #expect(failures.first?.contains(message) == true, "\(failures)")
        // What failed, where, and what to do.
        #expect(failures.first?.contains("Expectation failed: (run → 2) != 2") == true, "\(failures)")
        #expect(failures.first?.contains("issue at ShrinkingTraitTests.swift:") == true, "\(failures)")
        #expect(failures.first?.contains("LENSSIM_CHECK_DETERMINISM=1") == true, "\(failures)")
    }

    @Test func `a test that passes runs once for each seed`() async throws {
        let runs = Shared(0)
        let failures = try await failures(of: .simulated(seeds: 1...20)) { runs.withLock { $0 += 1 } }
        #expect(failures.isEmpty)
        #expect(runs.withLock { $0 } == 20)
    }
}
