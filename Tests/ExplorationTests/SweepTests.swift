import Exploration
import Foundation
import Simulation
import Synchronization
import Testing

@Suite("Sweeps")
struct SweepTests {
    private func json(_ result: SweepResult) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return try encoder.encode(result)
    }

    @Test(arguments: [1, 2, 5])
    func `a sweep gives the same result, byte for byte, on any number of threads`(_ jobs: Int) async throws {
        let one = await Sweep(Programs.rare, seeds: 1...3000, jobs: 1, keepsGoing: true).run()
        let many = await Sweep(Programs.rare, seeds: 1...3000, jobs: jobs, keepsGoing: true).run()
        #expect(one.failures.count == 2)
        #expect(try json(one) == json(many))
    }

    @Test(arguments: [1, 3])
    func `a sweep ends at its lowest failing seed`(_ jobs: Int) async throws {
        let all = await Sweep(Programs.rare, seeds: 1...3000, jobs: 2, keepsGoing: true).run()
        let lowest = try #require(all.failures.values.flatMap(\.runs).map(\.recipe.seed).min())
        let first = await Sweep(Programs.rare, seeds: 1...3000, jobs: jobs).run()
        #expect(first.seeds == [1...lowest])
        #expect(first.failedRuns == 1)
        #expect(first.runs == Int(lowest))
    }

    @Test(arguments: [1, 2, 4, 7])
    func `parts of a sweep merge to the whole, byte for byte, in any order`(_ count: Int) async throws {
        let whole = await Sweep(Programs.rare, seeds: 5...2004, jobs: 2, keepsGoing: true).run()
        var parts: [SweepResult] = []
        for number in 1...count {
            let seeds = try #require(Sweep.shard(number, of: count, seeds: 5...2004))
            parts.append(await Sweep(Programs.rare, seeds: seeds, jobs: 2, keepsGoing: true).run())
        }
        var merged = parts.removeLast()
        for part in parts { try merged.merge(part) }
        #expect(try json(merged) == json(whole))
        let read = try JSONDecoder().decode(SweepResult.self, from: json(merged))
        #expect(read == whole)
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

    @Test func `results of other sweeps and of the same seeds are not merged`() async {
        var one = await Sweep(Programs.rare, seeds: 1...10, jobs: 1, keepsGoing: true).run()
        let overlapping = await Sweep(Programs.rare, seeds: 10...20, jobs: 1, keepsGoing: true).run()
        let other = await Sweep(Programs.sound, seeds: 11...20, jobs: 1).run()
        let before = one
        #expect(throws: MergeError.overlap(10...10)) { try one.merge(overlapping) }
        #expect(throws: MergeError.different("rare with portfolio", "sound with portfolio")) {
            try one.merge(other)
        }
        #expect(one == before)
    }

    @Test func `what was never reached is listed with its place, and what was never passed by name`() async {
        let result = await Sweep(Programs.rare, seeds: 1...200, jobs: 1, keepsGoing: true).run()
        let missing = result.neverReached
        #expect(missing.count == 2)
        #expect(missing.contains { $0.contains("an impossible number") && $0.contains("Programs.swift:") })
        #expect(missing.contains { $0.contains("never passed") })
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

    @Test func `time ends a sweep between seeds, and what was run is counted`() async {
        let result = await Sweep(Programs.sound, seeds: 1...UInt64.max, jobs: 2, limit: .zero).run()
        #expect(result.runs <= 2)
    }

    @Test func `a sweep of few seeds uses all its threads`() async {
        // Between seeds a thread waits here until four have come; where they never do, all end after a while.
        let threads = Mutex<Set<UInt>>([])
        let deadline = ContinuousClock.now + .seconds(30)
        var sweep = Sweep(Programs.sound, seeds: 1...200, jobs: 4)
        sweep.isStopped = {
            threads.withLock { _ = $0.insert(UInt(pthread_self())) }
            while threads.withLock({ $0.count }) < 4, ContinuousClock.now < deadline { sched_yield() }
            return ContinuousClock.now >= deadline
        }
        let result = await sweep.run()
        #expect(threads.withLock { $0.count } == 4)
        #expect(result.seeds == [1...200])
        #expect(result.runs == 200)
    }

    @Test func `after a failure the other threads end within their run`() async {
        let others = Mutex<Set<UInt64>>([])
        let late = Mutex<Set<UInt64>>([])
        let hasFailed = Atomic(false)
        let program = Program(name: "first", summary: "fails at the first seed") {
            guard let seed = Simulation.current?.seed else { return }
            if seed == 1 {
                while others.withLock({ $0.isEmpty }) { sched_yield() }
                hasFailed.store(true, ordering: .relaxed)
                throw Programs.Wrong(what: "first")
            }
            others.withLock { _ = $0.insert(seed) }
            while !hasFailed.load(ordering: .relaxed) { sched_yield() }
            late.withLock { _ = $0.insert(seed) }
            // Long enough for the failure to be known in the end.
            work(.milliseconds(20))
        }
        let result = await Sweep(program, strategy: .random, seeds: 1...5000, jobs: 2).run()
        #expect(result.seeds == [1...1])
        #expect(result.failedRuns == 1)
        // One run was under way, and one may have begun before the failure was known.
        #expect(late.withLock { $0.count } <= 10)
    }

    @Test func `progress is reported every 100 ms, and the figures only grow`() async {
        let seen = Mutex<[(time: ContinuousClock.Instant, done: Int)]>([])
        let program = Program(name: "slow", summary: "takes a millisecond of real time") {
            work(.milliseconds(1))
        }
        let start = ContinuousClock.now
        let result = await Sweep(program, seeds: 1...1000, jobs: 2).run { progress in
            seen.withLock { $0.append((.now, progress.done)) }
        }
        let times = seen.withLock { $0.map(\.time) }
        #expect(times.count >= 3)
        // On a busy machine two may come close together, but not more of them than there is time for.
        #expect(times.count <= Int((ContinuousClock.now - start) / .milliseconds(100)) + 1)
        let done = seen.withLock { $0.map(\.done) }
        #expect(done == done.sorted())
        #expect(result.runs == 1000)
    }

    @Test func `a result describes itself in a few lines`() async {
        let result = await Sweep(Programs.rare, seeds: 1...3000, jobs: 2, keepsGoing: true).run()
        let lines = "\(result)".split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines[0].hasPrefix("rare, strategy portfolio, seeds 1...3000: 3000 runs, "))
        #expect(lines[1].contains("× went wrong: four, first by seed="))
        #expect(lines[3].hasPrefix("  never reached: “an impossible number” at "))
        #expect("\(result)".count < 1000)
    }

    @Test func `counts of schedules that merge count what either has seen, once`() {
        var counts = [DistinctCount(), DistinctCount(), DistinctCount()]
        for number in 0..<3000 as Range<UInt64> {
            // Fibonacci hashing spreads the numbers over all bits.
            let hash = (number &* 0x9e37_79b9_7f4a_7c15) ^ (number &* 0xbf58_476d_1ce4_e5b9) >> 7
            counts[Int(number % 2)].add(hash)
            counts[2].add(hash)
        }
        let (whole, part) = (counts[2], counts[1])
        #expect(part.estimate > 1300 && part.estimate < 1700)
        counts[0].merge(part)
        #expect(counts[0] == whole)
        counts[0].merge(part)
        #expect(counts[0] == whole)
    }
}

/// Keeps the calling thread busy, for real, also inside a simulation: this clock is not the simulation's.
private func work(_ duration: Duration) {
    func processorTime() -> Duration {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
    let end = processorTime() + duration
    while processorTime() < end {}
}
