import Foundation
import Synchronization

// Programs with a mistake, whose failures depend on what earlier runs have left: a search must find the same as if each run
// were the first one of its process.
extension Way {
    static var failures: [Way] {
        [
            Way(
                "first-use-race",
                "two tasks set something up that only the first run has to set up",
                isAffected: true
            ) {
                // A mistake that later runs of a process hide: the flag is looked at, and set after an await.
                try await concurrently(2) { _ in
                    await pause()
                    try await Engine.shared.start()
                }
            },
            Way(
                "first-use-race-of-the-main-actor",
                "the same in static variables of the main actor",
                isAffected: true
            ) {
                try await concurrently(2) { _ in
                    await pause()
                    try await Player.prepare()
                }
            },
            Way(
                "hidden-by-a-cache",
                "a stale answer that is wrong only where no run has asked before",
                isAffected: true
            ) {
                let answers = Mutex<[Int]>([])
                try await concurrently(2) { number in
                    let answer = await Rates.rate(fallback: number)
                    answers.withLock { $0.append(answer) }
                }
                let all = answers.withLock { $0 }
                try expect(Set(all).count == 1, "two rates at once: \(all.sorted())")
            },
            Way("fails-late", "a counter of the process beyond which a request fails", isAffected: true) {
                try await concurrently(2) { _ in await pause() }
                let number = Quota.use()
                try expect(number <= 20, "the quota is used up: \(number)")
            },
            Way(
                "fails-late-and-else",
                "the same beside a mistake that fails alike in one run of some",
                isAffected: true
            ) {
                let number = Quota.use()
                let isUnlucky = Int.random(in: 0..<50) == 0
                try await concurrently(2) { _ in await pause() }
                try expect(number <= 20 && !isUnlucky, "the quota is used up")
            },
            Way("poisoned", "a failure after which all later runs of a process fail alike", isAffected: true)
            {
                try expect(!Poison.isSet, "what is shared is broken")
                let order = Mutex<[Int]>([])
                try await concurrently(2) { number in
                    await pause()
                    order.withLock { $0.append(number) }
                }
                if order.withLock({ $0 }) == [1, 0], Int.random(in: 0..<20) == 0 {
                    Poison.set()
                    throw Broken(description: "what is shared is broken")
                }
            },
            Way(
                "rare-leftover",
                "one run of some hundred leaves what changes all later ones",
                isAffected: true
            ) {
                if Poison.isRare { await Task.yield() }
                if Int.random(in: 0..<300) == 0 { Poison.setRare() }
                try await concurrently(2) { _ in await pause() }
            },
            Way("crash", "a failed precondition on a static in one run of some hundred") {
                let number = Int.random(in: 0..<200)
                try await concurrently(2) { _ in await pause() }
                Checked.check(number)
            },
            Way("exit", "a call of exit in one run of some hundred, with a function for the end") {
                try await concurrently(2) { _ in await pause() }
                if Int.random(in: 0..<200) == 0 { exit(3) }
            },
            Way(
                "stuck-in-an-actor",
                "a static actor that one run of some hundred leaves in the middle of a method"
            ) {
                try await concurrently(2) { _ in
                    await pause()
                    await Vault.shared.use()
                }
            },
            Way("lost-continuation", "a continuation in a static that one run of some hundred never resumes")
            {
                let isLost = Int.random(in: 0..<200) == 0
                async let value: Void = Parked.wait()
                while Parked.isEmpty { await Task.yield() }
                if isLost { Parked.lose() } else { Parked.resume() }
                await value
            },
        ]
    }
}

private actor Engine {
    static let shared = Engine()
    private var isRunning = false
    private var starts = 0

    func start() async throws {
        if isRunning { return }
        await Task.yield()
        starts += 1
        isRunning = true
        try expect(starts == 1, "started \(starts) times")
    }
}

@MainActor private enum Player {
    private static var isReady = false
    private static var loads = 0

    static func prepare() async throws {
        guard !isReady else { return }
        try? await Task.sleep(for: .milliseconds(2))
        loads += 1
        isReady = true
        try expect(loads == 1, "loaded \(loads) times")
    }
}

private enum Rates {
    private static let known = Mutex<Int?>(nil)

    static func rate(fallback: Int) async -> Int {
        if let rate = known.withLock({ $0 }) { return rate }
        await pause()
        known.withLock { $0 = fallback }
        return fallback
    }
}

private enum Quota {
    private static let used = Atomic(0)
    static func use() -> Int { used.add(1, ordering: .relaxed).newValue }
}

private enum Poison {
    private static let state = Mutex((isSet: false, isRare: false))
    static var isSet: Bool { state.withLock { $0.isSet } }
    static var isRare: Bool { state.withLock { $0.isRare } }
    static func set() { state.withLock { $0.isSet = true } }
    static func setRare() { state.withLock { $0.isRare = true } }
}

private enum Checked {
    private static let limit = Atomic(1)
    static func check(_ number: Int) {
        precondition(number >= limit.load(ordering: .relaxed), "a number is below the limit")
    }
}

/// Blocks its thread in the middle of a method, rarely.
private actor Vault {
    static let shared = Vault()
    private let lock = NSLock()

    func use() async {
        guard Int.random(in: 0..<400) == 0 else { return }
        enter()
        enter()
    }
    private func enter() { lock.lock() }
}

private enum Parked {
    private static let parked = Mutex<CheckedContinuation<Void, Never>?>(nil)
    static var isEmpty: Bool { parked.withLock { $0 == nil } }

    static func wait() async {
        await withCheckedContinuation { continuation in parked.withLock { $0 = continuation } }
    }
    static func resume() { take()?.resume() }
    static func lose() { _ = take() }
    private static func take() -> CheckedContinuation<Void, Never>? {
        parked.withLock { parked in
            defer { parked = nil }
            return parked
        }
    }
}
