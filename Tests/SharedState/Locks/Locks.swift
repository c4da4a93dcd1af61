import Foundation
import Glibc
import Synchronization

extension Way {
    static var locks: [Way] {
        [
            Way("static-mutex", "a static dictionary under a mutex of Swift") {
                let run = UInt64.random(in: 0...UInt64.max)
                try await concurrently(4) { _ in
                    for _ in 0..<3 {
                        Counters.add(run)
                        await Task.yield()
                    }
                }
                let count = Counters.take(run)
                try expect(count == 12, "\(count) of 12")
            },
            Way("static-lock", "a static variable under an NSLock") {
                try await concurrently(4) { _ in
                    LockedTotal.add(2)
                    await pause()
                    LockedTotal.add(-2)
                }
                try expect(LockedTotal.value == 0, "\(LockedTotal.value) is left")
            },
            Way("static-recursive-lock", "a static lock that its owner takes twice") {
                try await concurrently(4) { number in
                    let depth = Tree.walk(number)
                    try expect(depth == number + 1, "\(depth) levels of \(number + 1)")
                    await pause()
                }
            },
            Way("static-condition", "a static condition whose state is right before anybody waits") {
                try await concurrently(3) { _ in
                    Gate.open()
                    await pause()
                    Gate.pass()
                }
            },
            Way(
                "static-read-write-lock",
                "static values under a lock of the C library for readers and a writer"
            ) {
                try await concurrently(4) { number in
                    Table.write(number)
                    await pause()
                    let (first, second) = Table.read()
                    try expect(first == second, "\(first) and \(second) were written together")
                }
            },
            Way("static-semaphore", "a static semaphore that is free whenever nobody is inside") {
                try await concurrently(4) { number in
                    let inside = Slots.visit()
                    try expect(inside == 1, "\(inside) were inside")
                    await pause()
                }
            },
            Way("static-atomic", "static atomics: numbers, a flag, a maximum") {
                try await concurrently(4) { _ in
                    Gauge.level.add(1, ordering: .relaxed)
                    Gauge.highest.max(Gauge.level.load(ordering: .relaxed), ordering: .relaxed)
                    await pause()
                    Gauge.level.subtract(1, ordering: .relaxed)
                }
                let (level, highest) = (
                    Gauge.level.load(ordering: .relaxed), Gauge.highest.load(ordering: .relaxed)
                )
                try expect(level == 0 && (1...4).contains(highest), "level \(level), highest \(highest)")
            },
            Way("lock-across-await", "a static lock that a task may still hold when it waits for another one")
            {
                try await concurrently(2) { _ in
                    try await Exclusive.use()
                }
            },
        ]
    }
}

private enum Counters {
    private static let counts = Mutex<[UInt64: Int]>([:])
    static func add(_ run: UInt64) { counts.withLock { $0[run, default: 0] += 1 } }
    static func take(_ run: UInt64) -> Int { counts.withLock { $0.removeValue(forKey: run) ?? 0 } }
}

private enum LockedTotal {
    private static let lock = NSLock()
    // Invariant: read and written under the lock.
    nonisolated(unsafe) private static var total = 0
    static var value: Int { lock.withLock { unsafe total } }
    static func add(_ amount: Int) { lock.withLock { unsafe total += amount } }
}

private enum Tree {
    private static let lock = NSRecursiveLock()
    static func walk(_ left: Int) -> Int { lock.withLock { left == 0 ? 1 : 1 + walk(left - 1) } }
}

private enum Gate {
    private static let condition = NSCondition()
    // Invariant: read and written under the condition.
    nonisolated(unsafe) private static var isOpen = false

    static func open() {
        condition.lock()
        unsafe isOpen = true
        condition.broadcast()
        condition.unlock()
    }
    static func pass() {
        condition.lock()
        while unsafe !isOpen { condition.wait() }
        condition.unlock()
    }
}

private enum Table {
    // Invariant: a lock may be used from any thread.
    nonisolated(unsafe) private static let lock = {
        let lock = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)
        unsafe pthread_rwlock_init(lock, nil)
        return unsafe lock
    }()
    // Invariant: read and written under the lock.
    nonisolated(unsafe) private static var values = (0, 0)

    static func write(_ value: Int) {
        unsafe pthread_rwlock_wrlock(lock)
        unsafe values = (value, value)
        unsafe pthread_rwlock_unlock(lock)
    }
    static func read() -> (Int, Int) {
        unsafe pthread_rwlock_rdlock(lock)
        defer { unsafe pthread_rwlock_unlock(lock) }
        return unsafe values
    }
}

private enum Slots {
    private static let semaphore = DispatchSemaphore(value: 1)
    private static let inside = Atomic(0)

    static func visit() -> Int {
        semaphore.wait()
        defer { semaphore.signal() }
        inside.add(1, ordering: .relaxed)
        defer { inside.subtract(1, ordering: .relaxed) }
        return inside.load(ordering: .relaxed)
    }
}

private enum Gauge {
    static let level = Atomic(0)
    static let highest = Atomic(0)
}

/// A mistake: whoever comes second while the first one sleeps blocks its thread.
private enum Exclusive {
    private static let lock = NSLock()
    private static func enter() { lock.lock() }
    private static func leave() { lock.unlock() }

    static func use() async throws {
        await pause()
        enter()
        if Int.random(in: 0..<4) == 0 { try await Task.sleep(for: .milliseconds(1)) }
        leave()
    }
}
