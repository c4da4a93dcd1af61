import Exploration
import Simulation
import Synchronization
import Testing

/// A cache that keeps an old price: a change while it asks is forgotten.
private actor Cache {
    private var known: Int?
    private let shop: Shop

    init(_ shop: Shop) { self.shop = shop }

    func price() async -> Int {
        if let known { return known }
        let fresh = await shop.price
        known = fresh  // late
        return fresh
    }

    func forget() {
        known = nil
    }
}

private actor Shop {
    private(set) var price = 100
    func change(to price: Int) { self.price = price }
}

private struct OldPrice: Error, NamedFailure { let failureName = "old price" }

private let stale = Program(name: "stale", summary: "") {
    let shop = Shop()
    let cache = Cache(shop)
    await withTaskGroup { group in
        group.addTask { _ = await cache.price() }
        group.addTask {
            await shop.change(to: 120)
            await cache.forget()  // early
        }
    }
    if await cache.price() != 120 { throw OldPrice() }
}

private actor Screen {
    private(set) var shown = ""
    func show(_ text: String) { shown = text }
}

/// Two searches whose timers decide which answer is shown last.
private let slow = Program(name: "slow", summary: "") {
    let screen = Screen()
    await withTaskGroup { group in
        group.addTask {
            try? await Task.sleep(for: .milliseconds(4))
            await screen.show("c")  // first search
        }
        group.addTask {
            try? await Task.sleep(for: .milliseconds(3))
            await screen.show("ca")  // second search
        }
    }
    if await screen.shown != "ca" { throw OldPrice() }
}

/// A task that waits on an actor, and notes on it that it was let in.
private actor Gate {
    private var waiter: CheckedContinuation<Void, Never>?
    private(set) var notes: [String] = []

    func wait() async {
        await withCheckedContinuation { waiter = $0 }
        notes.append("in")  // in
    }
    func open() { waiter?.resume() }
    func note() { notes.append("opened") }
}

private let gated = Program(name: "gated", summary: "") {
    let gate = Gate()
    let visitor = Task { await gate.wait() }
    try await Task.sleep(for: .milliseconds(1))
    await gate.open()
    await Task.yield()
    await gate.note()  // opened
    await visitor.value
    if await gate.notes != ["opened", "in"] { throw OldPrice() }
}

private actor Slot {
    private(set) var isFree = true
    func take() { isFree = false }
    func giveBack() { isFree = true }
}

/// A worker that keeps its slot when it is cancelled.
private let cancelled = Program(name: "cancelled", summary: "") {
    let slot = Slot()
    let worker = Task {
        await slot.take()
        for _ in 0..<3 {
            await Task.yield()  // work
            try Task.checkCancellation()  // check
        }
        await slot.giveBack()
    }
    await Task.yield()
    await Task.yield()
    worker.cancel()
    _ = await worker.result
    if await !slot.isFree { throw OldPrice() }
}

private actor Door {
    private var waiter: CheckedContinuation<Void, any Error>?
    private(set) var isOpen = false

    func open() {
        isOpen = true
        waiter?.resume()
        waiter = nil
    }
    func wait() async throws { try await withCheckedThrowingContinuation { waiter = $0 } }  // wait
}

/// A task that looks, and waits although somebody has come in between.
private let deaf = Program(name: "deaf", summary: "") {
    let door = Door()
    let visitor = Task {
        let isOpen = await door.isOpen  // look
        await Task.yield()
        if !isOpen { try await door.wait() }  // wait
    }
    for _ in 0..<3 { await Task.yield() }
    await door.open()  // open
    try await visitor.value
}

@Suite("Races")
struct RaceTests {
    @Test func `a failure that its order alone does not bring back has no race`() throws {
        let runs = Mutex(0)
        let fickle = Program(name: "fickle", summary: "fails when it runs for the second time") {
            let slot = Slot()
            await withTaskGroup { group in
                group.addTask { await slot.take() }
                group.addTask { await slot.giveBack() }
            }
            let number = runs.withLock { runs in
                runs += 1
                return runs
            }
            if number == 2 { throw OldPrice() }
        }
        let recipe = Recipe(seed: 1, strategy: .fifo, stalls: false)
        let trace = try #require(fickle.run(recipe, recording: .everything).trace)
        #expect(fickle.race(recipe, in: trace) == nil)
        // It has failed when it was asked for, and in no run by its order.
        #expect(runs.withLock { $0 } == 3)
    }

