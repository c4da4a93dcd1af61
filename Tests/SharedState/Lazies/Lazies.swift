import Foundation
import Synchronization

extension Way {
    static var lazies: [Way] {
        [
            Way("lazy-static", "a static table that its first use computes") {
                try await concurrently(3) { number in
                    await pause()
                    let value = Primes.table[number + 10]
                    try expect(value == [31, 37, 41][number], "\(value) is no such prime")
                }
            },
            Way("lazy-chain", "static constants that are made of each other, from either end") {
                try await concurrently(3) { number in
                    await pause()
                    let value = number == 0 ? Chain.last : number == 1 ? Chain.middle : Chain.first
                    try expect(value == [4, 2, 1][number], "\(value) at \(number)")
                }
            },
            Way("lazy-random", "a static constant that is drawn by chance") {
                let salts = Mutex<Set<UInt64>>([])
                try await concurrently(3) { _ in
                    await pause()
                    salts.withLock { _ = $0.insert(Salt.value) }
                    // As many draws of its own whether or not the constant was drawn before.
                    _ = UInt64.random(in: 0...9)
                }
                try expect(salts.withLock { $0.count } == 1, "a constant has two values")
            },
            Way("lazy-time", "a static constant that is the time of its first use", isAffected: true) {
                await pause()
                let age = ContinuousClock.now - Launch.time
                // By the length of the run: another one has another length.
                if age > .milliseconds(2) || age < .zero { await pause() }
            },
            Way("once-flag", "a static flag by which only the first one sets something up", isAffected: true)
            {
                try await concurrently(3) { _ in
                    await pause()
                    try await SetUp.ensure()
                    try expect(SetUp.isDone, "used before it was set up")
                }
            },
            Way("lazy-property", "a lazy property of an actor in a static constant") {
                try await concurrently(3) { number in
                    await pause()
                    let sum = await Lexicon.shared.length(number)
                    try expect(sum == 3 + number, "\(sum) letters")
                }
            },
            Way(
                "memoised-task",
                "a static dictionary of tasks, so that each value is loaded once",
                isAffected: true
            ) {
                let sum = Mutex(0)
                try await concurrently(6) { number in
                    let value = await Loads.shared.value(number % 3)
                    sum.withLock { $0 += value }
                }
                try expect(sum.withLock { $0 } == 60, "loaded \(sum.withLock { $0 }) of 60")
            },
            Way("memoised-task-by-run", "the same, and each run removes what it has loaded") {
                let run = Int.random(in: 0..<1 << 40) * 10
                try await concurrently(6) { number in
                    let value = await Loads.shared.value(run + number % 3)
                    try expect(value == number % 3 * 10, "\(value) for \(number % 3)")
                }
                for number in 0..<3 { await Loads.shared.forget(run + number) }
            },
        ]
    }
}

private enum Primes {
    static let table = (2...200).filter { number in !(2..<number).contains { number.isMultiple(of: $0) } }
}

private enum Chain {
    static let first = Int("1") ?? 0
    static let middle = first + first
    static let last = middle + middle
}

private enum Salt {
    static let value = UInt64.random(in: 0...UInt64.max)
}

private enum Launch {
    static let time = ContinuousClock.now
}

private enum SetUp {
    private static let began = Atomic(false)
    private static let done = Atomic(false)
    static var isDone: Bool { done.load(ordering: .acquiring) }

    static func ensure() async throws {
        if !began.exchange(true, ordering: .acquiringAndReleasing) {
            try await Task.sleep(for: .milliseconds(3))
            done.store(true, ordering: .releasing)
        }
        while !isDone { try await Task.sleep(for: .milliseconds(1)) }
    }
}

private actor Lexicon {
    static let shared = Lexicon()
    private lazy var words = (0..<3).map { String(repeating: "a", count: 3 + $0) }
    func length(_ number: Int) -> Int { words[number].count }
}

private actor Loads {
    static let shared = Loads()
    private var tasks: [Int: Task<Int, Never>] = [:]

    func value(_ key: Int) async -> Int {
        if let known = tasks[key] { return await known.value }
        let task = Task {
            await pause()
            return key % 10 * 10
        }
        tasks[key] = task
        return await task.value
    }

    func forget(_ key: Int) { tasks[key] = nil }
}
