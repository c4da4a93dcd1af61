import Exploration
import Simulation
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

@Suite("Races")
struct RaceTests {
    private func lines(_ mark: String) -> [Int] {
        SourceLines.excerpt(around: 1, of: #filePath, lines: 1_000).enumerated()
            .filter { $0.element.hasSuffix("// \(mark)") }.map { $0.offset + 1 }
    }

    @Test func `the race of a small run names the two lines that must not be exchanged`() throws {
        let seeds = (1...500 as ClosedRange<UInt64>).lazy.map { Recipe(seed: $0, strategy: .portfolio) }
        let found = try #require(seeds.first { stale.run($0).failure != nil })
        let small = try Shrinker(stale).shrink(found).shrunk
        let trace = try #require(stale.run(small, recording: .everything).trace)
        let race = try #require(stale.race(small, in: trace))
        #expect(race.actor == "Cache")
        #expect(lines("late").contains(race.late.place.line), "\(race)")
        #expect(lines("early").contains(race.early.place.line), "\(race)")
        #expect(race.late.place.file == #filePath)
        #expect(race.late.source == "known = fresh  // late")
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
