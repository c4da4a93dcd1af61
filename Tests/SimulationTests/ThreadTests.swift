import Foundation
import Simulation
import Synchronization
import Testing

@Suite(
    "Threads in a simulation",
    .enabled(if: Threads.areSimulated, "this machine lets no program change its thread pointer"),
    .timeLimit(.minutes(5))
)
struct ThreadTests {
    @Test func `a thread sleeps in virtual time, and is waited for`() throws {
        let passed = try Threads.outcomes(seeds: 1...50) {
            let start = ContinuousClock.now
            let done = Shared(false)
            let ended = DispatchSemaphore(value: 0)
            Thread {
                Thread.sleep(forTimeInterval: 60)
                done.withLock { $0 = true }
                ended.signal()
            }.start()
            #expect(!done.withLock { $0 })
            ended.wait()
            #expect(done.withLock { $0 })
            return ContinuousClock.now - start >= .seconds(60)
        }
        #expect(passed == [true: 50])
    }

    @Test func `threads have numbers, values and errors of their own, and give back a result`() throws {
        let results = try Threads.outcomes(seeds: 1...50) {
            let threads = (1...3).map { number in
                PosixThread {
                    Thread.current.threadDictionary["number"] = number
                    errno = CInt(number)
                    for _ in 1...5 { letOthersRun() }
                    let kept = Thread.current.threadDictionary["number"] as? Int
                    return kept == number && errno == CInt(number) ? number : 0
                }
            }
            #expect(Set(threads.map(\.handle)).count == 3)
            return threads.map { $0.join() }
        }
        #expect(results == [[1, 2, 3]: 50])
    }

    @Test func `threads run in any order, and in the same from the same seed`() throws {
        @Sendable func order() -> [Int] {
            let journal = Journal()
            let threads = (1...3).map { number in
                PosixThread {
                    journal.note(number)
                    return 0
                }
            }
            for thread in threads { _ = thread.join() }
            return journal.all
        }
        let orders = try Threads.outcomes { order() }
        #expect(orders.count == 6)
        for seed in 1...20 as ClosedRange<UInt64> {
            let runs = try (1...2).map { _ in
                try Simulation(seed: seed, configuration: Threads.configuration).runReporting { order() }
            }
            #expect(runs[0].value == runs[1].value && runs[0].report.hash == runs[1].report.hash)
        }
    }

    @Test func `a read and a write in two locked sections lose updates in some seeds`() throws {
        let counts = try Threads.outcomes {
            let (lock, count) = (NSLock(), Counted())
            let threads = (1...3).map { _ in
                PosixThread {
                    let seen = lock.withLock { count.value }
                    lock.withLock { count.value = seen + 1 }
                    return 0
                }
            }
            for thread in threads { _ = thread.join() }
            return count.value
        }
        #expect(counts.keys.sorted() == [1, 2, 3])
        let right = try Threads.outcomes {
            let (lock, count) = (NSLock(), Counted())
            let threads = (1...3).map { _ in
                PosixThread {
                    lock.withLock { count.value += 1 }
                    return 0
                }
            }
            for thread in threads { _ = thread.join() }
            return count.value
        }
        #expect(right == [3: 200])
    }

    @Test func `tasks lose updates between two locked sections without any await`() throws {
        let counts = try Threads.outcomes {
            let (lock, count) = (NSLock(), Counted())
            await withTaskGroup(of: Void.self) { group in
                for _ in 1...2 {
                    group.addTask {
                        let seen = lock.withLock { count.value }
                        lock.withLock { count.value = seen + 1 }
                    }
                }
            }
            return count.value
        }
        #expect(counts.keys.sorted() == [1, 2])
    }

    @Test func `a task may be interrupted after its end, while it gives up its task-local values`() throws {
        let ends = try Threads.outcomes {
            let (lock, count) = (NSLock(), Counted())
            for _ in 1...3 {
                let tasks = (1...4).map { _ in
                    Ending.$current.withValue(
                        Ending { for _ in 1...3 { lock.withLock { count.value += 1 } } }
                    ) {
                        Task { await Task.yield() }
                    }
                }
                for task in tasks { await task.value }
            }
            try await Task.sleep(for: .seconds(1))
            return count.value
        }
        #expect(ends == [36: 200])
    }

