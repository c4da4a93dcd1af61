import Dispatch
import Foundation
import Simulation
import SimulationTesting
import Testing

/// Runs a body from many seeds with Dispatch in the simulation.
///
/// - Returns: What it returned, by how often.
func outcomesWithDispatch<Value: Hashable & Sendable>(
    seeds: ClosedRange<UInt64> = 1...200,
    _ body: @escaping @Sendable () async throws -> Value
) throws -> [Value: Int] {
    var configuration = Simulation.Configuration()
    configuration.dispatch = .simulated
    var all: [Value: Int] = [:]
    for seed in seeds {
        all[try Simulation(seed: seed, configuration: configuration).run(body), default: 0] += 1
    }
    return all
}

/// What blocks have done, in order.
final class Journal: Sendable {
    private let entries = Shared<[Int]>([])
    var all: [Int] { entries.withLock { $0 } }
    func note(_ entry: Int) { entries.withLock { $0.append(entry) } }
}

func ended(_ group: DispatchGroup, on queue: DispatchQueue) async {
    await withCheckedContinuation { done in group.notify(queue: queue) { done.resume() } }
}

@Suite("Dispatch in a simulation", .timeLimit(.minutes(5)))
struct DispatchTests {
    private let own = DispatchQueue(label: "own")

    @Test func `a serial queue runs its blocks in the order in which it got them`() throws {
        let all = try outcomesWithDispatch {
            let (queue, journal) = (DispatchQueue(label: "serial"), Journal())
            await withCheckedContinuation { done in
                for number in 1...5 { queue.async { journal.note(number) } }
                queue.async { done.resume() }
            }
            return journal.all
        }
        #expect(all == [[1, 2, 3, 4, 5]: 200])
    }

    @Test func `blocks of a concurrent queue and of several queues come in any order`() throws {
        let concurrent = try outcomesWithDispatch {
            let (queue, journal) = (DispatchQueue(label: "concurrent", attributes: .concurrent), Journal())
            let group = DispatchGroup()
            for number in 1...3 { queue.async(group: group) { journal.note(number) } }
            await ended(group, on: queue)
            return journal.all
        }
        #expect(concurrent.count == 6)
        let several = try outcomesWithDispatch {
            let (journal, group) = (Journal(), DispatchGroup())
            let queues = (1...3).map { DispatchQueue(label: "\($0)") }
            for (number, queue) in queues.enumerated() { queue.async(group: group) { journal.note(number) } }
            await ended(group, on: .global())
            return journal.all
        }
        #expect(several.count == 6)
    }

    @Test func `a barrier comes after what was before it, and before what follows`() throws {
        let all = try outcomesWithDispatch {
            let queue = DispatchQueue(label: "concurrent", qos: .utility, attributes: .concurrent)
            let (journal, group) = (Journal(), DispatchGroup())
            for number in 1...2 { queue.async(group: group) { journal.note(number) } }
            queue.async(group: group, flags: .barrier) { journal.note(0) }
            for number in 3...4 { queue.async(group: group) { journal.note(number) } }
            await ended(group, on: queue)
            return journal.all
        }
        #expect(all.count == 4 && all.keys.allSatisfy { Set($0.prefix(2)) == [1, 2] && $0[2] == 0 })
    }

    @Test func `delays pass in virtual time, and a shorter one ends first`() throws {
        let all = try outcomesWithDispatch {
            let (queue, journal) = (DispatchQueue(label: "serial"), Journal())
            let start = ContinuousClock.now
            await withCheckedContinuation { done in
                queue.asyncAfter(deadline: .now() + 3_600) { done.resume() }
                queue.asyncAfter(deadline: .now() + .seconds(20)) { journal.note(20) }
                queue.asyncAfter(wallDeadline: .now() + 10) { journal.note(10) }
                DispatchQueue.main.asyncAfter(deadline: .now() + 1) { journal.note(1) }
            }
            let passed = ContinuousClock.now - start
            return [passed >= .seconds(3_600) && passed < .seconds(3_601) ? 0 : -1] + journal.all
        }
        #expect(all == [[0, 1, 10, 20]: 200])
    }

    @Test func `the main queue is the main actor's, in the order of both`() throws {
        let all = try outcomesWithDispatch {
            let journal = Journal()
            await withCheckedContinuation { done in
                DispatchQueue.main.async {
                    dispatchPrecondition(condition: .onQueue(.main))
                    MainActor.assumeIsolated { journal.note(1) }
                }
                Task { @MainActor in journal.note(2) }
                DispatchQueue.main.async {
                    journal.note(3)
                    done.resume()
                }
            }
            return journal.all
        }
        #expect(all == [[1, 2, 3]: 200])
    }

