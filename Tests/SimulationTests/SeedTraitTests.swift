import Simulation
import SimulationTesting
import Synchronization
import Testing

@Suite("The simulated trait")
struct SeedTraitTests {
    /// The failures of a body with a trait, as they are without shrinking.
    private func failuresWithoutShrinking(
        _ trait: SimulatedTrait,
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws -> [String] {
        var trait = trait
        trait.shrinks = false
        trait.jobs = 1
        return try await failures(of: trait, body)
    }

    @Test func `runs the body once for every seed, the last one too`() async throws {
        let seen = Shared<[UInt64]>([])
        let failures = try await failuresWithoutShrinking(.simulated(seeds: 11...14)) {
            let simulation = try #require(Simulation.current)
            seen.withLock { $0.append(simulation.seed) }
            try await Task.sleep(for: .seconds(3600))
            #expect(simulation.now >= .seconds(3600))
        }
        #expect(seen.withLock { $0 } == [11, 12, 13, 14])
        #expect(failures.isEmpty)
    }

    @Test(.simulated(seeds: 1...3), arguments: ["a", "b"])
    func `works with arguments and on the main actor`(argument: String) async throws {
        let onMain = await MainActor.run { Simulation.current != nil }
        #expect(onMain)
        #expect(argument.count == 1)
    }

    @Test func `a failed expectation of a later seed fails the test, and ends it`() async throws {
        let seen = Shared<[UInt64]>([])
        let failures = try await failuresWithoutShrinking(.simulated(seeds: 1...5)) {
            let seed = try #require(Simulation.current).seed
            seen.withLock { $0.append(seed) }
            try await Task.sleep(for: .milliseconds(250))
            #expect(seed != 3)
        }
        // The one that fails runs again, so that its issues are recorded.
        #expect(seen.withLock { $0 } == [1, 2, 3, 3])
        let failure = try #require(failures.first)
        #expect(failures.count == 1)
        #expect(failure.contains("seed 3 · virtual 0.2500"))
        #expect(
            failure.contains(
                "reproduce: LENSSIM_RECIPE='seed=3 strategy=portfolio' swift test --filter 'SimulationTests."
            )
        )
    }

    @Test func `a thrown error says where and when it was thrown, and how to reproduce it`() async throws {
        struct Refused: Error {}
        for checking in [false, true] {
            var configuration = Simulation.Configuration()
            configuration.recordsSteps = checking
            let failures = try await failuresWithoutShrinking(
                .simulated(seeds: 7...9, configuration: configuration)
            ) {
                try await Task.sleep(for: .seconds(61))
                throw Refused()
            }
            let lines = try #require(failures.first).split(separator: "\n")
            #expect(failures.count == 1)
            #expect(lines.first == "Refused()")
            #expect(lines.dropFirst().first?.hasPrefix("  seed 7 · virtual 61.000") == true)
            #expect(lines.last?.hasPrefix("  reproduce: LENSSIM_RECIPE='seed=7 strategy=portfolio' ") == true)
        }
    }

    @Test func `a stuck body fails its test, with the seed and the line that reproduces it, once`()
        async throws
    {
        let failures = try await failuresWithoutShrinking(.simulated(seed: 5)) {
            await unsafe withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
        }
        let failure = try #require(failures.first)
        #expect(failures.count == 1)
        #expect(failure.contains("no runnable task"))
        #expect(failure.split(separator: "seed 5 · virtual", omittingEmptySubsequences: false).count == 2)
        #expect(failure.contains("reproduce: LENSSIM_RECIPE='seed=5 strategy=portfolio' swift test"))
    }