    @Test func `one signal wakes one of those who wait for a condition, and a broadcast all`() throws {
        @Sendable func wake(_ wake: @Sendable (NSCondition) -> Void) -> Int {
            let (condition, state) = (NSCondition(), Counted())
            let threads = (1...3).map { _ in
                PosixThread {
                    condition.lock()
                    state.waiting += 1
                    while state.value == 0 { condition.wait() }
                    condition.unlock()
                    return 1
                }
            }
            while condition.withLock({ state.waiting < 3 }) { letOthersRun() }
            condition.withLock { state.value = 1 }
            wake(condition)
            return threads.map { $0.join() }.reduce(0, +)
        }
        #expect(try Threads.outcomes { wake { $0.broadcast() } } == [3: 200])
        #expect(throws: SimulationError.self) { try Threads.outcomes { wake { $0.signal() } } }
    }

    @Test func `a wait with a time limit ends at it`() throws {
        let ends = try Threads.outcomes(seeds: 1...50) {
            let condition = NSCondition()
            let (semaphore, group) = (DispatchSemaphore(value: 0), DispatchGroup())
            group.enter()
            let lock = NSLock()
            _ = PosixThread {
                lock.lock()
                return 0
            }.join()
            let thread = PosixThread {
                let start = ContinuousClock.now
                condition.lock()
                let isSignalled = condition.wait(until: Date(timeIntervalSinceNow: 2))
                condition.unlock()
                let first = ContinuousClock.now - start
                let isInTime = semaphore.wait(timeout: .now() + 3) == .success
                let second = ContinuousClock.now - start
                let isLocked = lock.lock(before: Date(timeIntervalSinceNow: 4))
                let third = ContinuousClock.now - start
                let isOver = group.wait(timeout: .now() + 5) == .success
                let fourth = ContinuousClock.now - start
                let isRight =
                    !isSignalled && !isInTime && !isLocked && !isOver && fourth >= .seconds(14)
                    && first >= .seconds(2) && second >= .seconds(5)
                    && third >= .seconds(9) && third < .seconds(10)
                return isRight ? 1 : 0
            }
            return thread.join()
        }
        #expect(ends == [1: 50])
    }

    @Test func `readers share a lock, and a writer is alone`() throws {
        let seen = try Threads.outcomes {
            let (lock, state) = (SharedLock(), Counted())
            let readers = (1...2).map { _ in
                PosixThread {
                    lock.read {
                        state.waiting += 1
                        letOthersRun()
                        let beside = state.waiting
                        state.waiting -= 1
                        return beside
                    }
                }
            }
            let writer = PosixThread {
                lock.write {
                    let beside = state.waiting
                    letOthersRun()
                    return beside + state.waiting
                }
            }
            let besides = readers.map { $0.join() }.max() ?? 0
            #expect(writer.join() == 0)
            return besides
        }
        #expect(seen.keys.sorted() == [1, 2])
    }

    @Test func `Mutex keeps others out, and they wait`() throws {
        let counts = try Threads.outcomes {
            let count = Shared(0)
            await withTaskGroup(of: Void.self) { group in
                for _ in 1...3 {
                    group.addTask {
                        count.withLock {
                            let seen = $0
                            letOthersRun()
                            $0 = seen + 1
                        }
                    }
                }
            }
            return count.withLock { $0 }
        }
        #expect(counts == [3: 200])
    }

    @Test
    func
        `threads that sync to a queue come one after the other, behind its blocks, also where they wait in it`()
        throws
    {
        let orders = try Threads.outcomes {
            let (queue, journal, lock) = (DispatchQueue(label: "serial"), Journal(), NSLock())
            queue.async { journal.note(0) }
            let threads = (1...2).map { number in
                PosixThread {
                    queue.sync {
                        journal.note(number)
                        lock.withLock { letOthersRun() }
                        journal.note(number)
                    }
                    return 0
                }
            }
            for thread in threads { _ = thread.join() }
            queue.sync { journal.note(3) }
            return journal.all
        }
        #expect(Set(orders.keys) == [[0, 1, 1, 2, 2, 3], [0, 2, 2, 1, 1, 3]])
    }