    private func lines(_ mark: String) -> [Int] {
        SourceLines.excerpt(around: 1, of: #filePath, lines: 1_000).enumerated()
            .filter { $0.element.hasSuffix("// \(mark)") }.map { $0.offset + 1 }
    }

    /// The lines of both sides, and of those that have called them.
    private func race(of program: Program) throws -> (race: Race, early: [Int], late: [Int], trace: Trace) {
        let seeds = (1...500 as ClosedRange<UInt64>).lazy.map { Recipe(seed: $0, strategy: .portfolio) }
        let found = try #require(seeds.first { program.run($0).failure != nil })
        let small = try Shrinker(program, limit: .seconds(300)).shrink(found).shrunk
        let trace = try #require(program.run(small, recording: .everything).trace)
        let race = try #require(program.race(small, in: trace, limit: .seconds(60)))
        func lines(_ side: Race.Side) -> [Int] { ([side.place] + side.callers.map(\.place)).map(\.line) }
        return (race, lines(race.early), lines(race.late), trace)
    }

    @Test func `two timers that decide a run are a race of what comes after them`() throws {
        let (race, early, late, _) = try race(of: slow)
        #expect(!Set(early).isDisjoint(with: lines("second search")), "\(race)")
        #expect(!Set(late).isDisjoint(with: lines("first search")), "\(race)")
    }

    @Test func `a task that is resumed on an actor can be delayed too`() throws {
        let (race, early, late, trace) = try race(of: gated)
        #expect(!Set(late).isDisjoint(with: lines("opened")), "\(race)")
        #expect(early.contains { abs($0 - (lines("in").first ?? 0)) <= 1 }, "\(race)")
        #expect(race.actor == "Gate")
        #expect(trace.steps.dropFirst().allSatisfy { $0.task > 0 }, "the task of each step is known")
    }

    @Test func `a step that only a passing run has is named as the one that must come first`() throws {
        let (race, _, late, trace) = try race(of: cancelled)
        #expect(race.early.task == 1)
        #expect(race.late.step == 0, "\(race)")
        #expect(!Set(late).isDisjoint(with: lines("work") + lines("check")), "\(race)")
        #expect(race.passing.count >= 2, "the order in which the run passes is there too")
        #expect(race.passing != race.failing)
        #expect(trace.marks.last?.fault == nil, "the failure has a place")
    }

    @Test func `a line of the program is named where it waits in a function of a library`() throws {
        let (race, early, late, trace) = try race(of: deaf)
        let named = Set(early + late)
        #expect(!named.isDisjoint(with: lines("open")), "\(race)")
        #expect(!named.isDisjoint(with: lines("wait") + lines("look")), "\(race)")
        for step in trace.steps.dropFirst() where step.task > 0 {
            #expect(trace.places[step.place].line > 0, "\(trace.places[step.place])")
        }
    }

    @Test func `a run that follows the order of another one does the same`() throws {
        for seed in 1...50 as ClosedRange<UInt64> {
            let first = stale.run(Recipe(seed: seed, strategy: .random), recording: .everything)
            let order = Rearrangement(try #require(first.trace))
            let second = stale.run(Recipe(seed: seed)) { $0.rearrangement = order }
            #expect(second.order == first.order)
            #expect(second.failure?.fingerprint == first.failure?.fingerprint)
        }
    }

    @Test func `a delayed step runs after the one that it waits for, however long that takes`() throws {
        let first = slow.run(Recipe(seed: 1, strategy: .fifo), recording: .everything)
        var order = Rearrangement(try #require(first.trace))
        order.delay = .init(task: 3, steps: 1, untilTask: 2, untilSteps: 3)
        let second = slow.run(Recipe(seed: 1)) { $0.rearrangement = order }
        #expect(first.failure != nil)
        #expect(second.failure == nil)
        #expect(second.report?.isRearranged == true)
        order.delay = .init(task: 3, steps: 1, untilTask: 2, untilSteps: 100)
        let third = slow.run(Recipe(seed: 1)) { $0.rearrangement = order }
        #expect(third.report?.isRearranged == false, "what never comes ends the delay")
    }

    @Test func `the race of a small run names the two lines that must not be exchanged`() throws {
        let seeds = (1...500 as ClosedRange<UInt64>).lazy.map { Recipe(seed: $0, strategy: .portfolio) }
        let found = try #require(seeds.first { stale.run($0).failure != nil })
        let small = try Shrinker(stale, limit: .seconds(300)).shrink(found).shrunk
        let trace = try #require(stale.run(small, recording: .everything).trace)
        let race = try #require(stale.race(small, in: trace, limit: .seconds(60)))
        #expect(race.actor == "Cache")
        #expect(lines("late").contains(race.late.place.line), "\(race)")
        #expect(lines("early").contains(race.early.place.line), "\(race)")
        #expect(race.late.place.file == #filePath)
        #expect(race.late.source == "known = fresh")
        #expect(race.late.step > race.early.step)
    }

    @Test func `a run that fails in each order has no race`() throws {
        let program = Program(name: "always", summary: "") {
            await withTaskGroup { group in for _ in 0..<2 { group.addTask { await Task.yield() } } }
            throw OldPrice()
        }
        let recipe = Recipe(seed: 1, strategy: .fifo)
        let trace = try #require(program.run(recipe, recording: .everything).trace)
        #expect(program.race(recipe, in: trace) == nil)
    }
}
