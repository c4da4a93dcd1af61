import Exploration
import Foundation
import Simulation
import Synchronization
import Testing

/// What a sweep does in real time, and on threads that wait for each other.
@Suite("Sweeps in real time", .timeLimit(.minutes(10)))
struct LiveSweepTests {
    @Test func `time ends a sweep between seeds, and what was run is counted`() async {
        let ended = Atomic(0)
        let program = Program(name: "counted", summary: "counts its runs") {
            await Task.yield()
            ended.add(1, ordering: .relaxed)
        }
        let sweep = Sweep(
            program,
            strategy: .random,
            seeds: 1...UInt64.max,
            jobs: 2,
            limit: .milliseconds(300)
        )
        let result = await sweep.run()
        #expect(result.runs > 0 && result.runs == ended.load(ordering: .relaxed))
        #expect(result.seeds.reduce(0) { $0 + $1.count } == result.runs)
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
            keepBusy(.milliseconds(20))
        }
        let result = try Sweep(program, strategy: .random, seeds: 1...5000, jobs: 2).run()
        #expect(result.seeds == [1...1])
        #expect(result.failedRuns == 1)
        // One run was under way, and one may have begun before the failure was known.
        #expect(late.withLock { $0.count } <= 10)
    }

    @Test func `progress is reported every 100 ms, and the figures only grow`() async {
        let seen = Mutex<[(time: ContinuousClock.Instant, done: Int)]>([])
        let program = Program(name: "slow", summary: "takes a millisecond of real time") {
            keepBusy(.milliseconds(1))
        }
        let start = ContinuousClock.now
        let result = try Sweep(program, seeds: 1...1000, jobs: 2).run { progress in
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
}

/// Keeps the calling thread busy, for real, also inside a simulation: this clock is not the simulation's.
private func keepBusy(_ duration: Duration) {
    func processorTime() -> Duration {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
    let end = processorTime() + duration
    while processorTime() < end {}
}