    @Test func `the main queue runs what a thread syncs to it, and nothing else meanwhile`() throws {
        let notes = try Threads.outcomes {
            let journal = Journal()
            let done = DispatchSemaphore(value: 0)
            await withTaskGroup(of: Void.self) { group in
                for number in 1...2 {
                    group.addTask { await noteOnMain(number, in: journal) }
                }
                Thread {
                    DispatchQueue.main.sync {
                        journal.note(3)
                        blockBriefly()
                        journal.note(3)
                    }
                    journal.note(4)
                    done.signal()
                }.start()
            }
            wait(for: done)
            return journal.all
        }
        for order in notes.keys {
            #expect(
                order.count == 7 && order.firstIndex(of: 4) ?? 0 > order.lastIndex(of: 3) ?? 9,
                "\(order)"
            )
            let main = order.filter { $0 < 4 }
            #expect(stride(from: 0, to: 6, by: 2).allSatisfy { main[$0] == main[$0 + 1] }, "\(order)")
        }
        #expect(Set(notes.keys.map { $0.filter { $0 < 4 } }).count == 6)
    }

    @Test func `two blocks of a concurrent queue run beside each other where one waits`() throws {
        let sums = try Threads.outcomes(seeds: 1...50) {
            let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
            let (semaphore, group, sum) = (DispatchSemaphore(value: 0), DispatchGroup(), Shared(0))
            queue.async(group: group) {
                semaphore.wait()
                sum.withLock { $0 += 1 }
            }
            queue.async(group: group) {
                Thread.sleep(forTimeInterval: 1)
                semaphore.signal()
                sum.withLock { $0 += 1 }
            }
            let isInTime = group.wait(timeout: .now() + 10) == .success
            return isInTime ? sum.withLock { $0 } : -1
        }
        #expect(sums == [2: 50])
    }

    @Test func `a static variable is initialised once, and others wait for it`() throws {
        let made = try Threads.outcomes(seeds: 1...1) {
            let threads = (1...3).map { _ in PosixThread { Slow.value } }
            return threads.map { $0.join() }
        }
        #expect(made == [[1, 1, 1]: 1])
    }

    @Test func `values of a thread are given up when it ends`() throws {
        let ends = try Threads.outcomes(seeds: 1...20) {
            let ended = Shared(0)
            let thread = PosixThread {
                Thread.current.threadDictionary["value"] = Ending {
                    ended.withLock { $0 += Simulation.current == nil ? 100 : 1 }
                }
                return 0
            }
            _ = thread.join()
            return ended.withLock { $0 }
        }
        #expect(ends == [1: 20])
    }

    @Test func `time does not pass for a wait that has ended before its limit`() throws {
        let error = #expect(throws: SimulationError.self) {
            try Simulation(seed: 3, configuration: Threads.configuration).run {
                let semaphore = DispatchSemaphore(value: 0)
                let thread = PosixThread { semaphore.wait(timeout: .now() + 1_000) == .success ? 1 : 0 }
                blockBriefly()
                semaphore.signal()
                #expect(thread.join() == 1)
                wait(for: semaphore)
            }
        }
        #expect("\(try #require(error))".contains("virtual 0.0"))
    }

    @Test func `a run loop that waits lets others go on until its limit`() throws {
        let notes = try Threads.outcomes(seeds: 1...50) {
            let (journal, start) = (Journal(), ContinuousClock.now)
            Thread {
                Thread.sleep(forTimeInterval: 1)
                journal.note(1)
            }.start()
            await waitInARunLoop(for: 2)
            journal.note(2)
            return journal.all + [ContinuousClock.now - start < .seconds(3) ? 3 : 0]
        }
        #expect(notes == [[1, 2, 3]: 50])
    }

    @Test func `threads of a node that crashes never go on`() throws {
        let notes = try Threads.outcomes(seeds: 1...50) {
            let (journal, simulation) = (Journal(), try #require(Simulation.current))
            let node = simulation.node("server")
            try await node.run {
                Thread {
                    for number in 1...1_000 {
                        journal.note(number)
                        Thread.sleep(forTimeInterval: 1)
                    }
                }.start()
            }
            try await Task.sleep(for: .milliseconds(4_500))
            node.crash()
            let before = journal.all.count
            try await Task.sleep(for: .seconds(100))
            return [before, journal.all.count]
        }
        #expect(notes == [[5, 5]: 50])
    }

    @Test func `what a crashed node waited for is no part of a deadlock`() throws {
        let error = #expect(throws: SimulationError.self) {
            try Simulation(seed: 1, configuration: Threads.configuration).run {
                let node = try #require(Simulation.current).node("server")
                let semaphore = DispatchSemaphore(value: 0)
                try await node.run { Thread { semaphore.wait() }.start() }
                try await Task.sleep(for: .seconds(1))
                node.crash()
                wait(for: semaphore)
            }
        }
        #expect("\(try #require(error))".hasPrefix("nobody can go on, and 1 thread waits"))
    }

    @Test func `an initialiser of pthread_once runs once, and others wait for it`() throws {
        let counts = try Threads.outcomes(seeds: 1...20) {
            let once = Once()
            let threads = (1...3).map { _ in PosixThread { once.initialised() } }
            return threads.map { $0.join() }
        }
        #expect(counts == [[1, 1, 1]: 20])
    }

    @Test func `what threads do is the same twice, with memory at other addresses`() throws {
        for seed in 1...20 as ClosedRange<UInt64> {
            try Simulation.checkDeterminism(seed: seed, configuration: Threads.configuration) {
                let (lock, condition, count) = (NSLock(), NSCondition(), Counted())
                let threads = (1...4).map { number in
                    PosixThread {
                        for _ in 1...3 { lock.withLock { count.value += number } }
                        condition.lock()
                        count.waiting += 1
                        condition.broadcast()
                        while count.waiting < 4 { condition.wait() }
                        condition.unlock()
                        Thread.sleep(forTimeInterval: Double(number) / 10)
                        return 0
                    }
                }
                for thread in threads { _ = thread.join() }
            }
        }
    }
}

