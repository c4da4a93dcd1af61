import Dispatch
import Foundation
import Glibc
import Simulation
import Testing

@Suite("Sources of Dispatch in a simulation", .timeLimit(.minutes(5)))
struct DispatchSourceTests {
    @Test func `a timer fires again and again until it is cancelled, and says so`() throws {
        let all = try outcomesWithDispatch {
            let (queue, journal) = (DispatchQueue(label: "timers"), Journal())
            let timer = DispatchSource.makeTimerSource(queue: queue)
            let start = ContinuousClock.now
            await withCheckedContinuation { done in
                timer.schedule(deadline: .now() + 1, repeating: 10)
                timer.setEventHandler {
                    journal.note(Int((ContinuousClock.now - start) / .seconds(1)))
                    if journal.all.count == 3 { timer.cancel() }
                }
                timer.setCancelHandler { done.resume() }
                timer.resume()
            }
            #expect(timer.isCancelled)
            try await Task.sleep(for: .seconds(100))
            return journal.all
        }
        #expect(all == [[1, 11, 21]: 200])
    }

    @Test
    func
        `a timer that is set again tells nothing of what was due before, and a suspended one nothing of its end`()
        throws
    {
        let all = try outcomesWithDispatch {
            let (queue, journal) = (DispatchQueue(label: "timers"), Journal())
            // Invariant that makes this Sendable: blocks of a simulation run on one thread, one after the other.
            nonisolated(unsafe) let timer = DispatchSource.makeTimerSource(queue: queue)
            unsafe timer.setEventHandler { journal.note(unsafe Int(timer.data)) }
            unsafe timer.setCancelHandler { journal.note(0) }
            unsafe timer.schedule(deadline: .now() + 1)
            unsafe timer.resume()
            queue.asyncAfter(deadline: .now() + 0.5) {
                // What is due meanwhile waits for this queue.
                let group = DispatchGroup()
                group.enter()
                DispatchQueue.global().asyncAfter(deadline: .now() + 2) { group.leave() }
                group.wait()
                unsafe timer.schedule(deadline: .now() + 10)
            }
            try await Task.sleep(for: .seconds(5))
            #expect(journal.all == [])
            try await Task.sleep(for: .seconds(20))
            unsafe timer.suspend()
            unsafe timer.cancel()
            try await Task.sleep(for: .seconds(1))
            #expect(journal.all == [1])
            unsafe timer.resume()
            try await Task.sleep(for: .seconds(1))
            return journal.all
        }
        #expect(all == [[1, 0]: 200])
    }

    @Test
    func `a signal that the program sends to itself comes to the sources of its node, and no other does`()
        throws
    {
        let all = try outcomesWithDispatch(seeds: 1...50) {
            let journal = Journal()
            @Sendable func watch(_ number: Int32, noting entry: Int) -> any DispatchSourceSignal {
                let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
                source.setEventHandler { journal.note(entry * Int(source.data)) }
                source.resume()
                return source
            }
            let node = try #require(Simulation.current).node("other")
            node.start {
                let source = watch(SIGUSR1, noting: 100)
                try? await Task.sleep(for: .seconds(60))
                source.cancel()
            }
            let (first, second) = (watch(SIGUSR1, noting: 1), watch(SIGUSR2, noting: 10))
            try await Task.sleep(for: .seconds(10))
            kill(getpid(), SIGUSR1)
            raise(SIGUSR1)
            try await Task.sleep(for: .seconds(10))
            for source in [first, second] { source.cancel() }
            return journal.all.reduce(0, +)
        }
        #expect(all == [2: 50])
    }

    @Test
    func `a source of data tells what was merged since its handler ran, and nothing once it is cancelled`()
        throws
    {
        let all = try outcomesWithDispatch {
            let (queue, journal) = (DispatchQueue(label: "data"), Journal())
            let source = DispatchSource.makeUserDataAddSource(queue: queue)
            source.setEventHandler { journal.note(Int(source.data)) }
            source.activate()
            source.add(data: 1)
            source.add(data: 2)
            try await Task.sleep(for: .seconds(1))
            source.add(data: 4)
            try await Task.sleep(for: .seconds(1))
            source.add(data: 8)
            source.cancel()
            source.add(data: 16)
            try await Task.sleep(for: .seconds(1))
            return journal.all
        }
        #expect(all == [[3, 4]: 200])
    }
}
