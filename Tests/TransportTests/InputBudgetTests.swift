import Dispatch
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import LiveTransport

@Suite("The budget of memory of a listener", .timeLimit(.minutes(5)))
struct InputBudgetTests {
    /// Shares by name, and which of them were chosen, in this order.
    private struct World {
        let time = Box(NIODeadline.uptimeNanoseconds(0))
        let chosen = Box<[String]>([])
        let budget: InputBudget
        private let loop = MultiThreadedEventLoopGroup.singleton.next()

        init(capacity: Int) {
            budget = InputBudget(capacity: capacity) { [time] in time.value }
        }

        /// A connection that gives up everything at once.
        func share(_ name: String) -> MemoryShare {
            let share = budget.share()
            share.whenGivenUp(on: loop) { [chosen] done in
                chosen.append(name)
                share.remove(share.held)
                done()
            }
            return share
        }

        func pass(_ time: TimeAmount) { self.time.set(self.time.value + time) }

        /// What the loop was given before is done before, and what that gave it before the next.
        func settle() async throws {
            for _ in 0..<3 { try await loop.submit {}.get() }
        }
    }

    @Test("what a share still holds after it gave up counts again")
    func rest() async throws {
        let budget = InputBudget(capacity: 120)
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let (large, small) = (budget.share(), budget.share())
        let calls = Box<[String]>([])
        small.whenGivenUp(on: loop) { done in
            calls.append("small")
            done()
        }
        large.whenGivenUp(on: loop) { done in
            calls.append("large")
            // Half of it each time.
            large.remove(large.held == 100 ? 20 : 80)
            done()
        }
        large.add(100)
        small.add(60)
        // What the loop was given before is done before, and what that gave it before the next.
        for _ in 0..<3 { try await loop.submit {}.get() }
        #expect(calls.value == ["large", "large"])
        #expect(budget.held == 60)
    }

    @Test("many that stand still with a little give it up before a quick peer with more than each of them")
    func quick() async throws {
        let world = World(capacity: 100_000)
        let slow = (0..<9).map { world.share("slow \($0)") }
        for share in slow {
            share.add(10_500)
            world.pass(.milliseconds(200))
        }
        let quick = world.share("quick")
        quick.add(15_000)
        try await world.settle()
        #expect(world.chosen.value == ["slow 0"])
        #expect(world.budget.held == 8 * 10_500 + 15_000)
    }

    @Test("a connection that holds no more than its part never gives it up")
    func part() async throws {
        let world = World(capacity: 100_000)
        let small = (0..<4).map { world.share("small \($0)") }
        for share in small { share.add(20_000) }
        world.pass(.seconds(60))
        let large = world.share("large")
        large.add(20_001)
        try await world.settle()
        #expect(world.chosen.value == ["large"])
    }

    @Test("who fills the memory gives it up before those that have held little for long")
    func filling() async throws {
        let world = World(capacity: 1_000_000)
        let slow = world.share("slow")
        slow.add(60_000)
        world.pass(.seconds(10))
        // Their part is less than what the slow one holds.
        let others = (0..<20).map { world.share("other \($0)") }
        for share in others { share.add(1) }
        let large = world.share("large")
        for _ in 0..<14 { large.add(65_536) }
        large.add(100_000)
        try await world.settle()
        #expect(world.chosen.value == ["large"])
        #expect(world.budget.held == 60_020)
    }

    @Test("small messages in between do not make a large one look new")
    func between() async throws {
        let world = World(capacity: 100_000)
        let (old, new) = (world.share("old"), world.share("new"))
        old.add(40_000)
        for _ in 0..<20 {
            world.pass(.milliseconds(100))
            old.add(100)
            old.remove(100)
        }
        let others = (0..<2).map { world.share("other \($0)") }
        for share in others { share.add(1) }
        new.add(60_001)
        try await world.settle()
        #expect(world.chosen.value == ["old"])
    }

    @Test("messages that follow each other at once hold nothing for long")
    func following() async throws {
        let world = World(capacity: 120_000)
        let (busy, slow) = (world.share("busy"), world.share("slow"))
        for number in 0..<100 {
            if number == 50 { slow.add(60_001) }
            busy.add(50_000)
            world.pass(.milliseconds(100))
            busy.remove(50_000)
        }
        busy.add(70_000)
        try await world.settle()
        #expect(world.chosen.value == ["slow"])
    }

