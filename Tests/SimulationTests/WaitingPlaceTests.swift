import Simulation
import Testing

/// Tasks that never go on, in each of the ways in which Swift suspends one.
@Suite("Where tasks are suspended")
struct WaitingPlaceTests {
    /// The tasks of a run that does not end, by name.
    private func waiting(
        maximumSteps: UInt64? = nil,
        maximumTime: Duration? = nil,
        _ body: @escaping @Sendable () async throws -> Void
    ) throws -> [String: TaskReport] {
        var configuration = Simulation.Configuration()
        if let maximumSteps { configuration.maximumSteps = maximumSteps }
        if let maximumTime { configuration.maximumTime = maximumTime }
        let simulation = Simulation(seed: 1, configuration: configuration)
        let error = try #require(throws: SimulationError.self) { try simulation.run(body) }
        let report: StuckReport
        switch error {
        case .stuck(let found), .stepLimit(let found), .timeLimit(let found): report = found
        default: throw error
        }
        let named = report.waiting.compactMap { task in task.name.map { ($0, task) } }
        return Dictionary(named) { first, _ in first }
    }

    /// Expects the lines of this file as the innermost places, in order.
    private func expect(
        _ task: TaskReport?,
        at lines: Int...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let task = try #require(task, sourceLocation: sourceLocation)
        let description = "\(task)"
        #if DEBUG
        let places = task.waitsAt.prefix(lines.count)
        #expect(places.map(\.line) == lines, "\(description)", sourceLocation: sourceLocation)
        #else
        // Optimized code moves lines a little, has fewer functions, and some of them have no line at all.
        let places = task.waitsAt.prefix(1).filter { $0.line > 0 }
        #expect(!task.waitsAt.isEmpty, "\(description)", sourceLocation: sourceLocation)
        let isNear = places.allSatisfy { place in lines.contains { abs($0 - place.line) <= 3 } }
        #expect(isNear, "\(description)", sourceLocation: sourceLocation)
        #endif
        for place in places {
            let isHere = place.file?.hasSuffix("WaitingPlaceTests.swift") == true
            #expect(isHere, "\(description)", sourceLocation: sourceLocation)
        }
        // The runtime, thunks and the engine are nobody's code.
        for word in ["partial apply", "csim_", "Simulation.begin", "completeTask", "<compiler"] {
            #expect(!description.contains(word), sourceLocation: sourceLocation)
        }
    }

    @Test func `in a continuation, with its callers`() throws {
        let start = #line
        let tasks = try waiting {
            let cache = Cache()
            let task = Task(name: "waiter") {
                await order(from: cache) + 1
            }
            _ = await task.value
        }
        try expect(tasks["waiter"], at: Cache.priceLine, orderLine, start + 4)
        try expect(tasks["body"], at: start + 6)
        let text = try #require(tasks["waiter"]).description
        #expect(
            text.contains(
                "suspended at Cache.price(of:) at WaitingPlaceTests.swift:\(Cache.priceLine), called from"
            )
        )
        #expect(text.contains("spawned at closure #1 in WaitingPlaceTests."))
    }

    @Test func `in a sleep`() throws {
        let start = #line
        let tasks = try waiting(maximumTime: .seconds(10)) {
            Task(name: "sleeper") {
                try await Task.sleep(for: .seconds(3600))
                try await Task.sleep(for: .seconds(3600))
            }
            try await ContinuousClock().sleep(until: .now + .seconds(3600))
        }
        try expect(tasks["sleeper"], at: start + 3)
        try expect(tasks["body"], at: start + 6)
    }

    @Test func `in the loop over a stream`() throws {
        let start = #line
        let tasks = try waiting {
            let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
            let reader = Task(name: "reader") {
                for await _ in stream {}
            }
            await reader.value
            continuation.finish()
        }
        try expect(tasks["reader"], at: start + 4)
    }

    @Test func `for a child of a group`() throws {
        let start = #line
        let tasks = try waiting {
            let cache = Cache()
            await withTaskGroup(of: Int.self) { group in
                group.addTask(name: "child") { await order(from: cache) }
                for await _ in group {}
            }
        }
        try expect(tasks["body"], at: start + 5)
        try expect(tasks["child"], at: Cache.priceLine, orderLine, start + 4)
    }

    @Test func `for an async let`() throws {
        let start = #line
        let tasks = try waiting {
            let cache = Cache()
            async let price = order(from: cache)
            let other = 1
            _ = await price + other
        }
        try expect(tasks["body"], at: start + 5)
    }

    @Test func `on the main actor`() throws {
        let start = #line
        let tasks = try waiting {
            let cache = Cache()
            let task = Task(name: "main") { @MainActor in
                await order(from: cache)
            }
            _ = await task.value
        }
        try expect(tasks["main"], at: Cache.priceLine, orderLine, start + 4)
    }

    @Test func `between two actors, and before a busy one`() throws {
        let start = #line
        var lines: Set<Int> = []
        for steps: UInt64 in 1000...1020 {
            let tasks = try waiting(maximumSteps: steps) {
                let cache = Cache()
                for name in ["one", "two", "three"] {
                    Task(name: name) {
                        while true {
                            await cache.touch()
                            await Task.yield()
                        }
                    }
                }
                while true { await Task.yield() }
            }
            for name in ["one", "two", "three"] {
                let line = try #require(tasks[name]?.waitsAt.first?.line)
                try expect(tasks[name], at: line)
                lines.insert(line)
            }
        }
        #if DEBUG
        #expect(lines == [start + 8, start + 9])
        #else
        #expect(lines.subtracting([0]).isSubset(of: Set(start + 5...start + 12)))
        #endif
    }

    @Test func `nowhere, when it has not begun`() throws {
        let tasks = try waiting(maximumSteps: 1) {
            Task(name: "late") { await Cache().touch() }
            while true { await Task.yield() }
        }
        let late = try #require(tasks["late"])
        #expect(late.waitsAt.isEmpty && !late.description.contains("suspended"))
    }

    @Test func `recursion is cut off, and its outermost callers are left out`() throws {
        let tasks = try waiting { await descend(200) }
        let body = try #require(tasks["body"])
        #expect((10...64).contains(body.waitsAt.count))
        #expect(body.description.contains(", …, spawned at"))
    }
}

private actor Cache {
    private var waiting: [CheckedContinuation<Int, Never>] = []
    private var touches = 0

    static let priceLine = #line + 2
    func price(of name: String) async -> Int {
        let price = await withCheckedContinuation { continuation in
            // Kept forever.
            waiting.append(continuation)
        }
        return price + name.count
    }

    func touch() { touches += 1 }
}

private let orderLine = #line + 2
private func order(from cache: Cache) async -> Int {
    let price = await cache.price(of: "screw")
    return price + 1
}

private func descend(_ depth: Int) async {
    if depth > 0 {
        await descend(depth - 1)
    } else {
        await unsafe withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }
    touched.withLock { $0 += 1 }
}

private let touched = Shared(0)