    @Test func `assertions and specific values are those of the queue on which a block runs`() throws {
        _ = try outcomesWithDispatch(seeds: 1...20) { [own] in
            let key = DispatchSpecificKey<String>()
            own.setSpecific(key: key, value: "own")
            let value = await withCheckedContinuation { done in
                own.async {
                    dispatchPrecondition(condition: .onQueue(own))
                    done.resume(returning: DispatchQueue.getSpecific(key: key))
                }
            }
            #expect(value == "own" && DispatchQueue.getSpecific(key: key) == nil)
            return 0
        }
    }

    @Test func `who enters a queue comes after what it was given before`() throws {
        let all = try outcomesWithDispatch {
            let (serial, journal) = (DispatchQueue(label: "serial"), Journal())
            for number in 1...2 { serial.async { journal.note(number) } }
            let value = serial.sync {
                journal.note(3)
                return 4
            }
            journal.note(value)
            let concurrent = DispatchQueue(label: "concurrent", attributes: .concurrent)
            concurrent.async(flags: .barrier) { journal.note(5) }
            concurrent.sync { journal.note(6) }
            return journal.all
        }
        #expect(all == [[1, 2, 3, 4, 5, 6]: 200])
    }

    @Test func `a wait for a group, a semaphore or a work item runs what ends it`() throws {
        let all = try outcomesWithDispatch {
            let (queue, journal) = (DispatchQueue(label: "serial"), Journal())
            let (group, semaphore) = (DispatchGroup(), DispatchSemaphore(value: 0))
            queue.async(group: group) { journal.note(1) }
            group.wait()
            queue.asyncAfter(deadline: .now() + 60) {
                journal.note(2)
                semaphore.signal()
            }
            semaphore.wait()
            let item = DispatchWorkItem { journal.note(3) }
            DispatchQueue.global().async(execute: item)
            item.wait()
            return journal.all
        }
        #expect(all == [[1, 2, 3]: 200])
    }

    @Test func `a work item that was cancelled does nothing, and tells its end all the same`() throws {
        let all = try outcomesWithDispatch {
            let (queue, journal) = (DispatchQueue(label: "serial"), Journal())
            let item = DispatchWorkItem { journal.note(1) }
            await withCheckedContinuation { done in
                item.notify(queue: queue) { done.resume() }
                queue.async(execute: item)
                item.cancel()
            }
            return journal.all
        }
        #expect(all == [[]: 200])
    }

    @Test func `a queue that is suspended or inactive runs nothing until it goes on`() throws {
        let all = try outcomesWithDispatch {
            let (journal, queue) = (Journal(), DispatchQueue(label: "serial"))
            let inactive = DispatchQueue(label: "inactive", attributes: [.concurrent, .initiallyInactive])
            queue.suspend()
            queue.async { journal.note(2) }
            inactive.async { journal.note(4) }
            try await Task.sleep(for: .seconds(1))
            journal.note(1)
            queue.resume()
            try await Task.sleep(for: .seconds(1))
            journal.note(3)
            inactive.activate()
            try await Task.sleep(for: .seconds(1))
            return journal.all
        }
        #expect(all == [[1, 2, 3, 4]: 200])
    }

    @Test func `operations run as their queue and their dependencies have it`() throws {
        let all = try outcomesWithDispatch(seeds: 1...50) {
            let (operations, journal) = (OperationQueue(), Journal())
            let first = BlockOperation { journal.note(1) }
            let second = BlockOperation { journal.note(2) }
            second.addDependency(first)
            await withCheckedContinuation { done in
                second.completionBlock = { done.resume() }
                operations.addOperation(second)
                operations.addOperation(first)
            }
            return journal.all
        }
        #expect(all == [[1, 2]: 50])
    }

    @Test func `nothing escapes, and each seed repeats step by step and block by block`() throws {
        var configuration = Simulation.Configuration()
        configuration.dispatch = .simulated
        var orders: Set<[Int]> = []
        for seed in 1...50 as ClosedRange<UInt64> {
            let runs = Shared<[[Int]]>([])
            try Simulation.checkDeterminism(seed: seed, configuration: configuration) {
                let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
                let (group, journal) = (DispatchGroup(), Journal())
                for number in 0..<10 {
                    group.enter()
                    queue.asyncAfter(deadline: .now() + .milliseconds(number % 3)) {
                        journal.note(number)
                        group.leave()
                    }
                    queue.async(group: group, flags: number == 5 ? .barrier : []) {
                        journal.note(10 + number)
                    }
                }
                await ended(group, on: .main)
                runs.withLock { $0.append(journal.all) }
            }
            let all = runs.withLock { $0 }
            #expect(all.count == 2 && all[0] == all[1])
            orders.insert(all[0])
        }
        #expect(orders.count > 40)
    }