    /// The order in which tasks run, each of which yields now and then.
    private func order(_ trait: SimulatedTrait) async throws -> [[Int]] {
        let orders = Shared<[[Int]]>([])
        let failures = try await failuresWithoutShrinking(trait) {
            let order = Shared<[Int]>([])
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<5 {
                    group.addTask {
                        for _ in 0..<3 {
                            order.withLock { $0.append(number) }
                            await Task.yield()
                        }
                    }
                }
            }
            orders.withLock { orders in orders.append(order.withLock { $0 }) }
        }
        #expect(failures.isEmpty)
        return orders.withLock { $0 }
    }

    private func order(_ strategy: Strategy, seeds: ClosedRange<UInt64>) async throws -> [[Int]] {
        var orders: [[Int]] = []
        for seed in seeds {
            orders += try await order(.replaying("\(Recipe(seed: seed, strategy: strategy))"))
        }
        return orders
    }

    @Test func `seeds choose steps by the portfolio, unless the test says otherwise`() async throws {
        // Of four strategies: the fifth, of seed 6, learns from the seeds before it.
        let portfolio = try await order(.portfolio, seeds: 2...5)
        #expect(try await order(.simulated(seeds: 2...5)) == portfolio)
        #expect(try await order(.random, seeds: 2...5) != portfolio)
        #expect(
            try await order(.simulated(seeds: 1...10, strategy: .random)) == order(.random, seeds: 1...10)
        )
        #expect(try await order(.simulated(seed: 4)) == [portfolio[2]])
        var configuration = Simulation.Configuration()
        configuration.schedule = .firstInFirstOut
        let fixed = try await order(.simulated(seeds: 1...10, configuration: configuration))
        #expect(try await order(.fifo, seeds: 1...10) == fixed)
        // A strategy that is named stands above the configuration.
        #expect(
            try await order(.simulated(seeds: 2...5, strategy: .portfolio, configuration: configuration))
                == portfolio
        )
    }

    @Test func `a test with a schedule of its own is reproduced by its seed`() async throws {
        var configuration = Simulation.Configuration()
        configuration.schedule = .priorities(depth: 2)
        let failures = try await failuresWithoutShrinking(
            .simulated(seeds: 2...3, configuration: configuration)
        ) {
            Issue.record("fails")
        }
        #expect(failures.count == 1)
        #expect(try #require(failures.first).contains("  reproduce: LENSSIM_SEED=2 swift test --filter '"))
    }

    @Test func `what a configuration says about faults, work and plans is kept for each seed`() async throws {
        var configuration = Simulation.Configuration()
        configuration.faults = .only([Firing(source: "spark", decision: 1)])
        configuration.omittedWork = ["letters": [0]]
        configuration.plan = "a plan"
        let failures = try await failuresWithoutShrinking(
            .simulated(seeds: 1...5, configuration: configuration)
        ) {
            let simulation = try #require(Simulation.current)
            let source = simulation.faultSource("spark")
            #expect((0..<3).map { _ in source.fires(probability: 0) != nil } == [false, true, false])
            #expect(Simulation.work("letters", count: 3) == [1, 2])
            #expect(simulation.configuration.plan == "a plan")
        }
        #expect(failures.isEmpty)
    }

    @Test func `a recipe that does not fit its test any more is a warning, with what was expected`()
        async throws
    {
        let failures = try await failuresWithoutShrinking(.replaying("seed=3 faults=spark:7 cancel=2:90")) {
            _ = Simulation.current?.faultSource("spark").fires(probability: 1)
            await Task { await Task.yield() }.value
        }
        let failure = try #require(failures.first)
        #expect(failures.count == 1)
        #expect(failure.hasPrefix("warning: "))
        #expect(failure.contains("the fault spark #7 did not happen"))
        #expect(failure.contains("task 2 did not run 90 steps"))
        let fitting = try await failuresWithoutShrinking(.replaying("seed=3 faults=spark:0")) {
            _ = Simulation.current?.faultSource("spark").fires(probability: 0)
        }
        #expect(fitting.isEmpty)
    }

    @Test func `later seeds know the longest task of the first one, and a failure says so`() async throws {
        let failures = try await failuresWithoutShrinking(
            .simulated(seeds: 1...3, strategy: .pct, stalls: .none)
        ) {
            let seed = try #require(Simulation.current).seed
            for _ in 0..<(seed == 1 ? 50 : 5) { await Task.yield() }
            #expect(seed != 3)
        }
        #expect(failures.count == 1)
        let words = try #require(failures.first).split { " '".contains($0) }
        let horizon = try #require(words.first { $0.hasPrefix("horizon=") }.flatMap { Int($0.dropFirst(8)) })
        #expect(horizon >= 50)
    }

    @Test func `what a configuration says about cancellation is kept for each seed`() async throws {
        var configuration = Simulation.Configuration()
        configuration.cancellation = .after(task: 2, steps: 1)
        let seen = Shared<[Bool]>([])
        let failures = try await failuresWithoutShrinking(
            .simulated(seeds: 1...5, configuration: configuration)
        ) {
            let worker = Task { try await Task.sleep(for: .seconds(1)) }
            let result = await worker.result
            seen.withLock { $0.append(result.isFailure) }
        }
        #expect(failures.isEmpty)
        #expect(seen.withLock { $0 } == [true, true, true, true, true])
    }

    /// Whether the pool was late under one of many seeds: a timer fires while something is ready.
    private func isLate(_ traits: [SimulatedTrait]) async throws -> Bool {
        let late = Shared(false)
        for trait in traits {
            let failures = try await failuresWithoutShrinking(trait) {
                let fired = Shared(false)
                let timer = Task {
                    try await Task.sleep(for: .milliseconds(1))
                    fired.withLock { $0 = true }
                }
                for _ in 0..<40 { await Task.yield() }
                if fired.withLock({ $0 }) { late.withLock { $0 = true } }
                try await timer.value
            }
            #expect(failures.isEmpty)
        }
        return late.withLock { $0 }
    }

    @Test func `the pool is late unless the test, its configuration or its recipe says that it is not`()
        async throws
    {
        #expect(try await isLate([.simulated(seeds: 1...40)]))
        #expect(try await !isLate([.simulated(seeds: 1...40, stalls: .none)]))
        var configuration = Simulation.Configuration()
        configuration.startOfTime = .seconds(1)
        #expect(try await isLate([.simulated(seeds: 1...40, configuration: configuration)]))
        configuration.stalls = .none
        #expect(try await !isLate([.simulated(seeds: 1...40, configuration: configuration)]))
        #expect(
            try await !isLate((1...40).map { .simulated(seed: $0, configuration: configuration) })
        )
        #expect(try await isLate((1...40).map { .replaying("seed=\($0)") }))
        #expect(try await !isLate((1...40).map { .replaying("seed=\($0) stalls=none") }))
    }
}

extension Result {
    fileprivate var isFailure: Bool {
        if case .failure = self { true } else { false }
    }
}
