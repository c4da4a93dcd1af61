import Exploration
import Foundation
import Probes
import Simulation
import Synchronization
import Testing

@Suite("Sweeps")
struct SweepTests {
    /// A sweep in this process: other tests run here, with threads that a fork would leave in the middle of things.
    private func sweep(
        _ program: Program,
        _ seeds: ClosedRange<UInt64>
    ) throws -> SweepResult {
        var sweep = Sweep(program, seeds: seeds, jobs: 1, keepsGoing: true)
        sweep.isolation = .none
        return try sweep.run()
    }

    @Test func `every seed is in one shard, also where there are more shards than seeds`() {
        for (seeds, count) in [(1...10, 3), (0...0, 4), (7...13, 7), (0...UInt64.max, 5), (3...5, 8)] {
            let shards = (1...count).compactMap { Sweep.shard($0, of: count, seeds: seeds) }
            #expect(shards.first?.lowerBound == seeds.lowerBound)
            #expect(shards.last?.upperBound == seeds.upperBound)
            for (one, next) in zip(shards, shards.dropFirst()) {
                #expect(one.upperBound + 1 == next.lowerBound)
            }
        }
    }

    @Test func `results of other sweeps and of the same seeds are not merged`() async throws {
        var one = try sweep(Programs.rare, 1...10)
        let overlapping = try sweep(Programs.rare, 10...20)
        let other = try sweep(Programs.sound, 11...20)
        let before = one
        #expect(throws: MergeError.overlap(10...10)) { try one.merge(overlapping) }
        #expect(throws: MergeError.different("rare with portfolio", "sound with portfolio")) {
            try one.merge(other)
        }
        #expect(one == before)
    }

    @Test func `what was never reached is listed with its place, and what was never passed by name`()
        async throws
    {
        let result = try sweep(Programs.rare, 1...200)
        let missing = result.neverReached
        #expect(missing.count == 2)
        #expect(missing.contains { $0.contains("an impossible number") && $0.contains("Programs.swift:") })
        #expect(missing.contains { $0.contains("never passed") })
    }

    @Test func `a check counts the runs in which it held, however often it did`() async throws {
        let program = Program(name: "points", summary: "passes a fault point ten times") {
            Simulation.current?.arm(faultPoint: "a.point", probability: 0.2)
            for _ in 0..<10 { faultPoint("a.point") }
        }
        let result = try sweep(program, 1...200)
        let check = try #require(result.checks.first { $0.kind == .faultPoint })
        #expect(check.evaluations == 2000 && (300...500).contains(check.hits))
        // In about one run of ten it does not fire at all.
        #expect((160...195).contains(check.hitRuns))
    }

    @Test func `different schedules are counted to within a few per cent`() {
        var count = DistinctCount()
        var entropy = EntropyStream(seed: 1, label: "count")
        for expected in [10, 1000, 100_000] {
            count = DistinctCount()
            for _ in 0..<expected {
                let value = entropy.next()
                count.add(value)
                count.add(value)
            }
            #expect(abs(count.estimate - expected) * 20 <= expected)
        }
    }

    @Test func `a result describes itself in a few lines`() async throws {
        let result = try sweep(Programs.rare, 1...3000)
        let lines = "\(result)".split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines[0].hasPrefix("rare, strategy portfolio, seeds 1...3000: 3000 runs, "))
        #expect(lines[1].contains("× went wrong: four, first by seed="))
        #expect(lines[3].hasPrefix("  never reached: “an impossible number” at "))
        #expect("\(result)".count < 1000)
    }

    @Test(arguments: [(60, 2), (400, 2), (3000, 2), (3000, 50)])
    func `counts of schedules that merge count what either has seen, once`(_ all: UInt64, _ every: UInt64)
        throws
    {
        // Few values and many are kept in different ways.
        var (first, second, whole) = (DistinctCount(), DistinctCount(), DistinctCount())
        for number in 0..<all {
            // Fibonacci hashing spreads the numbers over all bits.
            let hash = (number &* 0x9e37_79b9_7f4a_7c15) ^ (number &* 0xbf58_476d_1ce4_e5b9) >> 7
            if number.isMultiple(of: every) { first.add(hash) } else { second.add(hash) }
            whole.add(hash)
        }
        let parts = [(first, all / every), (second, all - all / every)]
        for (part, count) in parts { #expect(abs(part.estimate - Int(count)) * 7 <= Int(count)) }
        for (index, part) in parts.enumerated() {
            var merged = part.0
            merged.merge(parts[1 - index].0)
            #expect(merged == whole)
            merged.merge(parts[1 - index].0)
            #expect(merged == whole)
            #expect(
                try JSONDecoder().decode(DistinctCount.self, from: JSONEncoder().encode(part.0)) == part.0
            )
        }
        #expect(first != whole)
    }
}