    @Test func `a delay of no time keeps its place, and so does an item with a barrier that is entered`()
        throws
    {
        let all = try outcomesWithDispatch {
            let (serial, journal) = (DispatchQueue(label: "serial"), Journal())
            serial.asyncAfter(deadline: .now()) { journal.note(1) }
            serial.async { journal.note(2) }
            serial.sync {}
            let concurrent = DispatchQueue(label: "concurrent", attributes: .concurrent)
            concurrent.async { journal.note(3) }
            concurrent.sync(execute: DispatchWorkItem(flags: .barrier) { journal.note(4) })
            return journal.all
        }
        #expect(all == [[1, 2, 3, 4]: 200])
    }

    @Test func `the library's global queues take no notice of barriers`() throws {
        let all = try outcomesWithDispatch {
            let (journal, group) = (Journal(), DispatchGroup())
            DispatchQueue.global().async(group: group) { journal.note(1) }
            DispatchQueue.global().async(group: group, flags: .barrier) { journal.note(2) }
            await ended(group, on: .global())
            return journal.all
        }
        #expect(all.count == 2)
    }

    @Test func `a queue whose target is the main queue runs there`() throws {
        let all = try outcomesWithDispatch(seeds: 1...50) {
            let queue = DispatchQueue(label: "main's", target: .main)
            return await withCheckedContinuation { done in
                queue.async {
                    dispatchPrecondition(condition: .onQueue(queue))
                    dispatchPrecondition(condition: .onQueue(.main))
                    done.resume(returning: MainActor.assumeIsolated { 1 })
                }
            }
        }
        #expect(all == [1: 50])
    }

    @Test func `who waits on a queue keeps out what has the same target`() throws {
        let all = try outcomesWithDispatch {
            let (base, journal) = (DispatchQueue(label: "base"), Journal())
            let (left, right) = (
                DispatchQueue(label: "l", target: base), DispatchQueue(label: "r", target: base)
            )
            let (both, one) = (DispatchGroup(), DispatchGroup())
            left.async(group: both) {
                DispatchQueue.global().async(group: one) { journal.note(1) }
                one.wait()
                journal.note(2)
            }
            right.async(group: both) { journal.note(3) }
            await ended(both, on: .global())
            return journal.all
        }
        #expect(all == [[1, 2, 3]: 200], "\(all)")
    }

    @Test func `what would fill a cache twice, and two queues that enter each other, are found`() throws {
        let filled = try outcomesWithDispatch {
            let queue = DispatchQueue(label: "cache", attributes: .concurrent)
            let (count, cached, group) = (Shared(0), Shared(false), DispatchGroup())
            @Sendable func fill() {
                count.withLock { $0 += 1 }
                queue.async(group: group, flags: .barrier) { cached.withLock { $0 = true } }
            }
            for _ in 0..<2 {
                DispatchQueue.global().async(group: group) {
                    let isMissing = !queue.sync { cached.withLock { $0 } }
                    if isMissing { DispatchQueue.global().async(group: group) { fill() } }
                }
            }
            await ended(group, on: .global())
            return count.withLock { $0 }
        }
        #expect(filled[1] ?? 0 > 0 && filled[2] ?? 0 > 0, "\(filled)")
        var configuration = Simulation.Configuration()
        configuration.dispatch = .simulated
        var blocked = 0
        for seed in 1...50 as ClosedRange<UInt64> {
            do {
                try Simulation(seed: seed, configuration: configuration).run {
                    let (left, right) = (DispatchQueue(label: "left"), DispatchQueue(label: "right"))
                    let group = DispatchGroup()
                    left.async(group: group) { right.sync {} }
                    right.async(group: group) { left.sync {} }
                    await ended(group, on: .global())
                }
            } catch SimulationError.blocked { blocked += 1 }
        }
        #expect(blocked > 0)
    }

    private final class OwnQueue: SerialExecutor {
        let queue = DispatchQueue(label: "actor")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
    }

    /// An actor whose jobs a queue runs.
    private actor OnQueue {
        private let executor = OwnQueue()
        nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
        private var entries: [Int] = []

        func add(_ entry: Int) -> [Int] {
            dispatchPrecondition(condition: .onQueue(executor.queue))
            entries.append(entry)
            return entries
        }
    }

