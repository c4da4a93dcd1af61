import Exploration
import Foundation
import Simulation
import Synchronization
import Testing

/// What a sweep does in real time, and to its processes; in a process where no other test runs, since a fork has one thread.
@Suite("Sweeps in real time", .timeLimit(.minutes(10)))
struct LiveSweepTests {
    @Test(arguments: [1, 2, 5])
    func `a sweep gives the same result, byte for byte, on any number of workers`(_ jobs: Int) async throws {
        await #expect(processExitsWith: .success) { [jobs] in
            let one = try Sweep(Programs.rare, seeds: 1...3000, jobs: 1, keepsGoing: true).run()
            let many = try Sweep(Programs.rare, seeds: 1...3000, jobs: jobs, keepsGoing: true).run()
            #expect(one.failures.count == 2)
            #expect(try one.encoded() == many.encoded())
        }
    }

    @Test(arguments: [1, 3])
    func `a sweep ends at its lowest failing seed`(_ jobs: Int) async throws {
        await #expect(processExitsWith: .success) { [jobs] in
            let all = try Sweep(Programs.rare, seeds: 1...3000, jobs: 2, keepsGoing: true).run()
            let lowest = try #require(all.failures.values.flatMap(\.runs).map(\.recipe.seed).min())
            let first = try Sweep(Programs.rare, seeds: 1...3000, jobs: jobs).run()
            #expect(first.seeds == [1...lowest])
            #expect(first.failedRuns == 1)
            #expect(first.runs == Int(lowest))
        }
    }

    @Test(arguments: [1, 2, 4, 7])
    func `parts of a sweep merge to the whole, byte for byte, in any order`(_ count: Int) async throws {
        await #expect(processExitsWith: .success) { [count] in
            let whole = try Sweep(Programs.rare, seeds: 5...2004, jobs: 2, keepsGoing: true).run()
            var parts: [SweepResult] = []
            for number in 1...count {
                let seeds = try #require(Sweep.shard(number, of: count, seeds: 5...2004))
                parts.append(try Sweep(Programs.rare, seeds: seeds, jobs: 2, keepsGoing: true).run())
            }
            var merged = parts.removeLast()
            for part in parts { try merged.merge(part) }
            #expect(try merged.encoded() == whole.encoded())
            let read = try JSONDecoder().decode(SweepResult.self, from: merged.encoded())
            #expect(read == whole)
        }
    }

    /// The watchdog looks every 100 ms, and this run opens files for longer than that.
    @Test func `the engine takes no descriptor while a run makes steps`() async throws {
        await #expect(processExitsWith: .success) {
            @Sendable func lowestDescriptor() -> CInt {
                let file = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
                close(file)
                return file
            }
            let program = Program(name: "files", summary: "opens and closes a file in each step") {
                let first = lowestDescriptor()
                for _ in 0..<8_000 {
                    for _ in 0..<20 {
                        let next = lowestDescriptor()
                        if next != first { throw Programs.Wrong(what: "\(next), and \(first) before") }
                    }
                    await Task.yield()
                }
            }
            let result = try Sweep(program, seeds: 1...2, jobs: 1).run()
            #expect(result.failures.isEmpty, "\(result.failures)")
        }
    }

    @Test func `time ends a sweep between seeds, and what was run is counted`() async throws {
        await #expect(processExitsWith: .success) {
            let runs = try lines { note in
                let program = Program(name: "counted", summary: "counts its runs") {
                    note("\(Simulation.current?.seed ?? 0)")
                    await Task.yield()
                }
                let sweep = Sweep(
                    program,
                    strategy: .random,
                    seeds: 1...UInt64.max,
                    jobs: 2,
                    limit: .milliseconds(300)
                )
                let result = try sweep.run()
                note("result \(result.runs) \(result.seeds.reduce(0) { $0 + $1.count })")
            }
            let last = try #require(runs.last).split(separator: " ")
            #expect(runs.count > 1)
            // Some seeds run more than once.
            let seeds = Set(runs.dropLast())
            #expect(last.dropFirst().allSatisfy { Int($0) == seeds.count })
        }
    }

    @Test func `a sweep of few seeds uses all its workers`() async throws {
        await #expect(processExitsWith: .success) {
            let processes = try lines { note in
                let program = Program(name: "slow", summary: "takes five milliseconds of real time") {
                    keepBusy(.milliseconds(5))
                    note("\(getpid())")
                }
                let result = try Sweep(program, strategy: .random, seeds: 1...200, jobs: 4).run()
                #expect(result.seeds == [1...200])
                #expect(result.runs == 200)
            }
            #expect(processes.count >= 200)
            // Some seeds run once more, in a process of their own.
            let workers = Dictionary(grouping: processes) { $0 }.filter { $0.value.count > 1 }
            #expect(workers.count == 4)
        }
    }

    @Test func `after a failure the other workers end within their run`() async throws {
        await #expect(processExitsWith: .success) {
            let late = try lines { note in
                let program = Program(name: "first", summary: "fails at the first seed") {
                    let seed = Simulation.current?.seed ?? 0
                    note("\(seed)")
                    keepBusy(.milliseconds(2))
                    if seed == 1 { throw Programs.Wrong(what: "first") }
                }
                let result = try Sweep(program, strategy: .random, seeds: 1...5000, jobs: 2).run()
                #expect(result.seeds == [1...1])
                #expect(result.failedRuns == 1)
            }
            #expect(late.count < 1000)
        }
    }

    @Test func `a failure that needs earlier seeds in the process is none, and the static variable is named`()
        async throws
    {
        await #expect(processExitsWith: .success) {
            let program = Program(name: "counting", summary: "fails once the process has made thirty runs") {
                if await Runs.shared.count() > 30 { throw Programs.Wrong(what: "late") }
            }
            var sweep = Sweep(program, strategy: .random, seeds: 1...200, jobs: 2)
            let result = try sweep.run()
            #expect(result.runs == 200 && result.seeds == [1...200])
            #expect(result.failures.isEmpty)
            let statics = try #require(result.statics)
            #expect(statics.failure?.message.contains("late") == true)
            #expect(statics.initialised.contains { $0.contains("LiveSweepTests.swift:") }, "\(statics)")
            // The same as with a process for each seed from the beginning.
            sweep.isolation = .seed
            var isolated = try sweep.run()
            #expect(isolated.statics == nil)
            isolated.statics = statics
            #expect(try isolated.encoded() == result.encoded())
        }
    }

    @Test func `a worker that is ended from outside costs its seed, and no other`() async throws {
        await #expect(processExitsWith: .success) {
            let program = Program(name: "killed", summary: "one seed kills its process") {
                if Simulation.current?.seed == 30 { kill(getpid(), SIGKILL) }
            }
            let result = try Sweep(program, strategy: .random, seeds: 1...100, jobs: 2, keepsGoing: true)
                .run()
            #expect(result.runs == 100 && result.seeds == [1...100])
            #expect(result.failures.values.flatMap(\.runs).map(\.recipe.seed) == [30])
        }
    }

    @Test func `progress is reported every 100 ms, and the figures only grow`() async throws {
        await #expect(processExitsWith: .success) {
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
}

/// Calls `body` with a file to which each run of a process adds a line, and gives the lines.
func lines(_ body: (_ note: @escaping @Sendable (String) -> Void) throws -> Void) throws
    -> [String]
{
    let path = FileManager.default.temporaryDirectory.appending(path: "lenssim-sweep-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data().write(to: URL(filePath: path))
    try body { line in
        let file = unsafe open(path, O_WRONLY | O_APPEND)
        let bytes = Array("\(line)\n".utf8)
        _ = unsafe write(file, bytes, bytes.count)
        close(file)
    }
    return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
}

/// Counts the runs of its process.
private actor Runs {
    static let shared = Runs()
    private var runs = 0

    func count() -> Int {
        runs += 1
        return runs
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
