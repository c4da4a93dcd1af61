import CSimulation
import Simulation
import SimulationTesting
import Testing

/// A clock of the program's own, which counts what is asked of it.
private final class CountingClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    let now = Instant(offset: .zero)
    let minimumResolution = Duration.nanoseconds(1)
    let sleeps: Shared<Int>

    init(_ sleeps: Shared<Int>) { self.sleeps = sleeps }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws { sleeps.withLock { $0 += 1 } }
}

@Suite("Sleeping", .simulated(seeds: 1...10, strategy: .random, stalls: .none))
struct SleepTests {
    @Test func `a cancelled sleep ends at once, with the usual error`() async throws {
        let start = ContinuousClock.now
        let sleeper = Task { try await Task.sleep(for: .seconds(100)) }
        try await Task.sleep(for: .seconds(1))
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(ContinuousClock.now - start == .seconds(1))
    }

    @Test func `a task that is cancelled already does not sleep`() async throws {
        let start = ContinuousClock.now
        let sleeper = Task {
            while !Task.isCancelled { await Task.yield() }
            try await Task.sleep(for: .seconds(100))
        }
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(ContinuousClock.now == start)
    }

    @Test func `a sleep that is over cannot be cancelled any more`() async throws {
        let sleeper = Task {
            try await Task.sleep(for: .seconds(1))
            return try? await Task.sleep(for: .seconds(50))
        }
        try await Task.sleep(for: .seconds(2))
        sleeper.cancel()
        #expect(try await sleeper.value == nil)
    }

    @Test func `a sleep whose time has come ends well, though its task is cancelled before it goes on`()
        async throws
    {
        let sleeper = Task { try await Task.sleep(for: .seconds(1)) }
        try await Task.sleep(for: .seconds(1))
        sleeper.cancel()
        try await sleeper.value
    }

    @Test func `sleepers wake in the order of their times`() async throws {
        let order = Shared<[Int]>([])
        await withTaskGroup { group in
            for number in [5, 3, 9, 1, 7] {
                group.addTask {
                    try? await Task.sleep(for: .seconds(number))
                    order.withLock { $0.append(number) }
                }
            }
        }
        #expect(order.withLock { $0 } == [1, 3, 5, 7, 9])
    }

    @Test func `a timer that is due fires although other tasks are always ready`() async throws {
        let simulation = try #require(Simulation.current)
        let timeout = Task { try await Task.sleep(for: .milliseconds(10)) }
        let fired = Shared(false)
        Task {
            try await timeout.value
            fired.withLock { $0 = true }
        }
        var turns = 0
        while !fired.withLock({ $0 }), turns < 1000 {
            simulation.passTime(.milliseconds(1))
            await Task.yield()
            turns += 1
        }
        #expect(turns < 100)
    }

    @Test func `a sleep until the past is none`() async throws {
        let start = ContinuousClock.now
        try await Task.sleep(until: start - .seconds(5))
        #expect(ContinuousClock.now == start)
    }

    @Test func `a clock of the program's own sleeps in its own way`() async throws {
        let sleeps = Shared(0)
        try await CountingClock(sleeps).sleep(until: .init(offset: .seconds(1)), tolerance: nil)
        try await Task.sleep(for: .seconds(1), clock: CountingClock(sleeps))
        #expect(sleeps.withLock { $0 } == 2)
    }

    #if arch(x86_64)
    @Test func `a sleep makes no task of its own`() {
        // A matter of speed alone, which no other test would notice.
        #expect(csim_makes_sleeps_cheap())
    }
    #endif
}

@Suite("Time that passes within steps")
struct PassedTimeTests {
    @Test func `a loop that lets time pass and yields is ended at the time limit`() throws {
        var configuration = Simulation.Configuration()
        configuration.maximumTime = .seconds(60)
        configuration.maximumSteps = 100_000
        let simulation = Simulation(seed: 1, configuration: configuration)
        let error = #expect(throws: SimulationError.self) {
            try simulation.run {
                while !Task.isCancelled {
                    Simulation.current?.passTime(.seconds(1))
                    await Task.yield()
                }
            }
        }
        #expect(error?.code == "timeLimit")
        #expect(simulation.position.step < 200)
    }

    @Test func `time does not run back`() throws {
        let report = try Simulation(seed: 1).runReporting {
            try await Task.sleep(for: .seconds(3))
            Simulation.current?.passTime(.seconds(-2))
        }.report
        #expect(report.time == .seconds(3))
    }
}

@Suite("Sleeping outside of simulations")
struct RealSleepTests {
    @Test func `the runtime's own sleep is still there`() async throws {
        let start = ContinuousClock.now
        try await Task.sleep(for: .milliseconds(2))
        #expect(ContinuousClock.now - start >= .milliseconds(2))
    }

    @Test func `the time of a cancelled sleep does not pass`() throws {
        let (_, report) = try Simulation(seed: 1).runReporting {
            let sleeper = Task { try await Task.sleep(for: .seconds(100)) }
            await Task.yield()
            sleeper.cancel()
            _ = await sleeper.result
        }
        #expect(report.time == .zero)
    }
}
