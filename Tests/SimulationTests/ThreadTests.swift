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

    @Test func `a wait for a lock of readers ends at its limit`() throws {
        let ends = try Threads.outcomes(seeds: 1...20) {
            let (lock, start) = (SharedLock(), ContinuousClock.now)
            let writer = PosixThread {
                lock.write {
                    Thread.sleep(forTimeInterval: 10)
                    return 0
                }
            }
            let reader = PosixThread {
                Thread.sleep(forTimeInterval: 1)
                let isLocked = lock.isRead(before: Date(timeIntervalSinceNow: 2))
                let passed = ContinuousClock.now - start
                return !isLocked && passed >= .seconds(2) && passed < .seconds(4) ? 1 : 0
            }
            return reader.join() + writer.join()
        }
        #expect(ends == [1: 20])
    }

    @Test func `a thread ends in its middle with a result, and goes on where it was cancelled`() throws {
        let results = try Threads.outcomes(seeds: 1...20) {
            let exiting = PosixThread { unsafe pthread_exit(UnsafeMutableRawPointer(bitPattern: 5)) }
            let cancelled = PosixThread {
                for _ in 1...3 { letOthersRun() }
                pthread_testcancel()
                return 7
            }
            pthread_cancel(cancelled.handle)
            return [exiting.join(), cancelled.join()]
        }
        #expect(results == [[5, 7]: 20])
    }

    @Test func `a check after each step is not interrupted`() throws {
        let counts = try Threads.outcomes {
            let (lock, count) = (NSLock(), Counted())
            let simulation = try #require(Simulation.current)
            simulation.always("two readings are the same") {
                lock.withLock { count.value } == lock.withLock { count.value }
            }
            let threads = (1...3).map { _ in
                PosixThread {
                    for _ in 1...3 { lock.withLock { count.value += 1 } }
                    return 0
                }
            }
            for thread in threads { _ = thread.join() }
            return count.value
        }
        #expect(counts == [9: 200])
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

    @Test func `a thread has a name, and its own rounding of numbers`() throws {
        let names = try Threads.outcomes(seeds: 1...20) {
            let threads = [(1, Rounding.up), (2, Rounding.down)].map { number, rounding in
                PosixThread {
                    Thread.current.name = "thread \(number)"
                    fesetround(rounding)
                    for _ in 1...3 { letOthersRun() }
                    let isOwn = Thread.current.name == "thread \(number)"
                    return isOwn && fegetround() == rounding ? 1 : 0
                }
            }
            return threads.map { $0.join() } + [fegetround() == Rounding.nearest ? 1 : 0]
        }
        #expect(names == [[1, 1, 1]: 20])
    }

    @Test func `an object that takes a lock at its end is the same twice`() throws {
        for seed in 1...50 as ClosedRange<UInt64> {
            _ = try Simulation.checkDeterminism(seed: seed, configuration: Threads.configuration) {
                let (lock, count) = (NSLock(), Counted())
                for _ in 1...3 {
                    let tasks = (1...3).map { _ in
                        Task { Ending { for _ in 1...2 { lock.withLock { count.value += 1 } } } }
                    }
                    for task in tasks { _ = await task.value }
                }
            }
        }
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