private enum Slow {
    static let count = Shared(0)
    static let value = {
        count.withLock { $0 += 1 }
        for _ in 1...5 { letOthersRun() }
        return count.withLock { $0 }
    }()
}

/// A token of pthread_once(3), whose initialiser counts.
@safe private final class Once: @unchecked Sendable {
    // Invariant that makes this Sendable: simulated threads run one at a time.
    private let token = UnsafeMutablePointer<pthread_once_t>.allocate(capacity: 1)
    private static let count = Shared(0)

    init() {
        unsafe token.initialize(to: pthread_once_t())
        Self.count.withLock { $0 = 0 }
    }
    deinit { unsafe token.deallocate() }

    func initialised() -> Int {
        unsafe pthread_once(token) {
            for _ in 1...5 { letOthersRun() }
            Once.count.withLock { $0 += 1 }
        }
        return Self.count.withLock { $0 }
    }
}

private final class Ending: Sendable {
    @TaskLocal static var current: Ending?

    private let end: @Sendable () -> Void
    init(_ end: @escaping @Sendable () -> Void) { self.end = end }
    deinit { end() }
}

@MainActor private func noteOnMain(_ number: Int, in journal: Journal) {
    journal.note(number)
    blockBriefly()
    journal.note(number)
}

private func waitInARunLoop(for seconds: TimeInterval) async {
    func wait() { _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: seconds)) }
    wait()
}

/// A sleep of no time.
private func letOthersRun() { usleep(0) }
private func blockBriefly() { Thread.sleep(forTimeInterval: 0.001) }
private func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }

@Suite(
    "Deadlocks of threads",
    .enabled(if: Threads.areSimulated, "this machine lets no program change its thread pointer"),
    .timeLimit(.minutes(5))
)
struct ThreadDeadlockTests {
    private static let line = #line + 4

    private static func lockInTwoOrders() async {
        let (first, second) = (NSLock(), NSLock())
        await withTaskGroup(of: Void.self) { group in
            group.addTask { first.withLock { second.withLock {} } }
            group.addTask { second.withLock { first.withLock {} } }
        }
    }

    @Test func `two tasks that lock in two orders, without any await, end blocked in some seeds`() throws {
        var failures: [String] = []
        for seed in 1...200 as ClosedRange<UInt64> {
            do {
                try Simulation(seed: seed, configuration: Threads.configuration).run {
                    await Self.lockInTwoOrders()
                }
            } catch { failures.append("\(error)") }
        }
        #expect((5...150).contains(failures.count), "\(failures.count)")
        let first = try #require(failures.first)
        #expect(first.hasPrefix("nobody can go on, and 2 threads wait"), "\(first)")
        #expect(
            first.contains("ThreadTests.swift:\(Self.line + 1): task 2 waits for a lock that task 3 holds\n"),
            "\(first)"
        )
        #expect(
            first.contains("ThreadTests.swift:\(Self.line + 2): task 3 waits for a lock that task 2 holds\n"),
            "\(first)"
        )
    }

    @Test func `a thread that waits for what nobody does is named with its line`() throws {
        let wait = #line + 4
        @Sendable func waitForNobody() {
            let semaphore = DispatchSemaphore(value: 0)
            _ = PosixThread {
                semaphore.wait()
                return 0
            }.join()
        }
        let error = #expect(throws: SimulationError.self) {
            try Simulation(seed: 1, configuration: Threads.configuration).run { waitForNobody() }
        }
        let text = "\(try #require(error))"
        #expect(text.contains("task 1 waits for what nobody does any more"), "\(text)")
        #expect(
            text.contains("at ThreadTests.swift:\(wait): thread 2 waits for what nobody does any more"),
            "\(text)"
        )
    }
}
