import Exploration
import Simulation
import Testing

// What the landing article of Exploration shows, word for word; a house rule compares them.

struct Oversold: Error {}

private actor Shop {
    private var left = 1
    private(set) var sold = 0

    func isAvailable() -> Bool { left > 0 }

    func sell() {
        left -= 1
        sold += 1
    }
}

let lastTicket = Program(name: "last-ticket", summary: "two buyers, one ticket") {
    let shop = Shop()
    await withTaskGroup { buyers in
        for _ in 0..<2 {
            buyers.addTask {
                guard await shop.isAvailable() else { return }
                await Task.yield()  // the payment
                await shop.sell()
            }
        }
    }
    if await shop.sold > 1 { throw Oversold() }
}

@Test func `the last ticket is sold twice when one decision goes wrong`() async throws {
    var sweep = Sweep(lastTicket, seeds: 1...1000, jobs: 2)
    sweep.isolation = .none  // other tests have threads here, which a fork would leave behind
    let result = try sweep.run()
    let found = try #require(result.failures.values.first?.runs.first)
    let small = try Shrinker(lastTicket).shrink(found.recipe)
    #expect(small.after.decisions <= 1)
    #expect(lastTicket.run(small.shrunk).failure == small.failure)
}