    @Test("what has ended goes first, but for what is within its part")
    func ended() async throws {
        let world = World(capacity: 1_000_000)
        let (slow, ended, small) = (world.share("slow"), world.share("ended"), world.share("small"))
        slow.add(400_000)
        small.add(100)
        small.end()
        world.pass(.seconds(60))
        ended.add(500_000)
        ended.keep(ObjectIdentifier(ended)) { [chosen = world.chosen] in
            chosen.append("ended")
            ended.remove(ended.held)
        }
        ended.end()
        let new = world.share("new")
        new.add(100_000)
        try await world.settle()
        #expect(world.chosen.value == ["ended"])
        #expect(world.budget.held == 500_100)
    }

    /// A connection that has ended, and what is discarded of it.
    private func ended(_ name: String, _ bytes: Int, in world: World) -> MemoryShare {
        let share = world.budget.share()
        share.add(bytes)
        share.keep(ObjectIdentifier(share)) { [chosen = world.chosen] in
            chosen.append(name)
            share.remove(share.held)
        }
        share.end()
        return share
    }

    @Test("all that have ended together have no more than one part, however little each of them holds")
    func endedTogether() async throws {
        let world = World(capacity: 100_000)
        var all: [MemoryShare] = []
        for number in 0..<90 {
            all.append(ended("ended \(number)", 1000, in: world))
            world.pass(.milliseconds(100))
        }
        let open = world.share("open")
        open.add(45_000)
        try await world.settle()
        #expect(world.chosen.value == (0..<35).map { "ended \($0)" })
        #expect(world.budget.held == 100_000)
        // They hold more than the part of 50,000 still, and the open one does not.
        open.add(4_500)
        try await world.settle()
        #expect(world.chosen.value.count == 40)
        #expect(open.held == 49_500)
    }

    @Test("what all that have ended hold within one part is not given up for one that fills the memory")
    func endedWithinPart() async throws {
        let world = World(capacity: 100_000)
        let all = (0..<10).map { ended("ended \($0)", 4_000, in: world) }
        world.pass(.seconds(60))
        let open = world.share("open")
        open.add(60_001)
        try await world.settle()
        #expect(world.chosen.value == ["open"])
        #expect(all.allSatisfy { $0.held == 4_000 })
    }

    @Test("an element that is taken before it is counted leaves no trace in the choice")
    func takenFirst() async throws {
        let world = World(capacity: 100_000)
        let (busy, large, other) = (world.share("busy"), world.share("large"), world.share("other"))
        world.pass(.seconds(1))
        busy.remove(100)
        world.pass(.seconds(1))
        busy.add(100)
        busy.add(34_000)
        other.add(34_000)
        large.add(40_000)
        try await world.settle()
        #expect(world.chosen.value == ["large"])
    }

    @Test("a connection that has taken what it held meanwhile goes on")
    func nothingLeft() async throws {
        let world = World(capacity: 100_000)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let (gate, share) = (DispatchSemaphore(value: 0), world.budget.share())
        share.whenGivenUp(on: group.next()) { [chosen = world.chosen] done in
            chosen.append("share")
            share.remove(share.held)
            done()
        }
        group.next().execute { gate.wait() }
        share.add(100_001)
        share.remove(100_001)
        gate.signal()
        for _ in 0..<3 { try await group.next().submit {}.get() }
        #expect(world.chosen.value.isEmpty)
        share.add(100_001)
        for _ in 0..<3 { try await group.next().submit {}.get() }
        #expect(world.chosen.value == ["share"])
        try await group.shutdownGracefully()
    }

    @Test("bytes that are being given up are not asked of others")
    func innocent() async throws {
        let budget = InputBudget(capacity: 100_000, clock: { .uptimeNanoseconds(0) })
        let group = MultiThreadedEventLoopGroup.singleton
        let (large, middle, small) = (budget.share(), budget.share(), budget.share())
        let (given, disturbed) = (Box(0), Box(0))
        for share in [middle, small] {
            share.whenGivenUp(on: group.next()) { done in
                disturbed.increment()
                done()
            }
        }
        middle.add(60_000)
        let loop = group.next()
        large.whenGivenUp(on: loop) { done in
            large.remove(large.held)
            given.increment()
            done()
        }
        let isOver = Box(false)
        await withTaskGroup { tasks in
            tasks.addTask {
                for _ in 0..<20_000 {
                    large.add(150_000)
                    try? await loop.submit {}.get()
                }
                isOver.set(true)
            }
            tasks.addTask {
                while !isOver.value {
                    small.add(10)
                    small.remove(10)
                    await Task.yield()
                }
            }
        }
        // What was asked for last is given up, too.
        for _ in 0..<3 { try await loop.submit {}.get() }
        #expect(given.value > 10_000)
        #expect(budget.held <= 100_000)
        #expect(disturbed.value == 0)
    }
}
