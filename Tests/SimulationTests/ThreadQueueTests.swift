import Foundation
import Simulation
import Testing

@Suite(
    "Threads, queues and initialisers",
    .enabled(if: Threads.areSimulated, "this machine lets no program change its thread pointer"),
    .timeLimit(.minutes(5))
)
struct ThreadQueueTests {
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

    @Test func `each node has a main queue of its own, also where one waits in it`() throws {
        let notes = try Threads.outcomes(seeds: 1...50) {
            let (journal, simulation) = (Journal(), try #require(Simulation.current))
            let never = DispatchSemaphore(value: 0)
            let first = simulation.node("first")
            try await first.run { DispatchQueue.main.async { never.wait() } }
            try await Task.sleep(for: .seconds(1))
            try await simulation.node("second").run { DispatchQueue.main.async { journal.note(2) } }
            try await Task.sleep(for: .seconds(1))
            first.crash()
            first.restart()
            try await first.run { DispatchQueue.main.async { journal.note(1) } }
            try await Task.sleep(for: .seconds(1))
            return journal.all
        }
        #expect(notes == [[2, 1]: 50])
    }

    @Test func `what a thread had the main queue do is left out where the thread is gone`() throws {
        let counts = try Threads.outcomes(seeds: 1...50) {
            let journal = Journal()
            Thread { DispatchQueue.main.sync { journal.note(1) } }.start()
            Task { try? await Task.sleep(for: .seconds(5)) }
            return journal.all.count
        }
        #expect(counts == [0: 50])
    }

    @Test func `poll sees what another thread writes`() throws {
        let answers = try Threads.outcomes(seeds: 1...20) {
            var ends: [CInt] = [0, 0]
            guard unsafe pipe(&ends) == 0 else { return -1 }
            let (reading, writing) = (ends[0], ends[1])
            defer { for end in [reading, writing] { close(end) } }
            let thread = PosixThread {
                Thread.sleep(forTimeInterval: 3)
                var byte: UInt8 = 7
                return unsafe write(writing, &byte, 1)
            }
            let answer = waitToRead(reading)
            return answer + thread.join()
        }
        #expect(answers == [2: 20])
    }

    @Test func `an initialiser of pthread_once runs once, and others wait for it`() throws {
        let counts = try Threads.outcomes(seeds: 1...20) {
            let once = Once()
            let threads = (1...3).map { _ in PosixThread { once.initialised() } }
            return threads.map { $0.join() }
        }
        #expect(counts == [[1, 1, 1]: 20])
    }
}