    @Test func `an actor whose executor is a queue runs there, and its callers come in any order`() throws {
        let all = try outcomesWithDispatch {
            let actor = OnQueue()
            return await withTaskGroup(of: [Int].self) { group in
                for number in 1...3 { group.addTask { await actor.add(number) } }
                return await group.reduce([]) { $0.count > $1.count ? $0 : $1 }
            }
        }
        #expect(all.count == 6)
    }

    @Test func `a node that crashes takes its queues with it, and a new life has them empty`() throws {
        let all = try outcomesWithDispatch(seeds: 1...50) { [own] in
            let journal = Journal()
            let lives = Shared(0)
            let node = try #require(Simulation.current).node("server")
            node.start {
                if lives.withLock({ lives in
                    lives += 1
                    return lives
                }) == 2 {
                    return own.async { journal.note(4) }
                }
                own.asyncAfter(deadline: .now() + 10) { journal.note(1) }
                let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "timers"))
                timer.schedule(deadline: .now() + 1, repeating: 1)
                timer.setEventHandler { journal.note(3) }
                timer.activate()
                try? await Task.sleep(for: .seconds(2.5))
                own.suspend()
                own.async { journal.note(2) }
                try? await Task.sleep(for: .seconds(100))
            }
            try await Task.sleep(for: .seconds(2.7))
            node.crash()
            node.restart()
            try await Task.sleep(for: .seconds(60))
            return journal.all
        }
        #expect(all == [[3, 3, 4]: 50], "\(all)")
    }

    @Test func `queues with one serial target run their blocks in the order of all of them`() throws {
        let all = try outcomesWithDispatch {
            let (target, journal) = (DispatchQueue(label: "target"), Journal())
            let first = DispatchQueue(label: "first", target: target)
            let second = DispatchQueue(label: "second", attributes: .concurrent, target: target)
            let group = DispatchGroup()
            second.async(group: group) { journal.note(0) }
            target.async(group: group) { journal.note(1) }
            first.async(group: group) { journal.note(2) }
            second.async(group: group) { journal.note(3) }
            first.async(group: group) { journal.note(4) }
            first.sync { journal.note(5) }
            first.suspend()
            first.async(group: group) { journal.note(8) }
            target.async(group: group) { journal.note(6) }
            target.sync { journal.note(7) }
            first.resume()
            await ended(group, on: target)
            return journal.all
        }
        #expect(all == [[0, 1, 2, 3, 4, 5, 6, 7, 8]: 200])
    }

    @Test func `a wait that only a task could end ends the run as blocked`() throws {
        var configuration = Simulation.Configuration()
        configuration.dispatch = .simulated
        for wait in Wait.allCases {
            do {
                try Simulation(seed: 1, configuration: configuration).run { wait.happen() }
                Issue.record("\(wait)")
            } catch SimulationError.blocked {}
        }
    }

    @Test func `a run loop that waits keeps its thread, and is named`() throws {
        var configuration = Simulation.Configuration()
        configuration.dispatch = .simulated
        let error = #expect(throws: SimulationError.self) {
            try Simulation(seed: 1, configuration: configuration).run { runLoopRuns() }
        }
        #expect("\(try #require(error))".contains("RunLoop.run"))
    }

    private enum Wait: CaseIterable {
        case semaphore, besideTimer, main, own

        func happen() {
            let queue = DispatchQueue(label: "serial")
            switch self {
            case .semaphore:
                let semaphore = DispatchSemaphore(value: 0)
                Task { semaphore.signal() }
                semaphore.wait()
            case .besideTimer:
                let timer = DispatchSource.makeTimerSource(queue: queue)
                timer.schedule(deadline: .now(), repeating: .seconds(86_400))
                timer.setEventHandler {}
                timer.resume()
                DispatchSemaphore(value: 0).wait()
            case .main: DispatchQueue.main.sync {}
            case .own: queue.sync { queue.sync {} }
            }
        }
    }

    @Test func `without the configuration it is an escape, which says how to let it in`() throws {
        let error = #expect(throws: SimulationError.self) {
            try Simulation(seed: 1).run { DispatchQueue(label: "serial").async {} }
        }
        #expect("\(try #require(error))".contains("Configuration.dispatch"))
    }
}

/// Not asynchronous, so that it may.
private func runLoopRuns() { _ = RunLoop.current.run(mode: .default, before: Date() + 1) }
