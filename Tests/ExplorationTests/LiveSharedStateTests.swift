import Exploration
import Foundation
import SharedState
import Simulation
import Synchronization
import Testing

/// What runs of one process leave to each other; in a process where no other test runs, since a fork has one thread.
@Suite("State that seeds share", .timeLimit(.minutes(10)))
struct LiveSharedStateTests {
    // `make shared-state` runs all ways with many more seeds.
    @Test func `what leaves nothing for others gives the same in workers as with a process for each seed`()
        async
    {
        await #expect(processExitsWith: .success) {
            for way in Way.all where !way.isAffected {
                let result = try Comparison(way, seeds: 1...16, jobs: 2).compare(jobs: 2)
                #expect(result.differences == [], "\(way.name)")
                #expect(result.dependence == nil, "\(way.name)")
            }
        }
    }

    @Test(
        arguments: [
            "first-use-race", "hidden-by-a-cache", "fails-late-and-else", "poisoned", "async-queue",
            "environment-left",
        ]
    )
    func `what depends on others gives the same in workers as with a process for each seed`(_ name: String)
        async
    {
        await #expect(processExitsWith: .success) { [name] in
            let way = try #require(Way.all.first { $0.name == name })
            let result = try Comparison(way, seeds: 1...80, jobs: 2).compare(jobs: 2)
            #expect(result.differences == [])
            #expect(result.dependence != nil)
        }
    }

    @Test func `a failure that earlier seeds of a process hide is found all the same`() async throws {
        await #expect(processExitsWith: .success) {
            let program = Program(
                name: "started",
                summary: "fails where two tasks start what is started once"
            ) {
                async let other: Void = Service.shared.start()
                await Service.shared.start()
                await other
                if await Service.shared.starts > 1 { throw Programs.Wrong(what: "started twice") }
            }
            var sweep = Sweep(program, strategy: .random, seeds: 1...200, jobs: 2, keepsGoing: true)
            let result = try sweep.run()
            #expect(result.failedRuns > 20)
            let statics = try #require(result.statics)
            #expect(statics.failure == nil)
            #expect(statics.initialised.contains { $0.contains("LiveSharedStateTests.swift:") }, "\(statics)")
            sweep.isolation = .seed
            var alone = try sweep.run()
            alone.statics = statics
            #expect(try alone.encoded() == result.encoded())
        }
    }

    @Test func `what changes other runs and not itself is found in a fresh process`() async throws {
        await #expect(processExitsWith: .success) {
            let program = Program(name: "names", summary: "numbers names in their order, and yields as often")
            {
                for _ in 0..<Numbers.number(of: Int.random(in: 0..<10)) { await Task.yield() }
            }
            let result = try Sweep(program, strategy: .random, seeds: 1...1000, jobs: 1).run()
            #expect(result.statics != nil)
            #expect(result.steps == 1000)
        }
    }

    @Test func `runs are repeated in proportion to the seeds, and few are in a process of their own`()
        async throws
    {
        await #expect(processExitsWith: .success) {
            let runs = try lines { note in
                let program = Program(name: "counted", summary: "counts its runs") { note("\(getpid())") }
                let result = try Sweep(program, strategy: .random, seeds: 1...1000, jobs: 1).run()
                #expect(result.runs == 1000)
                #expect(result.statics == nil)
            }
            let byProcess = Dictionary(grouping: runs) { $0 }.values.map(\.count).sorted()
            // At once 32; the first one after 32, 128 and 512 runs, and at the end; alone the seeds 9, 17, 33 up to 513.
            #expect(byProcess == [1, 1, 1, 1, 1, 1, 1, 1036])
        }
    }

    @Test func `a single seed runs once`() async throws {
        await #expect(processExitsWith: .success) {
            let runs = try lines { note in
                let program = Program(name: "counted", summary: "counts its runs") { note("run") }
                _ = try Sweep(program, strategy: .random, seeds: 7...7, jobs: 1).run()
            }
            #expect(runs.count == 1)
        }
    }

    @Test func `a run that does not end after others is ended soon, and counts with a process of its own`()
        async throws
    {
        await #expect(processExitsWith: .success) {
            let program = Program(name: "beat", summary: "waits for a task of the process") {
                let before = Pulse.beats.load(ordering: .relaxed)
                Pulse.begin()
                while Pulse.beats.load(ordering: .relaxed) == before {
                    try await Task.sleep(for: .milliseconds(1))
                }
            }
            let result = try Sweep(program, strategy: .random, seeds: 1...20, jobs: 2, keepsGoing: true).run()
            #expect(result.failures.isEmpty)
            #expect(result.statics != nil)
            #expect(result.steps < 20_000)
        }
    }
}

private actor Service {
    static let shared = Service()
    private(set) var starts = 0
    private var isStarted = false

    func start() async {
        if isStarted { return }
        await Task.yield()
        starts += 1
        isStarted = true
    }
}

private enum Numbers {
    private static let numbers = Mutex<[Int: Int]>([:])

    static func number(of name: Int) -> Int {
        numbers.withLock { numbers in
            let number = numbers[name] ?? numbers.count
            numbers[name] = number
            return number
        }
    }
}

private enum Pulse {
    static let beats = Atomic(0)
    private static let task = Task {
        while !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(10))
            beats.add(1, ordering: .relaxed)
        }
    }
    static func begin() { _ = task }
}
